# SPDX-License-Identifier: Apache-2.0
"""What holds for all tests in Python."""

from __future__ import annotations

from Servers.signals import set_default_signals_of_children

set_default_signals_of_children()
