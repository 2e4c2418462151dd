// SPDX-License-Identifier: Apache-2.0
//
// A statically linked Swift process that does nothing: the limit for Remora with
// 1,000 settings.
