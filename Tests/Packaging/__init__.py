# SPDX-License-Identifier: Apache-2.0
#
# Remora as others build, install and include it: every command and CMake block of docs/installing.md.
