// Measures how long the library's locks are held, in a build with JETSAM_MEASURES_LOCK_HOLDS: CLinuxShims calls it then. Where the
// variable LOCK_HOLDS_SHOWS is set, each hold of more than half a millisecond that is longer than all before it is printed with its
// callers; printing takes time, and lengthens the holds of locks that are given back later.
#ifndef LOCK_HOLD_CLOCK_H
#define LOCK_HOLD_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

// From now on the holds of the calling thread count. What it waits for a processor while it holds a lock is left out of them.
void jetsam_lock_holds_begin(void);

// Nanoseconds of the longest hold of all threads that count, to within 10 microseconds; -1 where the locks are built without the clock.
int64_t jetsam_lock_holds_longest(void);

#endif
