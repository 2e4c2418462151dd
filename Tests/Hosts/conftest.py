# SPDX-License-Identifier: Apache-2.0
#
# The hosts' tests use the package themselves.
"""What comes before the hosts' tests."""

from __future__ import annotations

from Hosts.environment import prepare

prepare()
