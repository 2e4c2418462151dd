# SPDX-License-Identifier: Apache-2.0
#
# Hosts of many processes: forked servers, pools, and programs that simply end.
