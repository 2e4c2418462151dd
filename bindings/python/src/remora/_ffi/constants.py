# SPDX-License-Identifier: Apache-2.0
#
# Every constant of remora.h. Nothing else in the package writes such a number.
"""Constants."""

from __future__ import annotations

CONSTANTS: dict[str, int | str] = {
    "REMORA_VERSION_MAJOR": 0,
    "REMORA_VERSION_MINOR": 1,
    "REMORA_VERSION_PATCH": 0,
    "REMORA_VERSION": "0.1.0",
    "REMORA_OK": 0,
    "REMORA_ERR_INVALID_ARGUMENT": -1,
    "REMORA_ERR_NOT_FOUND": -2,
    "REMORA_ERR_WRONG_TYPE": -3,
    "REMORA_ERR_TIMEOUT": -4,
    "REMORA_ERR_CANCELLED": -5,
    "REMORA_ERR_CLOSED": -6,
    "REMORA_ERR_BUSY": -7,
    "REMORA_ERR_NETWORK": -20,
    "REMORA_ERR_TLS": -21,
    "REMORA_ERR_HTTP": -22,
    "REMORA_ERR_REDIRECT": -23,
    "REMORA_ERR_TOO_LARGE": -24,
    "REMORA_ERR_UNAVAILABLE": -25,
    "REMORA_ERR_BACKOFF": -30,
    "REMORA_ERR_PARSE": -40,
    "REMORA_ERR_FORMAT": -41,
    "REMORA_ERR_SIGNATURE_MISSING": -50,
    "REMORA_ERR_SIGNATURE_MALFORMED": -51,
    "REMORA_ERR_SIGNATURE_MISMATCH": -52,
    "REMORA_ERR_CHAIN_MALFORMED": -53,
    "REMORA_ERR_CHAIN_INVALID": -54,
    "REMORA_ERR_CERTIFICATE_EXPIRED": -55,
    "REMORA_ERR_CERTIFICATE_SUBJECT": -56,
    "REMORA_ERR_ROOT_MISMATCH": -57,
    "REMORA_ERR_CHAIN_LOCATION": -58,
    "REMORA_ERR_FUTURE": -60,
    "REMORA_ERR_EQUIVOCATION": -61,
    "REMORA_ERR_STORAGE": -70,
    "REMORA_ERR_PERMISSION": -71,
    "REMORA_ERR_CORRUPT": -72,
    "REMORA_ERR_INTERNAL": -90,
    "REMORA_LOG_ERROR": 1,
    "REMORA_LOG_WARNING": 2,
    "REMORA_LOG_INFO": 3,
    "REMORA_LOG_DEBUG": 4,
    "REMORA_CALLBACKS_ON_THREAD": 0,
    "REMORA_CALLBACKS_ON_DISPATCH": 1,
    "REMORA_SERVER_PROD": "prod",
    "REMORA_SERVER_STAGE": "stage",
    "REMORA_SERVER_DEV": "dev",
    "REMORA_STORAGE_MEMORY": ":memory:",
    "REMORA_ORIGIN_NONE": 0,
    "REMORA_ORIGIN_PACKAGED": 2,
    "REMORA_ORIGIN_CACHED": 3,
    "REMORA_ORIGIN_FETCHED": 4,
    "REMORA_OUTCOME_NONE": 0,
    "REMORA_OUTCOME_UPDATED": 1,
    "REMORA_OUTCOME_UNCHANGED": 2,
    "REMORA_OUTCOME_NOT_NEWER": 3,
    "REMORA_OUTCOME_REFUSED": 5,
    "REMORA_OUTCOME_FAILED": 6,
    "REMORA_CAUSE_OPENED": 1,
    "REMORA_CAUSE_REFRESHED": 2,
    "REMORA_CAUSE_ADOPTED": 3,
    "REMORA_CAUSE_RESET": 4,
    "REMORA_CHANGE_CREATED": 1,
    "REMORA_CHANGE_UPDATED": 2,
    "REMORA_CHANGE_DELETED": 3,
    "REMORA_TRUST_REQUIRED": 0,
    "REMORA_TRUST_OFF": 1,
    "REMORA_AWAIT_IF_EMPTY": 1,
    "REMORA_TYPE_NONE": 0,
    "REMORA_TYPE_NULL": 1,
    "REMORA_TYPE_BOOL": 2,
    "REMORA_TYPE_INT": 3,
    "REMORA_TYPE_DOUBLE": 4,
    "REMORA_TYPE_STRING": 5,
    "REMORA_TYPE_ARRAY": 6,
    "REMORA_TYPE_OBJECT": 7,
}


def number(name: str) -> int:
    """The constant of that name, which is a number."""
    value = CONSTANTS[name]
    assert isinstance(value, int)
    return value


def text(name: str) -> str:
    """The constant of that name, which is a string."""
    value = CONSTANTS[name]
    assert isinstance(value, str)
    return value
