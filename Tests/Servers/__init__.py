# SPDX-License-Identifier: Apache-2.0
#
# Servers for tests and the demo: a real Remote Settings server (Kinto, /v1), and a
# small one of our own (/v2) that signs, counts requests and misbehaves on demand.
