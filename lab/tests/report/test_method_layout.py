"""The tables of the rearrangement experiment, and that their published numbers are those of the paper."""

import pytest

from commonsense_lab.report.method_layout import Published, spoken_by
from commonsense_lab.studies.rearrangement.experiment import STUDY, layout
from commonsense_planning.methods.registry import METHODS
from commonsense_planning.support.statistics import Mean

SUITE = layout()
LINES = [line for table in SUITE.tables.values() for line in table.lines]
PUBLISHED = {line.published.name: line.published for line in LINES if line.published is not None}


def weighted(method: Published, home: str) -> tuple[float, float]:
    """First number once, second twice and so on, added up; so too for the errors."""
    numbers = [method.rates[home, setting] for setting in SUITE.tables["1"].columns]
    means = sum(place * number.value for place, number in enumerate(numbers, 1))
    errors = sum(place * (number.error or 0.0) for place, number in enumerate(numbers, 1))
    return round(means, 1), round(errors, 1)


@pytest.mark.parametrize(("name", "seen", "unseen"), [
    ("UCT", (0.0, 0.0), (0.0, 0.0)),
    ("finetuned GPT2 policy", (458.0, 55.8), (302.2, 53.1)),
    ("GPT3.5 Policy", (620.1, 79.6), (614.8, 50.2)),
    ("GPT3.5-MCTS", (956.5, 71.7), (940.2, 66.9)),
    ("GPT3.5-MCTS (No Heuristic Policy)", (0.0, 0.0), (0.0, 0.0)),
    ("GPT3.5-MCTS (Uniform State Prior)", (6.5, 2.3), (1.1, 0.2)),
    ("GPT3.5-MCTS (Fully Observable)", (1022.3, 53.9), (982.6, 48.2)),
])  # fmt: skip
def test_success_rates_are_the_papers(name: str, seen: tuple[float, float], unseen: tuple[float, float]) -> None:
    assert (weighted(PUBLISHED[name], "seen"), weighted(PUBLISHED[name], "unseen")) == (seen, unseen)


def test_seconds_per_decision_are_the_papers() -> None:
    seconds = {name: method.seconds for name, method in PUBLISHED.items() if method.seconds is not None}
    assert seconds == {
        "GPT3.5-MCTS": Mean(67.83, 18.92),
        "GPT3.5 Policy": Mean(1.19, 0.81),
        "UCT": Mean(120.0, 0.0),
        "finetuned GPT2 policy": Mean(0.33, 0.07),
    }


def test_each_line_has_one_variant_and_one_colour() -> None:
    colours: dict[str, int] = {}
    for table in SUITE.tables.values():
        assert len({line.variant for line in table.lines}) == len(table.lines)
        if table.columns == SUITE.tables["1"].columns:
            assert len({line.colour for line in table.lines}) == len(table.lines)
            for line in table.lines:
                assert colours.setdefault(line.variant, line.colour) == line.colour
        if table.share is not None:
            assert {table.share.variant, table.share.of} <= {line.variant for line in table.lines}
    assert set(colours) == set(SUITE.variants)


def test_all_rows_of_an_ablation_have_one_search() -> None:
    shared = ("rollout", "choose", "parallel", "simulations")
    for name in ("2", "2-ours"):
        variants = [SUITE.variants[line.variant] for line in SUITE.tables[name].lines]
        assert len({tuple(variant.get(setting) for setting in shared) for variant in variants}) == 1


def test_a_label_names_the_model() -> None:
    assert spoken_by("{model}-MCTS", "embedded") == "embedded-MCTS"
    assert spoken_by("{model} policy", "openai:gpt-4o-mini") == "gpt-4o-mini policy"
    for table in SUITE.spoken_by("embedded").tables.values():
        labels = [line.label for line in table.lines] + ([table.share.label] if table.share is not None else [])
        assert not any("LLM" in label or "{" in label for label in labels)


def test_settings_of_variants_are_options_of_their_methods() -> None:
    for settings in SUITE.variants.values():
        own = {name: value for name, value in settings.items() if name not in STUDY.of_study}
        METHODS[settings["method"]].Options.of(own)
