// Counts what a thread allocates, so that a test can show that it allocates nothing.
// The figures are jemalloc's own, which serves the whole process where it is linked.
#ifndef JETSAM_ALLOCATION_COUNTER_H
#define JETSAM_ALLOCATION_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

// Whether allocations are really counted: not where a sanitizer or another allocator serves malloc.
bool allocation_counter_works(void);
// Bytes that the calling thread has allocated since it began. Only ever grows; allocates nothing after its first call.
uint64_t allocation_counter_thread_bytes(void);

#endif
