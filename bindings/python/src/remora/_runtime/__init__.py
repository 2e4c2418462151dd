# SPDX-License-Identifier: Apache-2.0
"""The private base of the public modules: arguments, lifetimes, callbacks and threads."""
