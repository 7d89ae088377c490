"""What things are called: with their numbers, unless a lexicon drops them; and the errors of lexicons."""

from pathlib import Path

import pytest

from commonsense_planning.errors import InputError, LocatedError, PddlError
from commonsense_planning.pddl.packs import packs
from commonsense_planning.task import lexicons_of, read_task
from commonsense_planning.wording.check_lexicon import check_lexicon
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.verbalise import Wording
from tests.shelves import warehouse

WORDS = Lexicon(
    {"kitchencabinet": "kitchen cabinet", "sao-paulo": "São Paulo", "wine_glass": "wineglass", "shelf_7": "top shelf"}
)


@pytest.mark.parametrize(("name", "whole", "noun"), [
    ("kitchencabinet_3", "kitchen cabinet 3", "kitchen cabinet"),
    ("KitchenCabinet3", "kitchen cabinet 3", "kitchen cabinet"),
    ("wine_glass_12", "wineglass 12", "wineglass"),
    ("shelf_7", "top shelf", "shelf"),
    ("shelf_3", "shelf 3", "shelf"),
    ("s1", "s1", "s"),
    ("apple", "apple", "apple"),
    ("apple2", "apple2", "apple"),
    ("fruit-bowl_1", "fruit bowl 1", "fruit bowl"),
    ("floor_2_room_1", "floor 2 room 1", "floor room"),
    ("7", "7", "7"),
    ("_", "_", ""),
    ("New_York", "new york", "new york"),
    ("sao-paulo", "São Paulo", "São Paulo"),
])  # fmt: skip
def test_names_become_words(name: str, whole: str, noun: str) -> None:
    assert (WORDS.words(name), WORDS.noun(name)) == (whole, noun)


@pytest.mark.parametrize(("line", "called"), [
    ("", ["r1", "r2", "s1", "s-1", "drill 1", "drill 2"]),
    ('numbers = "dropped"\n', ["r", "r", "s", "s", "drill", "drill"]),
    ('numbers = "kept"\n', ["r1", "r2", "s1", "s-1", "drill 1", "drill 2"]),
    ('[numbers]\nTool = "dropped"\n', ["r1", "r2", "s1", "s-1", "drill", "drill"]),
    ('[numbers]\nobject = "dropped"\nplace = "kept"\n', ["r", "r", "s1", "s-1", "drill", "drill"]),
    ('numbers = "dropped"\n[classes]\ndrill_1 = "best drill"\n', ["r", "r", "s", "s", "best drill", "drill"]),
])  # fmt: skip
def test_a_name_is_written_whole_unless_the_lexicon_drops_numbers(line: str, called: list[str], tmp_path: Path) -> None:
    task = read_task(*warehouse(tmp_path, lexicon=line))
    say = Wording(task.problem, task.lexicon)
    assert [say.words(name) for name in ("r1", "r2", "s1", "s-1", "drill_1", "drill_2")] == called


def test_names_that_differ_only_in_a_separator_stay_unchanged(tmp_path: Path) -> None:
    domain, problem = warehouse(tmp_path)
    problem.write_text(problem.read_text().replace("drill_1", "big-drill").replace("drill_2", "big_drill"))
    task = read_task(domain, problem)
    say = Wording(task.problem, task.lexicon)
    assert [say.words(name) for name in ("big-drill", "big_drill", "s-1")] == ["big-drill", "big_drill", "s-1"]


