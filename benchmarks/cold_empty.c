/* SPDX-License-Identifier: Apache-2.0
 *
 * A process that does nothing: the lower limit of a cold start.
 */
int main(void) { return 0; }
