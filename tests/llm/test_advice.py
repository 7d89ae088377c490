"""What a user is told to do about an endpoint."""

import pytest

from commonsense_planning.llm.advice import advice


@pytest.mark.parametrize(("reason", "said"), [
    ("HTTP 307: it redirects to https://b.org/v1/chat/completions?x=1, where nothing is sent", "--base-url https://b.org/v1."),
    ("HTTP 308: it redirects to /api/v1/responses, where nothing is sent", "--base-url https://a.org/api/v1."),
    ("HTTP 302: it redirects to https://login.org/, where nothing is sent", "Look at --model, --base-url and KEY."),
    ("no connection: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed", "SSL_CERT_FILE=FILE"),
    ("no connection: [SSL: WRONG_VERSION_NUMBER] wrong version number", "http://"),
    ("no connection: All connection attempts failed", "whether the server runs"),
    ("no whole answer within 300 s (--call-timeout)", "--call-timeout SECONDS"),
    ("HTTP 429: You exceeded your current quota", "credit"),
    ("HTTP 429: Rate limit reached (it asks to wait for 7200 s, 2.0 hours)", "Wait, and try again"),
    ("HTTP 400: This model's maximum context length is 512 tokens", "larger than the model's context"),
    ("HTTP 403: a web page, Just a moment...", "Cloudflare is in front of it"),
    ("HTTP 524: a web page, x.com | 524: A timeout occurred", "Cloudflare is in front of it"),
    ("HTTP 401: Incorrect API key", "Look at KEY, and"),
    ("HTTP 503: The model is overloaded", "Try again later"),
    ("HTTP 404: no such model", "Look at --model, --base-url and KEY."),
])  # fmt: skip
def test_advice_fits_the_error(reason: str, said: str) -> None:
    assert said in advice(reason, "https://a.org/v1/", "KEY")
