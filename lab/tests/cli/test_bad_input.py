"""Broken files and command lines of the laboratory's commands: as in the core's table."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Run
from tests.cli.test_bad_input import DAMAGE, MANY, here, refuses, rows

__all__ = ["here"]

NODE = '{"id": 1, "class_name": "hall", "category": "Rooms"'
AIRPORT = '"A","B","C","AAA","AAAA",1,1,1,1,"U","x","airport","x"\n'
FILES = {
    "graph.json": f'{{"nodes": [{NODE}}}], "edges": []}}',
    "far.json": f'{{"nodes": [{NODE}, "bounding_box": {{"center": [0, 0, {MANY}], "size": []}}}}], "edges": []}}',
    "airports.dat": f"{'9' * 5000},{AIRPORT}1,{AIRPORT}",
    "routes.dat": f"X,1,AAA,{'9' * 5000},AAA,1,,0,320\n",
}
DEEP = "'(inside " + "( " * 50_000 + "'"
IMPORT = "data import-virtualhome graph.json"
ROWS = rows("""
belief household:small-apple --only pear => --only pear: no hidden thing is called that; there are apple, plate
belief household:small-apple --model gpt => no model is called gpt
belief household:small-apple --top 0 => 0 is not in the range x>=1
belief household:small-apple --prior-samples 0 => Invalid value for
{import} => a household problem takes --goal
{import} --goal x --adversarial => a household problem takes --goal
{import} --goal (inside) => the goal cannot be read
{import} --goal {deep} => brackets nested more than 100 deep
{import} --goal x --add cupcake => expected CLASS=PROPERTY
{import} --domain virtualhome --goal x => a virtualhome problem takes --task
{import} --domain virtualhome --task nap => there is no task 'nap'; there are watch-tv
{import} --domain virtualhome --task watch-tv => the task needs tv, which the home does not have
data import-virtualhome none.json --goal x => none.json: cannot be read
data import-virtualhome domain.pddl --goal x => domain.pddl:1:1: not JSON
data import-virtualhome far.json --goal x => far.json: not JSON: 99999999999999999999 … is beyond 1e+100
data import-flights airports.dat routes.dat --from a --to b => no line can be used
""")
READERS = ["data import-virtualhome damaged --goal x", "data import-flights damaged damaged --from a --to b"]


@pytest.mark.parametrize(("line", "message"), ROWS, ids=[" ".join(row) for row in ROWS])
def test_command_line(line: str, message: str, here: Path, cplan: Run) -> None:
    for name, text in FILES.items():
        (here / name).write_text(text)
    refuses(line.replace("{import}", IMPORT).replace("{deep}", DEEP), message, here, cplan)


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("reader", READERS)
def test_a_damaged_file(reader: str, damage: str, here: Path, cplan: Run) -> None:
    (here / "damaged").write_bytes(DAMAGE[damage])
    refuses(reader, "damaged", here, cplan)
