"""The settings are those of the core's tests; a star would leave the fixtures out, whose names begin with ``_``."""

from tests.conftest import _no_certificates, _no_settings, pytest_configure

__all__ = ["_no_certificates", "_no_settings", "pytest_configure"]
