# SPDX-License-Identifier: Apache-2.0
#
# The built library, seen through its Python binding, against real servers on loopback: Kinto
# for what must work, the scriptable /v2 server for what must not do harm.
from Hosts.environment import prepare

prepare()
