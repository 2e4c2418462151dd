# SPDX-License-Identifier: Apache-2.0
"""A process that starts and exits."""
