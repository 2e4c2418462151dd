# SPDX-License-Identifier: Apache-2.0
#
# The signer that Kinto loads: kinto_signer's local ECDSA signer, which leaves x5u empty,
# with the URL of the chain filled in from the setting kinto.signer.x5u.
"""A Kinto signer whose signatures say where their chain is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kinto_signer.signer.local_ecdsa import ECDSASigner
from kinto_signer.utils import get_first_matching_setting


class X5uSigner(ECDSASigner):  # type: ignore[misc]
    """Adds the URL of the chain to each signature."""

    def __init__(self, private_key: str, x5u: str) -> None:
        super().__init__(private_key=private_key)
        self._x5u = x5u

    def sign(self, payload: str | bytes) -> dict[str, str]:
        """Signs as the base class does."""
        bundle: dict[str, str] = super().sign(payload)
        return {**bundle, "x5u": self._x5u}


def load_from_settings(settings: Mapping[str, str], prefix: str = "", *, prefixes: Sequence[str]) -> X5uSigner:
    """Kinto's entry point of a signer module."""
    del prefix
    return X5uSigner(
        private_key=get_first_matching_setting("ecdsa.private_key", settings, prefixes),
        x5u=get_first_matching_setting("x5u", settings, prefixes),
    )
