/* SPDX-License-Identifier: Apache-2.0 */

/* A symbol that the library of the wheel defines for itself, hidden from the program that loads it. jansson's archive
   is not compiled for shared libraries: json_loadf refers to stdin directly, to compare its argument with it. Nothing in
   the library calls json_loadf. */
extern void *unused_stdin __asm__("stdin");
__attribute__((visibility("hidden"))) void *unused_stdin;
