# SPDX-License-Identifier: Apache-2.0
"""An OpenFeature provider that reads feature flags from a source of Remora. The guide is docs/openfeature.md."""

from __future__ import annotations

from .provider import RemoraProvider

__all__ = ["RemoraProvider"]
__version__ = "0.1.0"
