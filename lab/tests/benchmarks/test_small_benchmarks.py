"""Small benchmarks: an endpoint, the page of the large models, the guesses of the embedded model's table."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from commonsense_lab.studies.store.products import Half
from commonsense_planning.embedded.answers import TABLE, CommonsenseTable
from commonsense_planning.errors import Status
from commonsense_planning.matching.matcher import Matcher, Similarities
from lab.benchmarks import placement_priors
from lab.benchmarks.endpoint import KnowingServer, ServedModels, planned_advice, run, tasks
from lab.benchmarks.large_model import PAGE, page, rearrangement
from lab.benchmarks.placements import first_guesses, plausible_mass
from tests.data import shared_data


@pytest.mark.parametrize("method", ["llm-replan", "llm-mcts"])
def test_a_task_is_solved(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    (task,) = tasks(1)
    with KnowingServer(0.0) as server, planned_advice(), ServedModels(server, 4) as models:
        solution, _ = run(models, task, method, 0)
    assert solution.status == Status.SOLVED
    assert models.usage.calls == models.usage.questions > 0 == models.usage.failures


def test_the_page_is_what_the_rows_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_differences_of_steps_are_those_of_the_means_beside_them() -> None:
    """Over the same tasks, misses among them; where a method has fewer tasks, the other's mean there is told."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in rearrangement().splitlines()[2:]]
    dated: dict[str, float] = {}
    for method, prompts, n, _, _, steps, _, _, _ in reversed(cells):  # a policy's line is below those compared with it
        if method == "`llm-policy`" and n == "50":
            dated[prompts] = float(steps)
    for _, prompts, n, _, _, steps, less, _, _ in cells:
        if less != "–":
            base = dated.get(prompts, dated["cplan's, 26 Nov"]) if n == "50" else float(less.split("; ")[1].split()[0])
            assert float(steps) - base == pytest.approx(float(less.split()[0]), abs=0.1001)


@pytest.mark.data
def test_guesses_beat_uniform_ones_on_the_placements_of_virtualhome() -> None:
    figure = plausible_mass(CommonsenseTable.read(TABLE).weights, shared_data("virtualhome") / "placements.json")
    assert figure.count == 84
    assert figure.uniform < 0.3
    assert figure.found >= 0.73


@pytest.mark.data
@pytest.mark.parametrize(
    ("strict", "walls", "least"), [(True, True, 0.44), (True, False, 0.47), (False, True, 0.49), (False, False, 0.47)]
)
def test_first_guesses_are_often_true_in_the_apartments_of_virtualhome(strict: bool, walls: bool, least: float) -> None:
    folder = shared_data("virtualhome")
    figure = first_guesses(CommonsenseTable.read(TABLE), folder, strict=strict, walls=walls)
    assert figure.uniform < 0.05
    assert figure.found >= least


class Alike(Matcher):
    """Cosine 0.4 for texts with a common word, else 0."""

    name, least = "alike", 0.5

    def similarities(self, text: str, options: Sequence[str]) -> Similarities:
        return np.array([0.4 * bool({*text.split()} & {*option.split()}) for option in options])


def test_priors_are_judged_on_the_half_of_a_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The temperature is low where similarity is always right, high where it never is."""
    table = tmp_path / "products.tsv"
    rows = ["department\tsection\titem", "Pets\tbirds\tfood of birds", "Pets\tcats\tfood of cats", "Toys\tdolls\tballs"]
    table.write_text("\n".join(rows), encoding="utf-8")
    asked = placement_priors.store_questions(table, Half.TRAIN)
    assert [(q.thing, q.places[truth]) for q, truth in asked] == [
        ("food of birds", "in birds"),
        ("food of cats", "in cats"),
    ]
    scores = placement_priors.losses(asked, placement_priors.uniform)
    assert scores == [(-math.log(0.5), 0.5)] * 2
    assert placement_priors.losses(asked, placement_priors.of_model("embedded")) == scores
    monkeypatch.setattr(placement_priors, "kept_matcher", lambda which: Alike())
    wrong = [placement_priors.Asked(question, 1 - truth) for question, truth in asked]
    least, *_, most = placement_priors.TEMPERATURES
    assert (placement_priors.fitted(asked), placement_priors.fitted(wrong)) == (least, most)
