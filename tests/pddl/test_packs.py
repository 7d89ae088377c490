"""Packs by name: what is found, and what is said of names that there are not."""

import shutil
from pathlib import Path

import pytest

from commonsense_planning import InputError, UsageError, read_task
from commonsense_planning.pddl.packs import heuristics_beside, pack_named, packs, task_files
from tests.data import REPOSITORY

PACKS = REPOSITORY / "pddl"
DEMO = PACKS / "household" / "problems" / "demo.pddl"
HOUSEHOLD = PACKS / "household" / "domain.pddl"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a pack called garden."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "garden" / "problems").mkdir(parents=True)
    shutil.copy(HOUSEHOLD, tmp_path / "garden")
    shutil.copy(DEMO, tmp_path / "garden" / "problems")
    return tmp_path


def test_packs_are_the_folders_of_the_checkout() -> None:
    assert {pack.name: pack.folder for pack in packs().values()} == {
        folder.name: folder for folder in PACKS.iterdir() if (folder / "domain.pddl").is_file()
    }
    assert {"flights", "household", "kitchen", "virtualhome"} <= set(packs())


@pytest.mark.parametrize(("words", "domain", "problems"), [
    (("household:demo",), HOUSEHOLD, [DEMO]),
    (("household",), HOUSEHOLD, []),
    (("household", "my.pddl"), HOUSEHOLD, [Path("my.pddl")]),
    (("household:demo", "household:any-mug"), HOUSEHOLD, [DEMO, DEMO.with_name("any-mug.pddl")]),
    (("household:demo", "my.pddl"), HOUSEHOLD, [DEMO, Path("my.pddl")]),
    (("d.pddl", "p.pddl"), Path("d.pddl"), [Path("p.pddl")]),
    (("garden:demo",), Path("garden/domain.pddl"), [Path("garden/problems/demo.pddl")]),
    (("./garden:demo",), Path("garden/domain.pddl"), [Path("garden/problems/demo.pddl")]),
])  # fmt: skip
def test_what_words_name(own: Path, words: tuple[str, ...], domain: Path, problems: list[Path]) -> None:
    assert task_files(words[0], words[1:]) == (domain, tuple(problems))


def test_a_file_goes_before_a_pack(own: Path) -> None:
    (own / "household").touch()
    (own / "flights:short").touch()
    assert task_files("household", ["flights:short"]) == (Path("household"), (Path("flights:short"),))


@pytest.mark.parametrize(("words", "message"), [
    (("housold:demo",), r"no pack is called 'housold' \(did you mean 'household'\?\).*; there are alfworld, "),
    (("household:dmo",), r"no problem called 'dmo' \(did you mean 'demo'\?\); there are any-cabinet, any-mug,"),
    (("household:",), "no problem called ''; there are any-cabinet"),
    ((":demo",), "no pack is called ''"),
    (("garden:tidy",), "the pack garden has no problem called 'tidy'; there are demo"),
    (("household:demo", "flights:short-oslo-athens"), "all problems are of one domain"),
    (("d.pddl", "household:demo"), "all problems are of one domain"),
    (("x" * 5000 + ":demo",), "no pack is called"),
    (("a\0b:demo",), "no pack is called"),
])  # fmt: skip
def test_what_no_word_may_be(own: Path, words: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        task_files(words[0], words[1:])


def test_a_folder_without_a_domain_is_no_pack(own: Path) -> None:
    (own / "garden" / "domain.pddl").unlink()
    with pytest.raises(UsageError, match="no folder of that name with a domain.pddl"):
        pack_named("garden")


def test_read_task_takes_names() -> None:
    task = read_task("household:small-apple")
    assert task.problem.problem_file == PACKS / "household" / "problems" / "small-apple.pddl"
    assert task.sensors is not None
    with pytest.raises(UsageError, match="give one problem, not none"):
        read_task("household")


LINKS = {
    "domain.pddl": "domain",
    "problems/demo.pddl": "problem",
    "problems/other.pddl": "another problem",
    "problems/demo.lexicon.toml": "names of a problem",
    "sensors.pddl": "sensors",
    "lexicon.toml": "names",
    "action-language.toml": "language",
    "prompts": "prompts",
    "problems": "problems",
}


@pytest.mark.parametrize("name", LINKS)
def test_what_leads_out_of_a_pack_is_not_read(own: Path, name: str) -> None:
    link = own / "garden" / name
    if link.exists():
        link.rename(own / "moved")
    else:
        (own / "moved").touch()
    link.symlink_to(own / "moved")
    with pytest.raises(InputError, match=rf"garden/problems/\w+.pddl: a link|garden/{name}: a link that leads out of"):
        read_task("garden:demo")


def test_a_link_within_a_pack_is_read_and_so_is_a_pack_that_is_one(own: Path) -> None:
    (own / "garden" / "problems" / "same.pddl").symlink_to("demo.pddl")
    (own / "garden" / "lexicon.toml").symlink_to("names")
    (own / "garden" / "names").touch()
    (own / "park").symlink_to("garden")
    (own / "garden" / "problems" / "round.lexicon.toml").symlink_to("round.lexicon.toml")
    assert read_task("park:same").problem.problem_name == "demo"


def test_a_written_heuristic_that_leads_out_is_not_run(own: Path) -> None:
    (own / "garden" / "heuristics").mkdir()
    (own / "garden" / "heuristics" / "h.py").symlink_to(own / "secret.py")
    with pytest.raises(InputError, match=r"heuristics/h.py: a link that leads out of"):
        heuristics_beside(own / "garden")
