"""Those who look on while a method works. They change nothing: neither what is decided nor what is drawn; but for those
of an experiment who answer in the model's place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commonsense_planning.llm.model import LanguageModel
    from commonsense_planning.pomdp.belief import Belief
    from commonsense_planning.pomdp.relevance import Relevance
    from commonsense_planning.search.pomdp.agents import EpisodeAgent
    from commonsense_planning.wording.verbalise import Verbaliser


class Observer:
    """Is shown what a run goes by, and may put itself in between to see what goes on; this one sees nothing."""

    def listen(self, model: LanguageModel) -> LanguageModel:
        """The model to ask in place of ``model``, which is that of the run."""
        return model

    def watch(self, agent: EpisodeAgent, say: Verbaliser, belief: Belief, relevance: Relevance) -> EpisodeAgent:
        """The agent to follow in place of ``agent``, before it has decided anything. ``belief``: its own, which goes
        along; ``relevance`` says which of the hidden facts can change the plan."""
        return agent

    def completed(self, event: dict[str, Any]) -> dict[str, Any]:
        """An event of the trace with what is observed beside it."""
        return event
