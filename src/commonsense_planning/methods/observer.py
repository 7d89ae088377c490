"""Observers of a running method. They change nothing, neither decisions nor random draws, except for those of an
experiment that answer instead of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commonsense_planning.llm.model import LanguageModel
    from commonsense_planning.pomdp.belief import Belief
    from commonsense_planning.pomdp.relevance import Relevance
    from commonsense_planning.search.pomdp.agents import EpisodeAgent
    from commonsense_planning.wording.verbalise import Verbaliser


class Observer:
    """An observer that is shown the parts of a run, and may wrap them to see what they do; this one does nothing."""

    def listen(self, model: LanguageModel) -> LanguageModel:
        """Returns the model to ask instead of ``model``, the run's."""
        return model

    def watch(self, agent: EpisodeAgent, say: Verbaliser, belief: Belief, relevance: Relevance) -> EpisodeAgent:
        """Returns the agent to follow instead of ``agent``, before its first decision. ``belief``: the agent's;
        ``relevance`` determines which hidden facts can change the plan."""
        return agent

    def completed(self, event: dict[str, Any]) -> dict[str, Any]:
        """Returns an event of the trace with additional observations."""
        return event
