# SPDX-License-Identifier: Apache-2.0
"""Measures one cold start of a Remora host, from the cache. Usage: cold_remora.py STORAGE_DIR SERVER KEY."""

import sys

import remora

client = remora.Client(sys.argv[1], server=sys.argv[2])
settings = client.collection("settings", trust="off")
if settings[sys.argv[3]]["v"] is not True:
    sys.exit("not the value")
