# SPDX-License-Identifier: Apache-2.0
#
# The examples of every language, run as their users would: they tell the same story in the
# same words.
