# SPDX-License-Identifier: Apache-2.0
#
# The documents, held to what they say: their programs compile and run, their lists are the header's, their links lead
# somewhere.
