"""A view says of a state what it was made of."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.grounding.ground_task import GroundSensors, GroundTask
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.state import StateView, fact_set, facts_in, make_state, state_of, with_facts
from tests.random_tasks import observed_tasks


@given(observed_tasks(), st.randoms(use_true_random=False))
def test_a_view_is_what_the_state_was_made_of(case: tuple[GroundTask, GroundSensors], random: object) -> None:
    task, sensors = case
    compiled = compile_task(task, sensors)
    rng = np.random.default_rng(random.randrange(2**32))  # type: ignore[attr-defined]
    truth, known = rng.random((2, task.fact_count)) < 0.5
    state = make_state(compiled, truth, known)
    known |= ~sensors.hidden
    view = StateView(compiled, state)
    assert view.truth.tolist() == truth.tolist()
    assert view.knowledge.tolist() == known.tolist()
    facts = np.arange(task.fact_count, dtype=np.int32)
    assert [view.holds(f) for f in facts.tolist()] == view.among(facts).tolist() == truth.tolist()
    assert [view.knows(f) for f in facts.tolist()] == known.tolist()
    assert StateView(compiled, view.visible).truth.tolist() == (truth & known).tolist()
    assert facts_in(view.true).tolist() == np.flatnonzero(truth).tolist()
    again = state_of(compiled, fact_set(compiled, truth), view.known)
    assert again.tolist() == state.tolist()
    assert StateView(compiled, with_facts(state, facts)).truth.all()
    both = StateView(compiled, np.array([state, view.visible]))
    assert both.truth.tolist() == [truth.tolist(), (truth & known).tolist()]
    assert both.knowledge.tolist() == [known.tolist()] * 2
