# SPDX-License-Identifier: Apache-2.0
#
# The bindings' declarations, held against remora.h as the compiler reads it.
