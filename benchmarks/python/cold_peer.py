# SPDX-License-Identifier: Apache-2.0
"""Measures one cold start of a host of another library, from its local document. Usage: cold_peer.py NAME FILE KEY."""

import sys
from pathlib import Path

from peers import CLOSES, READS, open_peer

name, file, key = sys.argv[1:]
variables = open_peer(name, Path(file))
if eval(READS[name], {**variables, "key": key}) is not True:
    sys.exit("not the value")
if name in CLOSES:
    eval(CLOSES[name], variables)
