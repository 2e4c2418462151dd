# SPDX-License-Identifier: Apache-2.0
#
# The example that declares for itself what it needs: its structures are laid out as in C.
"""Tests of the declarations of examples/python/raw_ctypes.py."""

from __future__ import annotations

import ctypes
import importlib.util

from Bindings.c_header import ROOT
from Bindings.c_layout import Layout
from Bindings.python_ffi import layouts


def test_the_ctypes_structures_of_the_example_have_the_same_layout_as_in_c(c_layouts: dict[str, Layout]) -> None:
    spec = importlib.util.spec_from_file_location("raw_ctypes", ROOT / "examples" / "python" / "raw_ctypes.py")
    assert spec and spec.loader
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    found = {
        "remora_error": example.Error,
        "remora_event": example.Event,
        "remora_config": example.Config,
        "remora_collection_options": example.CollectionOptions,
    }
    declared = [one for one in vars(example).values() if isinstance(one, type) and issubclass(one, ctypes.Structure)]
    assert set(declared) == set(found.values())
    assert layouts(found) == {name: c_layouts[name] for name in found}
