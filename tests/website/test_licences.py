"""The page of licences is that of the lock file, and every licence was looked at."""

from __future__ import annotations

import re

import pytest

from website.licences import PAGE, kind_of, licence_of, needed, page, pinned


def test_the_page_has_every_package_of_the_lock_file() -> None:
    rows = re.findall(r"^\| ([a-z0-9-]+) \| .* \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    listed = set(rows) - {"package"}
    here = {each.name for each in pinned() if each.marker is None or each.marker.evaluate()}
    assert here <= listed <= {each.name for each in pinned()}, "make lock makes the page anew"


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


def test_a_licence_that_nobody_knows_is_no_row() -> None:
    with pytest.raises(ValueError, match="no known kind: Beerware"):
        page({"foo": {"license": "Beerware"}})


def test_what_a_package_needs_in_turn_without_its_extras() -> None:
    wants = {"a": {"requires_dist": ["B>=1", 'c; extra == "x"', 'd; python_version < "3"']}, "b": {}, "c": {}, "d": {}}
    assert needed(wants, ["a"]) == {"a", "b"}
