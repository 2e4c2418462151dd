# SPDX-License-Identifier: Apache-2.0
#
# Storage directories of another version of the library: stored before an upgrade, and used again after a downgrade.
