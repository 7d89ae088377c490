"""The documentation as a site: built as by ``make docs``, from this checkout and from broken copies; and licences."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

import commonsense_planning
from commonsense_planning import METHODS
from commonsense_planning.cli.main import cplan
from tests.data import REPOSITORY
from tests.markup import Elements
from website.licences import PAGE, kind_of, licence_of, needed, page, pinned


def build(repository: Path, site: Path) -> subprocess.CompletedProcess[str]:
    """Build with warnings as errors."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of this checkout."""
    folder = tmp_path_factory.mktemp("site")
    ended = build(REPOSITORY, folder)
    assert ended.returncode == 0, ended.stderr
    return folder


LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src"}  # by a browser, with a page


@pytest.mark.docs
def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for file in site.rglob("*.html"):
        found = Elements(file.read_text(encoding="utf-8")).found
        loaded = [attributes.get(LOADED[tag]) or "" for tag, attributes in found if tag in LOADED]
        assert any(loaded)
        assert [url for url in loaded if re.match(r"(\w+:)?//", url)] == [], file
    for style in site.rglob("*.css"):
        assert not re.search(r"(url\(|@import)\W*(https?:)?//", style.read_text(encoding="utf-8")), style


@pytest.mark.docs
def test_it_opens_with_what_cplan_is_with_a_picture_and_how_to_install_it(site: Path) -> None:
    opened = (site / "index.html").read_text(encoding="utf-8")
    first, _, install = opened.partition(">Install and first plan<")
    assert "cplan is a planner for worlds seen only in part" in first and "docs/pictures/page.png" in first
    assert "cplan is on no package index yet" in install and "pip install commonsense-planning" in install


@pytest.mark.docs
def test_every_command_and_option_has_its_place(site: Path) -> None:
    top = click.Context(cplan)
    for name in cplan.list_commands(top):
        command = cplan.get_command(top, name)
        page = (site / "docs" / "commands" / f"{name}.html").read_text(encoding="utf-8")
        below = command.list_commands(top) if isinstance(command, click.Group) else []
        assert [found for found in below if f"cplan {name} {found}" not in page] == []
        for option in command.params:
            assert option.opts[0] in page or isinstance(option, click.Argument), (name, option.opts)
    options = (site / "docs" / "commands" / "options-of-methods.html").read_text(encoding="utf-8")
    settings = [setting for method in METHODS.values() for setting in method.Options.settings()]
    assert [setting.flag for setting in settings if setting.flag not in options] == []


@pytest.mark.docs
def test_every_public_name_has_its_place(site: Path) -> None:
    page = (site / "docs" / "python-names.html").read_text(encoding="utf-8")
    assert [name for name in commonsense_planning.__all__ if f'id="{name.lower()}"' not in page] == []


@pytest.mark.docs
def test_links_to_sources_show_them(site: Path) -> None:
    page = (site / "docs" / "python-api.html").read_text(encoding="utf-8")
    assert 'href="../examples/noisy_sensor.py.html"' in page
    assert "PoorSight" in (site / "examples" / "noisy_sensor.py.html").read_text(encoding="utf-8")
    assert "own_model.py" in (site / "examples" / "own_model.html").read_text(encoding="utf-8")


@pytest.mark.docs
def test_the_search_can_be_read_from_a_file(site: Path) -> None:
    assert (site / "search" / "search_index.js").read_text(encoding="utf-8").startswith("var __index = {")
    assert (site / "search" / "worker.js").read_text(encoding="utf-8").startswith('var __worker = "')


@pytest.mark.docs
@pytest.mark.parametrize(("line", "said"), [
    ("[gone](nowhere.md)", "nowhere.md"),
    ("[gone](pddl.md#no-such-heading)", "no-such-heading"),
    ("[gone](../examples/no_such_file.py)", "no_such_file.py"),
])  # fmt: skip
def test_a_mistake_fails(tmp_path: Path, line: str, said: str) -> None:
    for name in ("docs", "examples", "website", "lab/docs", "lab/examples"):
        shutil.copytree(REPOSITORY / name, tmp_path / name)
    for name in ("mkdocs.yml", "README.md", "CONTRIBUTING.md"):
        shutil.copy(REPOSITORY / name, tmp_path)
    with (tmp_path / "docs" / "usage.md").open("a", encoding="utf-8") as page:
        page.write(f"\n{line}\n")
    ended = build(tmp_path, tmp_path / "site")
    assert ended.returncode == 1
    assert said in ended.stderr


def test_the_page_has_every_package_of_the_lock_file() -> None:
    rows = re.findall(r"^\| ([a-z0-9-]+) \| .* \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    listed = set(rows) - {"package"}
    here = {each.name for each in pinned() if each.marker is None or each.marker.evaluate()}
    assert here <= listed <= {each.name for each in pinned()}, "make lock writes the page again"


@pytest.mark.parametrize(("package", "licence", "kind"), [
    ({"license_expression": "MIT"}, "MIT", "permissive"),
    ({"license": "UNKNOWN", "classifier": ["License :: OSI Approved :: BSD License"]}, "BSD License", "permissive"),
    ({"license": "# Foo\n\nCopyright of many"}, "not stated", "not stated"),
    ({"license": "GPL3+"}, "GPL3+", "GPL"),
    ({"license": "Free For Educational Use"}, "Free For Educational Use", "not free"),
    ({"license_expression": "MPL-2.0 AND MIT"}, "MPL-2.0 AND MIT", "for its own files"),
])  # fmt: skip
def test_licence_and_kind(package: dict[str, str], licence: str, kind: str) -> None:
    assert licence_of(package) == licence
    assert kind_of(licence) == kind


def test_an_unknown_licence_makes_no_row() -> None:
    with pytest.raises(ValueError, match="no known kind: Beerware"):
        page({"foo": {"license": "Beerware"}})


def test_what_a_package_needs_in_turn_without_its_extras() -> None:
    wants = {"a": {"requires_dist": ["B>=1", 'c; extra == "x"', 'd; python_version < "3"']}, "b": {}, "c": {}, "d": {}}
    assert needed(wants, ["a"]) == {"a", "b"}
