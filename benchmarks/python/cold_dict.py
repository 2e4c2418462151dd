# SPDX-License-Identifier: Apache-2.0
"""Measures one cold start of a program that keeps its settings in a JSON file. Usage: cold_dict.py FILE KEY."""

import json
import sys

with open(sys.argv[1], "rb") as file:
    settings = json.load(file)
if settings[sys.argv[2]] is not True:
    sys.exit("not the value")
