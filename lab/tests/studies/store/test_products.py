"""Tables of products: their names in PDDL, which items are used, the halves, and what is refused."""

from pathlib import Path

import pytest

from commonsense_lab.studies.store.products import Half, Products, read_products, symbol
from commonsense_planning.errors import InputError

TABLE = """\
department\tsection\titem
Garden\tPlants & Seeds\tRose Bushes
Garden\tPlants & Seeds\tSeed Tape
Garden\tTools\tRakes
Kitchen\tTools\tRolling Pins
Kitchen\tSmall, Electric\tToasters
Kitchen\tSmall, Electric\tRakes
Kitchen\tSmall, Electric\tTools
Pets\tBirds\tPiñatas
Pets\tBirds\t3D Perches
Pets\tBirds\tBirds
"""


def products(folder: Path, text: str = TABLE) -> Products:
    path = folder / "products.tsv"
    path.write_text(text, encoding="utf-8")
    return read_products(path)


@pytest.mark.parametrize(("name", "expected"), [
    ("Print, Copy, Scan & Fax", "print-copy-scan-and-fax"),
    ("Children's Boutonnières", "childrens-boutonnieres"),
    ("A/B - C", "a-b-c"),
])  # fmt: skip
def test_a_symbol_has_the_words_of_the_name(name: str, expected: str) -> None:
    assert symbol(name) == expected


def test_names_are_unique_and_items_of_several_places_left_out(tmp_path: Path) -> None:
    """Rakes are sold in two sections, "birds" is a section's name, and no PDDL name begins with a digit."""
    found = products(tmp_path)
    assert found.departments == {
        "garden": {"plants-and-seeds": ("rose-bushes", "seed-tape")},
        "kitchen": {"kitchen-tools": ("rolling-pins",), "small-electric": ("toasters", "tools")},
        "pets": {"birds": ("pinatas",)},
    }
    assert found.left_out == 4


def test_halves_take_turns(tmp_path: Path) -> None:
    halves = {half: list(products(tmp_path).half(half).departments) for half in Half}
    assert halves == {
        Half.TRAIN: ["garden", "pets"],
        Half.HELD_OUT: ["kitchen"],
        Half.ALL: ["garden", "kitchen", "pets"],
    }


@pytest.mark.parametrize(("text", "said"), [
    ("", ":1:1: not a row"),
    ("item\tsection\tdepartment\n", ":1:1: not a row"),
    (TABLE + "Pets\tBirds\n", ":12:1: not a row"),
    (TABLE + "Pets\t&\tSeeds\n" + "Pets\t--\tSeeds\n", ":13:1: not a row"),
])  # fmt: skip
def test_another_table_is_refused(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        products(tmp_path, text)
