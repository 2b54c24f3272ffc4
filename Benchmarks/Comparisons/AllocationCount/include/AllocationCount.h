// Counts the allocations of a whole process, every thread of it. Preloaded, and only where they are to be counted: what
// counts costs time.
#ifndef ALLOCATION_COUNT_H
#define ALLOCATION_COUNT_H

#include <stdint.h>

// Calls of malloc, calloc, realloc and the aligned forms since the process began.
int64_t jetsam_benchmark_allocations(void);

#endif
