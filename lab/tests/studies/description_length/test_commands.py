"""``cplan bench mdl``: what it prints, draws and refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Run

FLIGHTS = """\
flights
  model: for each city the cities of its direct flights;
    and to plan with it, a program of 8,000 bits
  policy: for each pair of cities the next city on the way
  cities  model, bits  policy, bits  shorter  model, bound  policy, bound
  16      8,640        1,024         policy   0.208         0.072
  41      10,460       10,086        policy   0.229         0.225
  42      10,520       10,584        model    0.229         0.230
  the model is the shorter from 42 cities on
"""
MULTIPLICATION = """\
  digits  model, bits  policy, bits  shorter  model, bound  policy, bound
  1       700          700           neither  0.059         0.059
  2       700          140,000       model    0.059         0.837
  12      700          8.00e25       model    0.059         says nothing
  the model is the shorter from 2 digits on
"""


def test_the_table_of_multiplication(cplan: Run) -> None:
    ended = cplan("bench", "mdl", "multiplication", "--program-bits", "0", "--sizes", "1,2,12")
    assert ended.code == 0
    assert MULTIPLICATION in ended.out
    assert "with 100,000 samples,\na training loss of 0 and a probability above 0.95" in ended.out


def test_the_table_of_flights(cplan: Run) -> None:
    given = ("--flights-per-city", "10", "--program-bits", "8000", "--sizes", "16,41-42")
    ended = cplan("bench", "mdl", "flights", *given)
    assert ended.code == 0
    assert ended.out.startswith(FLIGHTS)


def test_all_three_by_default(cplan: Run) -> None:
    ended = cplan("bench", "mdl")
    assert ended.code == 0
    assert [line for line in ended.out.splitlines() if line in ("flights", "rearrangement", "multiplication")] == [
        "flights",
        "rearrangement",
        "multiplication",
    ]
    assert max(map(len, ended.out.splitlines())) <= 100


def test_data(cplan: Run) -> None:
    ended = cplan("bench", "mdl", "rearrangement", "--composed", "2", "--sizes", "3-4", "--samples", "50", "--json")
    (found,) = ended.json["problems"]
    assert (ended.json["samples"], ended.json["delta"]) == (50, 0.05)
    assert (found["problem"], found["composed"], found["containers"]) == ("rearrangement", 2, 38)
    assert [line["size"] for line in found["sizes"]] == [3, 4]
    assert found["sizes"][0]["policy"] == (3 * 38) ** 2 * 10 * 6
    assert found["sizes"][0]["policy_bound"] > 1
    assert found["program_bits"] > 0


def test_numbers_of_any_length(cplan: Run) -> None:
    huge = cplan("bench", "mdl", "multiplication", "--sizes", "1000", "--json")
    assert huge.code == 0
    assert huge.json["problems"][0]["sizes"][0]["policy"] > 10**2000
    assert "6.64e2003" in huge.err


def test_the_policy_may_stay_the_shorter(cplan: Run) -> None:
    ended = cplan("bench", "mdl", "rearrangement", "--weight-bits", "10000")
    assert "up to 1,000,000,000 things, the policy stays the shorter" in ended.out


def test_the_model_may_always_be_the_shorter(cplan: Run) -> None:
    assert "the model is the shorter at every size" in cplan("bench", "mdl", "rearrangement", "--composed", "2").out


def test_a_plot(cplan: Run, tmp_path: Path) -> None:
    path = tmp_path / "flights.svg"
    ended = cplan("bench", "mdl", "flights", "--program-bits", "8000", "--plot", path)
    assert ended.code == 0
    assert f"the plot is in {path}" in ended.out
    drawn = path.read_text()
    assert "model and program" in drawn
    assert "the model is shorter from 43 on" in drawn
    assert cplan("bench", "mdl", "flights", "--sizes", "1000,2000", "--plot", path).code == 0
    assert "is shorter from" not in path.read_text()


@pytest.mark.parametrize(("args", "message"), [
    (("flights", "--sizes", "1"), "--sizes: 1 is not from 2 to 1000000000"),
    (("flights", "--sizes", "-5"), "--sizes: '-5' is neither a number nor a range"),
    (("flights", "--sizes", "1001", "--plot", "x.gif"), "a plot is a file that ends with .png, .svg, .pdf"),
    (("multiplication", "--sizes", "500", "--plot", "x.png"), "500 digits take too many bits to be drawn"),
    (("--plot", "x.png"), "--plot draws one problem: name it"),
    (("flights", "--rooms", "3"), "--rooms is a setting of rearrangement, which was not asked for"),
    (("rearrangement", "--rooms", "0"), "rooms must be at least 1, not 0"),
    (("flights", "--flights-per-city", "-1"), "flights-per-city must be at least 1, not -1"),
    (("--delta", "1"), "delta must be in (0, 1), not 1.0"),
    (("--delta", "nan"), "delta must be in (0, 1), not nan"),
    (("--samples", "0"), "--samples"),
    (("--program-bits", "-1"), "--program-bits"),
    (("chess",), "'chess' is not one of"),
])  # fmt: skip
def test_what_is_wrong_is_said(cplan: Run, args: tuple[str, ...], message: str) -> None:
    ended = cplan("bench", "mdl", *args)
    assert ended.code == 2
    assert message in ended.err
    assert "Traceback" not in ended.err
