"""torch and transformers, imported when they are needed."""

from __future__ import annotations

import os
from types import ModuleType

from commonsense_planning.errors import MissingError


def torch_library() -> ModuleType:
    """torch. Raises MissingError if the extra ``train`` is not installed."""
    # Threads that wait by spinning take the cores from one another where other processes run, too. OpenMP reads this
    # once, when it is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        import torch
    except ImportError as error:
        raise _missing("training a network needs torch", error) from error
    library: ModuleType = torch
    return library


def libraries() -> tuple[ModuleType, ModuleType]:
    """torch and transformers. Raises MissingError if the extra ``train`` is not installed."""
    torch = torch_library()
    try:
        import transformers
    except ImportError as error:
        raise _missing("a learned policy needs torch and transformers", error) from error
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    return torch, transformers


def _missing(what: str, error: ImportError) -> MissingError:
    return MissingError(f"{what} ({error}): pip install 'commonsense-planning[train]'")
