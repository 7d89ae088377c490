"""Broken files and command lines of the laboratory's commands: one table, as in the core."""

from pathlib import Path

import pytest

from lab.tests.learning.heuristics import LEAVING
from lab.tests.studies.rearrangement.small_world import write_world
from lab.tests.studies.travelling.openflights_files import write_openflights
from tests.cli.running import Run
from tests.cli.test_bad_input import DAMAGE, MANY, here, refuses, rows

__all__ = ["here"]

NODE = '{"id": 1, "class_name": "hall", "category": "Rooms"'
AIRPORT = '"A","B","C","AAA","AAAA",1,1,1,1,"U","x","airport","x"\n'
FILES = {
    "graph.json": f'{{"nodes": [{NODE}}}], "edges": []}}',
    "far.json": f'{{"nodes": [{NODE}, "bounding_box": {{"center": [0, 0, {MANY}], "size": []}}}}], "edges": []}}',
    "airports.dat": f"{'9' * 5000},{AIRPORT}1,{AIRPORT}",
    "leaving.py": LEAVING,
    "broken.py": "x = (",
    "routes.dat": f"X,1,AAA,{'9' * 5000},AAA,1,,0,320\n",
}
WORDS = {
    "{import}": "data import-virtualhome graph.json",
    "{fly}": "data import-flights airports/airports.dat airports/routes.dat",
    "{flights}": "bench flights {world} -o out",
    "{world}": "world/airports.dat world/routes.dat",
    "{rearrangement}": "bench rearrangement -o out",
    "{deep}": "'(inside " + "( " * 50_000 + "'",
}
LINES = """
belief household:small-apple --only pear => --only pear: no hidden thing is called that; there are apple, plate
belief household:small-apple --model gpt => no model is called gpt
belief household:small-apple --top 0 => 0 is not in the range x>=1
belief household:small-apple --prior-samples 0 => Invalid value for
belief household:small-apple --preferences none.txt => none.txt: cannot be read
bench cooking => No such command 'cooking'
bench models --models local,embedded => models is now cplan bench misplaced, household or rearrangement, with
bench household --tables 7 -o out => there is no table 7
bench household --tasks cook -o out => there is no task cook
bench household --pack nowhere -o out => no pack is called 'nowhere'
bench household --pack . -o out => there is no such file; --pack names the folder
bench household --scene nowhere.json -o out => nowhere.json: cannot be read
bench household --methods nothing -o out => there is no variant nothing; there are none, low
bench household --tasks watch-tv --methods learned-policy -o out => learned-policy needs --weights
bench household --tasks watch-tv --methods own,picky -o out => picky cannot solve this task: there is a home in it
bench misplaced --homes castle -o out => there is no home castle; there are seen, unseen
bench misplaced --shares 2 -o out => a share is a number from 0 to 1, or least; 2 is none
bench misplaced --methods x -o out => no method is called x; there are llm-mcts
bench misplaced --methods own,picky -o out => picky cannot solve this task: there is a home in it
bench kitchen --levels easy,silly -o out => there is no level silly; there are easy, medium, hard
bench kitchen --methods own,picky -o out => picky cannot solve this task: there is a home in it
bench guidance --priors 2 -o out => a prior is a number from 0 to 1, or embedded; 2 is neither
bench guidance --policies 1.5 -o out => a policy is a number
bench guidance --policies often -o out => a policy is a number
bench guidance --policies 1:clever -o out => a policy is a number
bench guidance --methods clever -o out => there is no method clever
{rearrangement} --tasks 3 => 3 tasks are too few for 10 cells
{rearrangement} --scene a.json => --scene and --unseen-scene go together
{rearrangement} --methods magic => there is no variant magic; there are uct
{rearrangement} --methods learned => the learned policy needs --weights
{rearrangement} --simulations 0 => simulations must be at least 1
{rearrangement} --ray auto --workers 2 => --workers is for this machine
{rearrangement} --tables 9 => there is no table 9; there are 1, 2
{rearrangement} --settings hard => there is no setting hard; there are simple
{rearrangement} --methods own,picky => picky cannot solve this task: there is a home in it
{rearrangement} --methods expert,needy => needy needs --map, which this experiment has not
{rearrangement} --methods owm => no method is called owm (did you mean 'own'?)
{flights} --methods fly => there is no variant fly
{flights} --pairs 1 --methods own,picky => picky cannot solve this task: there is a home in it
{flights} --sizes tiny => there are no tiny cities; there are large and mid-size ones
{flights} --pairs 100 => pairs of these 4 cities with a route, not 100
{flights} --breadth 0 => breadth must be at least 1
bench multiplication --digits 0 -o out => --digits: 0 is not from 1 to 100
bench multiplication --digits 5-3 -o out => --digits: 5-3 is not a range of 1 to 10000 numbers
bench multiplication --digits few -o out => --digits: 'few' is neither a number nor a range
bench multiplication --methods magic -o out => there is no method magic; there are policy, model
bench multiplication --model openai:m --replay none.jsonl -o out => none.jsonl: cannot be read
bench multiplication --tasks 0 -o out => --tasks
bench planbench --data nowhere --exact -o out => nowhere: no prompts of these domains and kinds
bench planbench household:demo --exact --kinds generalisation,cooking -o out => there is no kind cooking
bench planbench household:demo -o out => the embedded model writes no plans: --model names one that does
bench alfworld --data there --methods llm-mcts -o out => there is no game.tw-pddl below it
bench mdl flights --sizes 1 => --sizes: 1 is not from 2 to 1000000000
bench mdl flights --sizes -5 => --sizes: '-5' is neither a number nor a range
bench mdl flights --sizes 1001 --plot x.gif => a plot is a file that ends with .png, .svg, .pdf
bench mdl multiplication --sizes 500 --plot x.png => 500 digits take too many bits to be drawn
bench mdl --plot x.png => --plot draws one problem: name it
bench mdl flights --rooms 3 => --rooms is a setting of rearrangement, which was not asked for
bench mdl rearrangement --rooms 0 => rooms must be at least 1, not 0
bench mdl flights --flights-per-city -1 => flights-per-city must be at least 1, not -1
bench mdl rearrangement --weight-bits -1 => weight-bits must be at least 0, not -1
bench mdl --delta 1 => delta must be in (0, 1), not 1.0
bench mdl --delta nan => delta must be in (0, 1), not nan
bench mdl --samples 0 => --samples
bench mdl --program-bits -1 => --program-bits
bench mdl chess => 'chess' is not one of
report there => cannot be read
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
data export-virtualhome domain.pddl problem.pddl empty => only plans of the virtualhome domain
data import-flights airports.dat routes.dat --from a --to b => no line can be used
data import-flights world/routes.dat world/airports.dat => give airports.dat of OpenFlights
{fly} --from Abber --to Aber => there are no flights of a city called Abber (did you mean Aber?)
{fly} --from Lone --to Aber => there are no flights of a city called Lone
{fly} --from Aber,Norland --to Aber => Aber,Norland (did you mean Aber?)
{fly} --from new-york --to aber --cities 2 => new-york is not among the 2 busiest cities; raise --cities
{fly} --from Aber => --from and --to go together
{fly} --to Aber => --from and --to go together
{fly} --count 3 => --count and --seed are for --pairs
{fly} --seed 0 => --count and --seed are for --pairs
{fly} --pairs large --from Aber --to Aber => --pairs draws both ends
{fly} --pairs large --by airport -o x => it does not go with --by airport
{fly} --pairs large => give their folder with --out
{fly} --out x => --out is for a problem
{fly} --pairs large --count 5 -o x => there are 0 pairs of these 1 cities with a route, not 5
{fly} --pairs tiny -o x => 'tiny' is not one of 'large', 'mid-size'
{fly} --from aber --to sao-bourg -o there => cannot write it: Is a directory; choose another --out
{fly} --from aber --to sao-bourg -o there/none/x => cannot write it: No such file or directory
data import-flights {world} --pairs large --count 1 -o empty => empty: cannot write the problems: File exists
data tasks -o t --scene g.json => --scene and --unseen-scene go together
data tasks -o empty --tasks 10 => cannot write the tasks
data tasks -o t --tasks -1 => -1 is not in the range
data tasks -o t --scene g.json --unseen-scene g.json => g.json
data expert -o d --trajectories 2 --pool p => a pool of 200 cannot be drawn from 2
data expert -o d --pack nowhere --workers 1 => no pack is called 'nowhere'
data expert -o d --scene g.json --workers 1 => g.json
data expert -o none/d --trajectories 3 --workers 1 => none/d: cannot write the trajectories: No such file or directory
export-costs household:small-apple => -o FOLDER is needed
export-costs household -o out => one problem
export-costs household:demo household:open-fridge -o out => one problem
export-costs --back none.json plan => none.json: cannot be read
export-costs --back none.json plan -o out => one plan
export-costs household:small-apple -o out --model magic => magic
export-costs household:small-apple -o out --step-cost -1 => --step-cost
obfuscate domain.pddl -o out => at least one problem
obfuscate household:demo => -o FOLDER is needed
obfuscate --back none.json plan => none.json: cannot be read
obfuscate --back map a b => one plan
obfuscate domain.pddl none.pddl -o out => no such file
obfuscate household:demo -o domain.pddl => cannot write the renamed files
train-policy empty => Missing option '-o'
train-policy empty -o p --epochs 0 => epochs must be at least 1
train-policy empty -o p --heads 5 => width must be a multiple of heads
train-policy empty -o p --learning-rate 2 => learning-rate must be in (0, 1]
train-policy empty -o p --seed -1 => seed must be at least 0, not -1
train-policy empty -o p --max-minutes 0 => 0.0 is not in the range x>0
train-policy empty -o p --from gpt2 --layers 3 => --layers is for a model with random weights
solve domain.pddl problem.pddl --method learned-policy => --weights DIR go together
solve domain.pddl problem.pddl --method gbfs --weights p => --weights belongs to learned-policy, not to gbfs
solve domain.pddl problem.pddl --method llm-heuristic => the embedded model writes no programs
solve domain.pddl problem.pddl --method llm-heuristic --model openai:m --training there => there are no problems (*
solve domain.pddl problem.pddl --method gbfs --heuristic leaving.py => leaving.py:1:1: import os is not allowed here
solve domain.pddl problem.pddl --method gbfs --heuristic broken.py => broken.py:1:5: no Python
solve domain.pddl problem.pddl --method gbfs --heuristic tower => tower
write-heuristic domain.pddl problem.pddl -o h.py => the embedded model writes no programs
solve household:small-apple --method llm-model => llm-model cannot solve this task: no task of travelling
validate virtualhome:watch-tv empty --with virtualhome => --with and --graph go together
validate virtualhome:watch-tv empty --graph graph.json => --with and --graph go together
"""
ROWS = rows(LINES)
READERS = ["data import-virtualhome damaged --goal x", "data import-flights damaged damaged --from a --to b"]


@pytest.mark.parametrize(("line", "message"), ROWS, ids=[" ".join(row) for row in ROWS])
def test_command_line(line: str, message: str, here: Path, cplan: Run, request: pytest.FixtureRequest) -> None:
    if any(name in line for name in ("picky", "needy", "owm")):
        request.getfixturevalue("own_methods")
    for name, text in FILES.items():
        (here / name).write_text(text)
    for name, write in (("world", write_world), ("airports", write_openflights)):
        (here / name).mkdir()
        write(here / name)
    for word, meant in WORDS.items():
        line = line.replace(word, meant)
    refuses(line, message, here, cplan)


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("reader", READERS)
def test_a_damaged_file(reader: str, damage: str, here: Path, cplan: Run) -> None:
    (here / "damaged").write_bytes(DAMAGE[damage])
    refuses(reader, "damaged", here, cplan)
