# SPDX-License-Identifier: Apache-2.0
"""Names the platform of the wheel, which has a library inside: scripts/make-wheel sets REMORA_WHEEL_PLATFORM.

Everything else about the package is in pyproject.toml.
"""

from __future__ import annotations

import os

from setuptools import setup
from setuptools.dist import Distribution
from wheel.bdist_wheel import bdist_wheel


class WheelWithLibrary(bdist_wheel):
    """The package loads its library with ctypes, so one wheel serves every version of Python 3."""

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", os.environ["REMORA_WHEEL_PLATFORM"]


class DistributionWithLibrary(Distribution):
    """Installed where packages with binaries belong."""

    def has_ext_modules(self) -> bool:
        return True


setup(cmdclass={"bdist_wheel": WheelWithLibrary}, distclass=DistributionWithLibrary)
