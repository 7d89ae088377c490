"""Names of cities without accents and punctuation, to compare them and to make ids of them."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# letters that Unicode does not take apart into a plain one and an accent
_PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th"}
)


@lru_cache(maxsize=50_000)  # the same few thousand cities again and again
def bare(name: str) -> str:
    """The name in lower case, plain letters and digits in words with one space between: "São Paulo" is "sao paulo",
    "Tel-Aviv" is "tel aviv", "Sana'a" and "Sanaa" are the same; empty if there is no Latin letter or digit in it."""
    parts = unicodedata.normalize("NFKD", name.lower().translate(_PLAIN))
    plain = "".join(c for c in parts if not unicodedata.combining(c))
    return " ".join(re.findall(r"[a-z0-9]+", re.sub(r"['’`.]", "", plain)))
