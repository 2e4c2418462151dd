# SPDX-License-Identifier: Apache-2.0
"""A soak: a server with faults, and programs that use one storage directory for hours."""
