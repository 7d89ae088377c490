"""``--model local``: opens the language model on this machine. Its server's module is imported lazily."""

from __future__ import annotations

from commonsense_planning.config import AskBy
from commonsense_planning.errors import UsageError
from commonsense_planning.llm.adapters import Adapter, ModelContext
from commonsense_planning.llm.model import LanguageModel


def _local(context: ModelContext) -> LanguageModel:
    from commonsense_lab.llm.local_model import LocalEndpoint, speaker_of, weights_of

    if context.config.base_url:
        raise UsageError("the local model brings its server: --base-url is for --model openai:NAME")
    return context.chat(lambda: LocalEndpoint(weights_of(context.which), context.config), speaker_of(context.which))


LOCAL = Adapter(
    ("local", "local:FILE.gguf"),
    "a language model on this machine: SmolLM2-135M, or another in a GGUF file",
    _local,
    costs=False,
    parallel=1,
    seeded=True,
    weighs=True,
    suits=(AskBy.SCORE, AskBy.SCHEMA, AskBy.SAMPLES),  # a small model knows little of percentages
    kind="a language model",
    where="on this machine",
)
