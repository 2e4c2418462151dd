# SPDX-License-Identifier: Apache-2.0
"""The machinery of scripts/test."""
