"""What to do about an endpoint that cannot be used, by its last error."""

from __future__ import annotations

import re
from urllib.parse import urljoin

from commonsense_planning.llm.transport import CALLS

_REDIRECT = re.compile(r"it redirects to (\S+), where")
_ADVICE = [  # what an error's message holds → what to do, the first that fits
    (r"wrong.version.number|record layer failure", "It speaks no TLS: begin --base-url with http://."),
    (r"\bcertificate|\bSSL\b", "Name the certificate that it is signed with, a file in PEM: SSL_CERT_FILE=FILE."),
    (r"\bHTTP 402\b|balance|\bcredits?\b|\bquota\b|\bbilling\b", "Look at the credit and the limits of the account."),
    (r"context (length|window|size)|n_ctx|(prompt|input) is too (long|large)|too many tokens",
     "A question is larger than the model's context: start the server with a larger one, or take another --model."),
    (r"asks to wait|\bHTTP 429\b|rate.?limit", "Wait, and try again: with --record FILE no answer is asked for twice."),
    (r"cloudflare|just a moment|attention required|\bHTTP 52\d\b|error code: 1\d{3}\b",
     "Cloudflare is in front of it. If it blocks you, use the API's own URL, or another network; else wait."),
    (r"no whole answer within", "Give it more time: --call-timeout SECONDS."),
    (r"no connection", "Look at --base-url, and whether the server runs."),
    (r"\bHTTP 40[13]\b|api.key|unauthorized", "Look at {key}, and at what it allows."),
    (r"loading|overloaded|\bHTTP 50[234]\b", "Try again later."),
]  # fmt: skip


def advice(reason: str, url: str, key: str) -> str:
    """Returns what to do about an error, in a sentence or two. ``reason``: its message; ``url``: the base URL; ``key``:
    the environment variable of the key."""
    redirect = _REDIRECT.search(reason)
    if redirect is not None:
        target = urljoin(url, redirect[1]).partition("?")[0]
        if CALLS.search(target):
            return f"Use that URL: --base-url {CALLS.sub('', target)}."
    found = (words for pattern, words in _ADVICE if re.search(pattern, reason, re.IGNORECASE))
    return next(found, "Look at --model, --base-url and {key}.").format(key=key)
