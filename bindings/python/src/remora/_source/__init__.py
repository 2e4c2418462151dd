# SPDX-License-Identifier: Apache-2.0
"""The base classes of sources: reads, and calls in the background. Explanations of reads."""
