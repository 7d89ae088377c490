"""Problems of apartments can be read by people."""

from commonsense_lab.studies.homes.household import Placing, class_goal, render_problem
from lab.benchmarks.performance.homes import random_home


def test_long_texts_are_broken_between_atoms() -> None:
    home = random_home(150, 20, 20)
    goal = class_goal(Placing.INSIDE, "apple", ["fridge_1"], 3)
    lines = render_problem(home, "p", goal, "word " * 60).splitlines()
    assert max(map(len, lines)) <= 110
    assert all(line.count("(") == line.count(")") for line in lines if line.startswith("    (located"))
