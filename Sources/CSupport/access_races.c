/* SPDX-License-Identifier: Apache-2.0 */

/* Only for the library under ThreadSanitizer (scripts/check-abi-sanitized): the Swift compiler reports an assignment to
   a subscript of a value that cannot be copied, such as `state[locked].isOver = true`, as a change of the constant
   `state` itself. This definition, which only the library sees, drops these reports. Each load and store of the value's
   memory is checked all the same. */
#ifdef __SANITIZE_THREAD__
void __tsan_external_write(void *address, void *caller, void *tag);

__attribute__((visibility("hidden"))) void __tsan_external_write(void *address, void *caller, void *tag) {
  (void)address;
  (void)caller;
  (void)tag;
}
#else
typedef int remora_access_races_are_reported;
#endif
