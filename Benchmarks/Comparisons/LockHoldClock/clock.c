#include "LockHoldClock.h"

#ifdef __linux__
#include <execinfo.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { most_held = 1024 };

static int64_t longest = -1;
static _Thread_local bool counts;
static _Thread_local int schedstat = -1;
static _Thread_local int64_t waited_before;
static _Thread_local int held_count;
static _Thread_local struct {
  const void *word;
  int64_t since;
} held[most_held];

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

// How long the calling thread has waited for a processor while it could have run, as the kernel counts it.
static int64_t waited(void) {
  char text[96];
  ssize_t count = pread(schedstat, text, sizeof text - 1, 0);
  if (count <= 0) abort();
  text[count] = 0;
  int64_t ran, waited;
  if (sscanf(text, "%ld %ld", &ran, &waited) != 2) abort();
  return waited;
}

void jetsam_lock_holds_begin(void) {
  if (schedstat < 0 && (schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) < 0) abort();
  counts = true;
  waited_before = waited();
}

int64_t jetsam_lock_holds_longest(void) { return __atomic_load_n(&longest, __ATOMIC_ACQUIRE); }

void jetsam_lock_was_taken(const void *word) {
  if (!counts) return;
  if (held_count == most_held) abort();
  held[held_count].word = word;
  held[held_count++].since = now();
}

void jetsam_lock_is_given(const void *word) {
  for (int place = held_count - 1; counts && place >= 0; place--) {
    if (held[place].word != word) continue;
    int64_t time = now() - held[place].since;
    held[place] = held[--held_count];
    int64_t most = __atomic_load_n(&longest, __ATOMIC_RELAXED);
    if (time <= most) return;
    int64_t waits = waited() - waited_before;
    time -= waits;
    while (time > most && !__atomic_compare_exchange_n(&longest, &most, time, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    }
    if (time > most && time > 500000 && getenv("LOCK_HOLDS_SHOWS")) {
      void *callers[24];
      dprintf(2, "held for %ld ns, after %ld ns of waiting:\n", time, waits);
      backtrace_symbols_fd(callers, backtrace(callers, 24), 2);
    }
    return;
  }
}
#else
void jetsam_lock_holds_begin(void) {}
int64_t jetsam_lock_holds_longest(void) { return -1; }
#endif
