# SPDX-License-Identifier: Apache-2.0
#
# The layers of the core: what scripts/check-layers finds.
