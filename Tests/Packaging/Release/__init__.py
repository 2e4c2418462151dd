# SPDX-License-Identifier: Apache-2.0
"""Tests of what a release needs: licences, versions, workflows, and the Debian source package."""
