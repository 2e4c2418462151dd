// SPDX-License-Identifier: Apache-2.0
//
// A statically linked Swift process that does nothing: what Remora at 1,000 settings is
// measured against.
