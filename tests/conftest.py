"""Settings for all tests: Hypothesis draws the same examples every time (more with ``--hypothesis-profile nightly``),
no one reads certificates, programs that tests start can be interrupted, and what a developer has set for cplan is not
heard."""

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from commonsense_planning.support.guard import MARK
from tests.data import VARIABLE, hide_data

settings.register_profile(
    "reproducible", derandomize=True, deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("nightly", settings.get_profile("reproducible"), max_examples=400)
settings.load_profile("reproducible")


def pytest_configure(config: pytest.Config) -> None:
    """The default run is the same wherever the checkout lies, with data next to it or without."""
    if "not data" in config.option.markexpr:
        hide_data()


signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has what runs in its background ignore it


@pytest.fixture(scope="session", autouse=True)
def _no_certificates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Have clients look for certificates in an empty folder: the tests' servers want none, and reading those that the
    system has takes longer than most tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SSL_CERT_FILE", raising=False)
        patch.setenv("SSL_CERT_DIR", str(tmp_path_factory.mktemp("certificates")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_settings() -> Iterator[None]:
    """Neither a ``cplan.toml`` nor a variable ``CPLAN_…`` of the developer's changes what commands do."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("CPLAN_") and name not in (MARK, VARIABLE)]:
            patch.delenv(name)
        patch.setenv("CPLAN_CONFIG", "")
        yield
