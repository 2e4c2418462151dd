#ifndef S_H
#define S_H
#include <stdint.h>
static inline uintptr_t remora_thread_pointer(void) { return (uintptr_t)__builtin_thread_pointer(); }
static inline long x_add(long *p, long v){return __atomic_fetch_add(p,v,__ATOMIC_SEQ_CST);}
#endif
