"""What pytest runs, once the package is installed: whether the model is as cplan wants it."""

from __future__ import annotations

from pathlib import Path

from commonsense_planning.testing import check_model


def test_it_is_a_model_of_cplan() -> None:
    check_model(f"rules:{Path(__file__).with_name('apple.txt')}")
