"""``cplan bench mdl``: what it prints, draws and refuses."""

from pathlib import Path

from tests.cli.running import Run


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
