# SPDX-License-Identifier: Apache-2.0
"""One cold start of a host of ConfigCat, from its local file. Usage: cold_configcat.py FILE KEY."""

import sys
from pathlib import Path

from peers import open_configcat

client = open_configcat(Path(sys.argv[1]))
if client.get_value(sys.argv[2], False) is not True:
    sys.exit("not the value")
client.close()