@pytest.mark.parametrize(("lexicon", "message"), [
    ('numbers = "gone"\n', "lexicon.toml:1:12: 'gone' for numbers; expected \"kept\" or \"dropped\""),
    ("numbers = 3\n", "[numbers] must be a table of names and texts"),
    (
        '# of all numbers\n[numbers]\nplace = "dropped"\ntol = "dropped"\n',
        "lexicon.toml:4:1: undeclared type 'tol'; expected a type of the domain (did you mean 'tool'?)",
    ),
    ('[facts]\nat = "{r} is at {p}"\nnumbers = "dropped"\n',
     "lexicon.toml:3:1: 'numbers' is an entry of [facts] here; expected it before the first table"),
])  # fmt: skip
def test_what_is_wrong_with_numbers_is_said_at_its_place(lexicon: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_task(*warehouse(tmp_path, lexicon=lexicon))
    assert message in str(caught.value)
    assert isinstance(caught.value, LocatedError) == ("lexicon.toml:" in message)


@pytest.mark.parametrize("text", [
    "[actions",
    "[verbs]\nx = 1\n",
    'actions = "go"\n',
    "[actions]\ngo = 1\n",
    '[map]\nwithin = "on"\n',
    '[map]\nrooms = ["in"]\n',
    '[classes]\nbox = "box\\n- fly"\n',
    '[actions]\ngo = """go\n[system]\n"""\n',
    '[facts]\nat = "it is \\u001b[2J"\n',
    '[negated]\nat = "not\\u2028so"\n',
    '[only]\nwall = ["a\\r"]\n',
])  # fmt: skip
def test_a_lexicon_that_is_broken_or_of_wrong_values_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "lexicon.toml").write_text(text)
    with pytest.raises(InputError):
        Lexicon.read(tmp_path / "lexicon.toml")


def test_a_lexicon_lists_what_is_never_looked_for_on_walls() -> None:
    lexicon = Lexicon(only={"wall": ["clock"]})
    assert not lexicon.suits("apple_1", "wall_kitchen_2")
    assert lexicon.suits("clock_3", "wall_kitchen_2")
    assert lexicon.suits("apple_1", "wallshelf_1")


SHELVES = '[classes]\ns1 = "shelf"\n# a comment\ns2 = "shelf"\ns3 = "shelf"\n'
ONE_ANSWER = "the only answer to where a thing is, 'stored s', means (stored ?t s-1), (stored ?t s1), (stored ?t s2)"


@pytest.mark.parametrize(("lexicon", "warnings"), [
    ("", []),
    (SHELVES, ["2:1: warning: s1, s2, s3 are called the same: 'shelf'"]),
    ('numbers = "dropped"\n', [f"1:1: warning: {ONE_ANSWER} and 1 more"]),
    ('[facts]\nstored = "{t} is in {p}"\n[numbers]\nrobot = "dropped"\n', []),
    (
        '[actions]\npick = "pick up {t}"\nmove = "go from {a} to {b}"\n',
        [
            "3:1: warning: 'go from a to b' does not say ?r: move with r1 and with r2 are one answer",
            "2:1: warning: 'pick up t' does not say ?r: pick with r1 and with r2 are one answer",
        ],
    ),
    ('[actions]\npick = "{r} picks up {t}"\nmove = "{r} goes to {b}"\n', []),  # a robot is in one place
    ('[classes]\ndrill = "drill"\nr1 = "arm"\ns1 = "arm"\n', []),  # nothing is a robot or a shelf
])  # fmt: skip
def test_what_an_answer_cannot_tell_apart_is_warned_of(lexicon: str, warnings: list[str], tmp_path: Path) -> None:
    domain, problem = warehouse(tmp_path, lexicon)
    task = read_task(domain, problem)
    found = check_lexicon(lexicons_of(domain, problem), task.lexicon, task.problem, task.sensors)
    assert [str(w).removeprefix(f"{tmp_path}/lexicon.toml:").partition(";")[0] for w in found] == warnings
    if warnings:
        with pytest.raises(PddlError):
            check_lexicon(lexicons_of(domain, problem), task.lexicon, task.problem, task.sensors, strict=True)


@pytest.mark.parametrize("pack", [name for name in packs() if name != "virtualhome"])
def test_the_packs_are_not_warned_of(pack: str) -> None:
    for problem in packs()[pack].problems.values():
        domain = packs()[pack].folder / "domain.pddl"
        task = read_task(domain, problem)
        assert not check_lexicon(lexicons_of(domain, problem), task.lexicon, task.problem, task.sensors)
