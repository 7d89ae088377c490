"""torch and transformers, imported when they are needed."""

from __future__ import annotations

from types import ModuleType

from commonsense_planning.errors import MissingError


def libraries() -> tuple[ModuleType, ModuleType]:
    """torch and transformers. Raises MissingError if the extra ``train`` is not installed."""
    try:
        import torch
        import transformers
    except ImportError as error:
        raise MissingError(
            f"a learned policy needs torch and transformers ({error}): pip install 'commonsense-planning[train]'"
        ) from error
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    return torch, transformers
