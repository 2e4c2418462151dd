# SPDX-License-Identifier: Apache-2.0
#
# PyInstaller runs this file when a program imports remora, and reads the two names.
"""PyInstaller's hook for the package remora."""

from remora_pyinstaller import binaries as _binaries
from remora_pyinstaller import modules as _modules

binaries = _binaries()
hiddenimports = _modules()
