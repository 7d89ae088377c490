"""Settings for all tests: Hypothesis draws the same examples every time, nobody reads certificates, and programs that
tests start can be interrupted."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "reproducible",
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("reproducible")

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has what runs in its background ignore it


@pytest.fixture(scope="session", autouse=True)
def _no_certificates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Have clients look for certificates in an empty folder: the tests' servers want none, and reading all that the
    system has takes longer than most tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SSL_CERT_FILE", raising=False)
        patch.setenv("SSL_CERT_DIR", str(tmp_path_factory.mktemp("certificates")))
        yield
