"""Imports that fail for a while."""

from __future__ import annotations

import sys

import pytest

from commonsense_planning.kernels.absence import absent


def test_what_is_absent_comes_back() -> None:
    here, there = "json", "wave"
    sys.modules.pop(there, None)
    with pytest.raises(ZeroDivisionError), absent(here, there):
        __import__(here)  # loaded before, so it stays
        with pytest.raises(ImportError):
            __import__(there)
        raise ZeroDivisionError
    assert __import__(there).__name__ == there
