"""How bearer texts are kept: as digests, so that a copy of the store opens nothing."""

from __future__ import annotations

from hashlib import sha256


def digest_of(text: str) -> str:
    """SHA-256 in hexadecimal. Fit for texts of 256 random bits, not for passwords."""
    return sha256(text.encode("utf-8", errors="replace")).hexdigest()
