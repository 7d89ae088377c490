"""Whatever a model answers, it chooses among what can be done: lab/docs/reliability.md has the argument."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings

from commonsense_planning.wording.questions import Question
from tests.hostile import ASKING, scripts, try_answers


@pytest.mark.parametrize("name", ASKING)
@settings(max_examples=3)
@given(script=scripts())
def test_it_chooses_among_what_can_be_done(name: str, script: Callable[[Question], list[str]]) -> None:
    assert try_answers(name, script), "it asked nothing"
