# SPDX-License-Identifier: Apache-2.0
"""Faults that `scripts/plant-faults` plants, and the tests of that script and of the options of the simulation."""
