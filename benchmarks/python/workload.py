# SPDX-License-Identifier: Apache-2.0
"""The same settings for every contender: keys of about 30 bytes, their booleans, the order in which
they are read, and the documents that contain them."""

from __future__ import annotations

import json
import random
from importlib.util import find_spec
from pathlib import Path

import peers

COUNT = 10_000
TIMESTAMP = 1_700_000_000_000

SETTINGS = {f"feature.section{number % 97:03}.setting{number:05}": number % 3 == 0 for number in range(COUNT)}
KEYS = list(SETTINGS)
READS = random.Random(1).sample(KEYS, COUNT)


def records() -> list[dict[str, object]]:
    """Returns the settings as records of a collection."""
    return [{"id": key, "last_modified": TIMESTAMP, "v": value} for key, value in SETTINGS.items()]


def packaged() -> bytes:
    """Returns the settings as packaged data of Remora."""
    return json.dumps({"data": records(), "timestamp": TIMESTAMP}).encode()


def changeset() -> bytes:
    """Returns the settings as a response of a Remote Settings server."""
    return json.dumps({"metadata": {}, "timestamp": TIMESTAMP, "changes": records()}).encode()


def flat() -> bytes:
    """Returns the settings as a flat dictionary."""
    return json.dumps(SETTINGS).encode()


def configcat() -> bytes:
    """Returns the settings as ConfigCat's local file."""
    return json.dumps({"flags": SETTINGS}).encode()


def eppo() -> bytes:
    """Returns the settings as Eppo's configuration: flags with one value for all users, without a log."""
    variations = {"on": {"key": "on", "value": True}, "off": {"key": "off", "value": False}}
    flags = {
        key: {
            "key": key,
            "enabled": True,
            "variationType": "BOOLEAN",
            "totalShards": 10_000,
            "variations": variations,
            "allocations": [
                {
                    "key": "all",
                    "rules": [],
                    "doLog": False,
                    "splits": [{"variationKey": "on" if value else "off", "shards": []}],
                }
            ],
        }
        for key, value in SETTINGS.items()
    }
    head = {"createdAt": "2026-01-01T00:00:00.000Z", "format": "SERVER", "environment": {"name": "bench"}}
    return json.dumps({**head, "flags": flags}).encode()


def statsig() -> bytes:
    """Returns the settings as Statsig's specifications: gates with one rule for all users."""
    rule = {
        "name": "all",
        "id": "all",
        "groupName": "all",
        "salt": "rule",
        "conditions": ["all"],
        "returnValue": True,
        "idType": "userID",
    }
    gates = {
        key: {
            "name": key,
            "type": "feature_gate",
            "salt": "gate",
            "enabled": True,
            "defaultValue": False,
            "entity": "feature_gate",
            "idType": "userID",
            "rules": [{**rule, "passPercentage": 100 if value else 0}],
        }
        for key, value in SETTINGS.items()
    }
    condition = {
        "type": "public",
        "targetValue": None,
        "operator": None,
        "field": None,
        "additionalValues": {},
        "idType": "userID",
    }
    empty: dict[str, object] = {}
    rest = {"dynamic_configs": empty, "layer_configs": empty, "param_stores": empty, "experiment_to_layer": empty}
    head = {"has_updates": True, "time": 1, "condition_map": {"all": condition}}
    return json.dumps({**head, **rest, "feature_gates": gates}).encode()


def yggdrasil() -> bytes:
    """Returns the settings as the features of an Unleash server."""
    features = [{"name": key, "type": "release", "enabled": value, "strategies": []} for key, value in SETTINGS.items()]
    return json.dumps({"version": 2, "features": features}).encode()


def flipt() -> bytes:
    """Returns the settings as a snapshot of Flipt."""
    flags = {
        key: {"key": key, "enabled": value, "type": "BOOLEAN_FLAG_TYPE", "description": ""}
        for key, value in SETTINGS.items()
    }
    rollouts: dict[str, list[object]] = {key: [] for key in SETTINGS}
    rules: dict[str, object] = {}
    namespace = {
        "key": "default",
        "flags": flags,
        "eval_rules": rules,
        "eval_rollouts": rollouts,
        "eval_distributions": rules,
    }
    return json.dumps({"version": 1, "namespace": namespace}).encode()


def launchdarkly() -> bytes:
    """Returns the settings as LaunchDarkly's local file."""
    return json.dumps({"flagValues": SETTINGS}).encode()


DOCUMENTS = {
    "eppo": eppo,
    "configcat": configcat,
    "statsig": statsig,
    "yggdrasil": yggdrasil,
    "flipt": flipt,
    "launchdarkly": launchdarkly,
}
"""The document of each library of `peers`."""


def write_documents(folder: Path) -> dict[str, Path]:
    """Writes the document of each library that is installed. Returns the paths."""
    written = {name: folder / f"{name}.json" for name in DOCUMENTS if find_spec(peers.MODULES[name])}
    for name, path in written.items():
        path.write_bytes(DOCUMENTS[name]())
    return written
