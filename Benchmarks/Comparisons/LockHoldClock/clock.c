#include "LockHoldClock.h"

#ifdef __linux__
#include <execinfo.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

// Locks that a thread holds at once, and nanoseconds to within which the longest hold is known.
enum { most_held = 1024, to_within = 10000 };

static int64_t longest = -1;
static _Thread_local bool counts;
static _Thread_local int schedstat = -1;
static _Thread_local int held_count;

// What the kernel counts of a thread, as text. It is read whenever a lock is taken, and parsed only for the longest holds.
typedef struct {
  char text[96];
} counts_of_thread;

// What it counted when the thread took the first of the locks that it holds. It stands for the others too: they are given back together.
static _Thread_local counts_of_thread counted_first;
static _Thread_local struct {
  const void *word;
  int64_t since;
} held[most_held];

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void count(counts_of_thread *counted) {
  ssize_t length = pread(schedstat, counted->text, sizeof counted->text - 1, 0);
  if (length <= 0) abort();
  counted->text[length] = 0;
}

// How long the thread had waited for a processor by then while it could have run.
static int64_t waited(const counts_of_thread *counted) {
  int64_t ran, waited;
  if (sscanf(counted->text, "%ld %ld", &ran, &waited) != 2) abort();
  return waited;
}

void jetsam_lock_holds_begin(void) {
  if (schedstat < 0 && (schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) < 0) abort();
  counts = true;
}

int64_t jetsam_lock_holds_longest(void) { return __atomic_load_n(&longest, __ATOMIC_ACQUIRE); }

void jetsam_lock_was_taken(const void *word) {
  if (!counts) return;
  if (held_count == most_held) abort();
  if (held_count == 0) count(&counted_first);
  held[held_count].word = word;
  held[held_count++].since = now();
}

void jetsam_lock_is_given(const void *word) {
  for (int place = held_count - 1; counts && place >= 0; place--) {
    if (held[place].word != word) continue;
    int64_t time = now() - held[place].since;
    held[place] = held[--held_count];
    int64_t most = __atomic_load_n(&longest, __ATOMIC_RELAXED);
    // Reading what the kernel counts takes time, and lengthens the holds of locks that are still held.
    if (time <= most + to_within) return;
    counts_of_thread after;
    count(&after);
    int64_t waits = waited(&after) - waited(&counted_first);
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
