/* SPDX-License-Identifier: Apache-2.0 */

/* Only for builds with ThreadSanitizer: what it must know or must not report, so that each report is a data race. */
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define REMORA_HAS_THREAD_SANITIZER 1
#endif
#endif

/* For the library, which scripts/check-abi-sanitized builds. The Swift compiler reports an assignment to a subscript of
   a value that cannot be copied, such as `state[locked].isOver = true`, as a change of the constant `state` itself. The
   definition below, which only the library sees, drops these reports. Each load and store of the value's memory is
   checked all the same. */
#ifdef __SANITIZE_THREAD__
void __tsan_external_write(void *address, void *caller, void *tag);

__attribute__((visibility("hidden"))) void __tsan_external_write(void *address, void *caller, void *tag) {
  (void)address;
  (void)caller;
  (void)tag;
}
#endif

/* swift_once initialises global variables when they are first read. It synchronises the threads by code that was built
   without ThreadSanitizer, which therefore does not see that the initialisation precedes the later reads. Programs that
   are linked with --wrap=swift_once call this one. */
#ifdef REMORA_HAS_THREAD_SANITIZER
void __tsan_acquire(void *address);
void __tsan_release(void *address);
__attribute__((weak)) void __real_swift_once(void *predicate, void (*run)(void *), void *context);
__attribute__((visibility("hidden"))) void __wrap_swift_once(void *predicate, void (*run)(void *), void *context);

struct initialization {
  void *predicate;
  void (*run)(void *);
  void *context;
};

static void run_and_release(void *argument) {
  const struct initialization *initialization = argument;
  initialization->run(initialization->context);
  __tsan_release(initialization->predicate);
}

void __wrap_swift_once(void *predicate, void (*run)(void *), void *context) {
  struct initialization initialization = {predicate, run, context};
  __real_swift_once(predicate, run_and_release, &initialization);
  __tsan_acquire(predicate);
}
#else
typedef int remora_has_no_thread_sanitizer;
#endif
