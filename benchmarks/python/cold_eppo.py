# SPDX-License-Identifier: Apache-2.0
"""One cold start of a host of Eppo, from a configuration on disk. Usage: cold_eppo.py FILE KEY."""

import sys
from pathlib import Path

from peers import open_eppo

client = open_eppo(Path(sys.argv[1]))
if client.get_boolean_assignment(sys.argv[2], "user", {}, False) is not True:
    sys.exit("not the value")
