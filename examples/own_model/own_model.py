"""A model of one's own as a plug-in: it answers from a text file of rules, ``words in the question: answer``.

    pip install examples/own_model
    cplan solve domain.pddl problem.pddl --method llm-replan --model rules:examples/own_model/apple.txt

An endpoint gets messages and gives texts; it knows nothing of planning. A real one would call its API in ``complete``.
"""

from __future__ import annotations

from pathlib import Path

from commonsense_planning import Adapter, ChatRequest, Completion, Endpoint, InputError, LanguageModel, ModelContext


class Rules(Endpoint):
    """Answers with the first rule whose words are in the question."""

    def __init__(self, path: Path) -> None:
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise InputError(f"{path}: cannot read the rules: {error.strerror}") from error
        self.rules = [(words.strip(), text.strip()) for words, _, text in (line.partition(":") for line in lines)]

    async def complete(self, request: ChatRequest) -> Completion:
        question = request.messages[-1]["content"]
        text = next((text for words, text in self.rules if words in question), "")
        if not text:
            return Completion((), trouble="there is no rule for it")
        return Completion((text,) * request.parameters["n"])


def open_rules(context: ModelContext) -> LanguageModel:
    """The model that puts its questions to the rules of a file."""
    return context.chat(lambda: Rules(Path(context.which)))


RULES = Adapter(
    forms=("rules:FILE",),
    summary="answers from a text file of rules",
    open=open_rules,
    costs=False,
    prior_samples=1,
    parallel=1,
    kind="a file of rules",
)
