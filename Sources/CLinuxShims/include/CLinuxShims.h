// The few calls, and the one lock, that Swift cannot import or express. Everything else goes through Glibc/Musl.
// A call that can fail returns a negative errno; nothing here allocates unless its comment says so.
#ifndef JETSAM_LINUX_SHIMS_H
#define JETSAM_LINUX_SHIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#else
#include <os/lock.h>
#include <time.h>
#endif

// MARK: - Files

// Starts to write what a file has in memory to its disk, and does not wait for it. Only a hint: a failure shows when the file is flushed.
void jetsam_start_writeback(int file);

// Writes all that is dirty in the file system of a descriptor, and waits for it (syncfs(2)). False where that failed or is not to be had.
bool jetsam_sync_file_system(int descriptor);

// Waits until the pages of a file are written; false where one could not be. No flush of the disk, so only after one.
bool jetsam_is_written(int file);

// MARK: - Time

// CLOCK_MONOTONIC in nanoseconds. Never the coarse clock: it runs 4-6 ms behind, and nothing may be judged early.
static inline int64_t jetsam_monotonic_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// CLOCK_REALTIME in nanoseconds since 1970: only to see that somebody has set it.
static inline int64_t jetsam_realtime_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// By how many seconds the local time is ahead of UTC at `seconds` since 1970; 0 where that cannot be told. Reads the zone anew where
// it has changed (tzset(3)), which may open files and allocate.
int32_t jetsam_seconds_from_utc(int64_t seconds);

// MARK: - Processors

// Begins to fetch the cache line at `address`, which is soon written to; any address will do.
static inline void jetsam_prefetch(const void *address) { __builtin_prefetch(address, 1); }
static inline void jetsam_prefetch_to_read(const void *address) { __builtin_prefetch(address, 0); }
// The processor that the calling thread runs on at the moment, 0 where nobody can tell; a hint, good to spread by.
uint32_t jetsam_processor(void);
#ifdef __GLIBC__
extern const ptrdiff_t __rseq_offset __attribute__((weak));
#endif
// The same from the words that the kernel keeps current for each thread (rseq, glibc 2.35): it costs a load, not a call.
static inline uint32_t jetsam_processor_hint(void) {
#ifdef __GLIBC__
  if (&__rseq_offset) return *(const volatile uint32_t *)((const char *)__builtin_thread_pointer() + __rseq_offset);
#endif
  return jetsam_processor();
}
// Processors that are online; at least 1.
uint32_t jetsam_processor_count(void);

// MARK: - Marks

// Sets a bit of a byte, of which others may set the same at the same time, and gives what there was. It is written only where it
// changes: a write that changes nothing would still take the line away from every other processor.
static inline uint8_t jetsam_mark(uint8_t *byte, uint8_t bit) {
  uint8_t old = __atomic_load_n(byte, __ATOMIC_RELAXED);
  if (!(old & bit)) __atomic_store_n(byte, old | bit, __ATOMIC_RELAXED);
  return old;
}

// MARK: - Barriers

// Whether jetsam_barrier_everywhere can be used in this process (membarrier(2), Linux 4.14; a sandbox may refuse it).
bool jetsam_has_barrier_everywhere(void);
// A full memory barrier in every thread of the process that runs at the moment; some microseconds.
void jetsam_barrier_everywhere(void);
// What the others do for it: the compiler keeps the order of what is before and behind, the processor need not.
static inline void jetsam_barrier_here(void) { __asm__ volatile("" ::: "memory"); }

// Takes away a pin, with the order that jetsam_barrier_everywhere completes, and then looks at what whoever looked for pins may have
// written.
static inline bool jetsam_unpin(uint32_t *pin, const bool *written) {
  __atomic_store_n(pin, 0, __ATOMIC_RELEASE);
  jetsam_barrier_here();
  return __atomic_load_n(written, __ATOMIC_SEQ_CST);
}

// MARK: - Four words at once

// Which of the four words from `words` on agree with `tag` in the bits of `mask`: bit 0 for the first. Where the one that
// is wanted stands is as good as random, so to look at one after the other costs a mispredicted branch every other time.
static inline uint32_t jetsam_match4(const uint32_t *words, uint32_t tag, uint32_t mask) {
#if defined(__SSE2__)
  typedef uint32_t four __attribute__((vector_size(16), aligned(4)));
  typedef float four_floats __attribute__((vector_size(16)));
  four difference = (*(const four *)words ^ tag) & mask;
  return (uint32_t)__builtin_ia32_movmskps((four_floats)(difference == 0));
#else
  uint32_t matches = 0;
  for (int i = 0; i < 4; i++) matches |= (uint32_t)(((words[i] ^ tag) & mask) == 0) << i;
  return matches;
#endif
}

// Which of the eight words from `words` on agree with `tag` in the bits of `mask`, of their upper halves: bit 0 for the first.
// Others may be changing a word in other bits meanwhile.
__attribute__((no_sanitize("thread"))) static inline uint32_t jetsam_match8(
    const uint64_t *words, uint32_t tag, uint32_t mask) {
#if defined(__SSE2__)
  typedef uint32_t four __attribute__((vector_size(16), aligned(8)));
  typedef float four_floats __attribute__((vector_size(16)));
  const four *pairs = (const four *)words;
  four low = __builtin_shufflevector(pairs[0], pairs[1], 1, 3, 5, 7);
  four high = __builtin_shufflevector(pairs[2], pairs[3], 1, 3, 5, 7);
  return (uint32_t)__builtin_ia32_movmskps((four_floats)(((low ^ tag) & mask) == 0)) |
         (uint32_t)__builtin_ia32_movmskps((four_floats)(((high ^ tag) & mask) == 0)) << 4;
#else
  uint32_t matches = 0;
  for (int i = 0; i < 8; i++) {
    uint32_t upper = (uint32_t)(__atomic_load_n(words + i, __ATOMIC_RELAXED) >> 32);
    matches |= (uint32_t)(((upper ^ tag) & mask) == 0) << i;
  }
  return matches;
#endif
}

// A number that the compiler knows nothing of any more: what was worked out of it is not worked out anew from other numbers that
// are found to be equal.
static inline uintptr_t jetsam_opaque(uintptr_t number) {
  __asm__("" : "+r"(number));
  return number;
}

// A number that others may change meanwhile.
static inline uint32_t jetsam_peek(const uint32_t *place) { return __atomic_load_n(place, __ATOMIC_RELAXED); }
static inline void jetsam_poke(uint32_t *place, uint32_t value) { __atomic_store_n(place, value, __ATOMIC_RELAXED); }

// Where a table is and how many words it has, for those who look before they have its lock: what they see may be out of date.
static inline void jetsam_publish_table(uint32_t **words, uint32_t *count, uint32_t *new_words, uint32_t new_count) {
  __atomic_store_n(words, new_words, __ATOMIC_RELAXED);
  __atomic_store_n(count, new_count, __ATOMIC_RELAXED);
}
// Where such a table has the word for a hash value: `first` is that word, `position` its number.
typedef struct {
  const uint32_t *words, *first;
  uint32_t count, position;
} jetsam_place;
static inline jetsam_place jetsam_find_place(const uint32_t *words, uint32_t count, uint32_t hash) {
  uint32_t position = (uint32_t)(((uint64_t)hash * count) >> 32);
  return (jetsam_place){words, (const uint32_t *)((uintptr_t)words + (uintptr_t)position * sizeof *words), count, position};
}
// Begins to fetch the word before the lock is taken. The address may be anybody's by now, or nobody's: that does no harm.
static inline jetsam_place jetsam_prefetch_place(uint32_t *const *words, const uint32_t *count, uint32_t hash) {
  jetsam_place place =
      jetsam_find_place(__atomic_load_n(words, __ATOMIC_RELAXED), __atomic_load_n(count, __ATOMIC_RELAXED), hash);
  __builtin_prefetch(place.first);
  // Otherwise the compiler would work it out a second time, behind the lock, from the numbers that it is compared with there.
  place.first = (const uint32_t *)jetsam_opaque((uintptr_t)place.first);
  return place;
}
// The same with the lock held: what was found before it holds, most often.
static inline jetsam_place jetsam_settle_place(
    jetsam_place place, const uint32_t *words, uint32_t count, uint32_t hash) {
  if (__builtin_expect(place.words == words && place.count == count, 1)) return place;
  return jetsam_find_place(words, count, hash);
}

// MARK: - The flight recorder's ring

enum {
  JETSAM_RING_HEADER_BYTES = 4096,
  JETSAM_RING_SLOT_BYTES = 256,
  JETSAM_RING_PAYLOAD_AT = 32,
  JETSAM_RING_PAYLOAD_BYTES = 224,
  // In the header, each on a cache line of its own: how many slots were claimed, how the run stands, and how many records
  // found no slot.
  JETSAM_RING_CURSOR_AT = 512,
  JETSAM_RING_STATE_AT = 640,
  JETSAM_RING_DROPPED_AT = 704,
  // Slots in the header with cursors of their own, for what must not be overwritten by what comes after it.
  JETSAM_RING_STATES_CURSOR_AT = 576,
  JETSAM_RING_STATES_AT = 2048,
  JETSAM_RING_STATES = 6,
  JETSAM_RING_HELD_CURSOR_AT = 768,
  JETSAM_RING_HELD_AT = 3584,
  JETSAM_RING_HELD = 2,
};
// Writes a record into the next of `slots` slots behind the header; `bytes` over 224 are cut off. No system call, no
// allocation, no waiting, from any thread. Gives its sequence number, 1 or more; 0 where it found no slot, which takes more than
// 60 writers that were held up for a round.
uint64_t jetsam_ring_append(void *ring, uint32_t slots, uint16_t kind, int64_t time, const void *payload, size_t bytes);
// The same into the next of the slots in the header: what was under way, or what was held. Whether it found one.
bool jetsam_ring_keep_state(void *ring, uint16_t kind, int64_t time, const void *payload, size_t bytes);
bool jetsam_ring_keep_held(void *ring, uint16_t kind, int64_t time, const void *payload, size_t bytes);
// A word of the header, in one piece.
uint64_t jetsam_ring_word(const void *ring, size_t offset);
void jetsam_ring_set_word(void *ring, size_t offset, uint64_t value);

// MARK: - The lock

// 0 free, 1 held, 2 held and somebody may be asleep. After Drepper, "Futexes Are Tricky", mutex 3.
// It has no priority inheritance, and Thread Sanitizer sees it through the annotations.
#ifdef __linux__
typedef uint32_t jetsam_lock_word;

void jetsam_lock_slow(jetsam_lock_word *word);
void jetsam_unlock_slow(jetsam_lock_word *word);
// Tell Thread Sanitizer of the hand-over; they do nothing where it is not linked.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

// Only in the build of tools/bench that measures how long locks are held.
#ifdef JETSAM_MEASURES_LOCK_HOLDS
void jetsam_lock_was_taken(const jetsam_lock_word *word);
void jetsam_lock_is_given(const jetsam_lock_word *word);
#else
static inline void jetsam_lock_was_taken(const jetsam_lock_word *word) { (void)word; }
static inline void jetsam_lock_is_given(const jetsam_lock_word *word) { (void)word; }
#endif

static inline bool jetsam_try_lock(jetsam_lock_word *word) {
  uint32_t expected = 0;
  bool taken = __atomic_compare_exchange_n(word, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
  if (taken && __tsan_acquire) __tsan_acquire(word);
  if (taken) jetsam_lock_was_taken(word);
  return taken;
}

static inline void jetsam_lock(jetsam_lock_word *word) {
  uint32_t expected = 0;
  if (!__atomic_compare_exchange_n(word, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) jetsam_lock_slow(word);
  if (__tsan_acquire) __tsan_acquire(word);
  jetsam_lock_was_taken(word);
}

static inline void jetsam_unlock(jetsam_lock_word *word) {
  jetsam_lock_is_given(word);
  if (__tsan_release) __tsan_release(word);
  if (__atomic_exchange_n(word, 0, __ATOMIC_RELEASE) == 2) jetsam_unlock_slow(word);
}
#else
typedef os_unfair_lock jetsam_lock_word;
static inline bool jetsam_try_lock(jetsam_lock_word *word) { return os_unfair_lock_trylock(word); }
static inline void jetsam_lock(jetsam_lock_word *word) { os_unfair_lock_lock(word); }
static inline void jetsam_unlock(jetsam_lock_word *word) { os_unfair_lock_unlock(word); }
#endif

#ifdef __linux__
// MARK: - Waiting on a word (futex)

// Sleeps while *word == expected. timeout_ns < 0 waits for ever. 0, -EAGAIN (it differed already), -ETIMEDOUT or -EINTR.
int jetsam_futex_wait(const uint32_t *word, uint32_t expected, int64_t timeout_ns);
// Wakes up to `count` sleepers; gives their number.
int jetsam_futex_wake(const uint32_t *word, int count);

// A counting semaphore: *word is how many passes are left. Signalling neither allocates nor blocks.
void jetsam_semaphore_signal(uint32_t *word);
// Takes a pass: true, or false when timeout_ns passed without one (< 0 waits for ever).
bool jetsam_semaphore_wait(uint32_t *word, int64_t timeout_ns);

// MARK: - epoll and eventfd

enum { JETSAM_EPOLL_IN = 0x1, JETSAM_EPOLL_PRI = 0x2, JETSAM_EPOLL_ERR = 0x8, JETSAM_EPOLL_HUP = 0x10 };
int jetsam_epoll_create(void);
int jetsam_epoll_add(int epoll, int fd, uint32_t events);
// One event: its mask (> 0), 0 when nothing came within timeout_ms (< 0 waits for ever), or a negative errno.
// *fd gets the descriptor that it belongs to.
int jetsam_epoll_wait(int epoll, int timeout_ms, int *fd);
// Like jetsam_epoll_wait with nanoseconds (epoll_pwait2, else rounded up to milliseconds).
int jetsam_epoll_wait_ns(int epoll, int64_t timeout_ns, int *fd);
// Non-blocking, close-on-exec.
int jetsam_eventfd(void);
int jetsam_eventfd_signal(int fd);
int jetsam_eventfd_drain(int fd);

// MARK: - Local stream sockets

// A Unix stream socket bound to `path` and not yet listening, non-blocking and close-on-exec; -ENAMETOOLONG where it does not fit.
int jetsam_stream_bind(const char *path);
// The next connection, non-blocking and close-on-exec; -EAGAIN where there is none.
int jetsam_stream_accept(int fd);
// Who is at the other end: who connected, or who listened. 0 or a negative errno.
int jetsam_peer(int fd, uint32_t *user, int32_t *process);
// Opens (O_PATH) a name as if `root` were the root of the file system: no link and no ".." leads out of it. -ENOSYS before Linux 5.6.
int jetsam_open_in_root(int root, const char *path, bool is_directory);

// MARK: - Threads

// A detached thread with `stack_bytes` for `body` alone, whatever thread-local storage the program has. They are touched before
// `body` runs, so that it never faults one in when memory is short. The only call here that allocates (the stack). `name`: at most 15 bytes. 0 or a negative errno.
int jetsam_thread_start(size_t stack_bytes, const char *name, void (*body)(void *), void *context);
int32_t jetsam_thread_id(void);
// Has the kernel send SIGKILL to the calling process when the thread that started it ends; kept over exec.
int jetsam_die_with_parent(void);
// CPU time of the calling thread, in nanoseconds.
int64_t jetsam_thread_cpu_ns(void);

// MARK: - Mapped files (guard.c)

// Has the process survive that somebody cuts the mapped file short, which ends it by SIGBUS else: the mapping is replaced by memory
// of its own, and what is written from then on is in no file. The first call installs a handler for SIGBUS that takes what lies in
// guarded mappings alone; everything else goes to the handler that was there before. The number of the guard, or a negative errno.
int jetsam_guard_mapping(void *base, size_t bytes);
// Whether that has happened.
bool jetsam_guard_is_lost(int guard);
// Before the mapping goes. A negative number is none.
void jetsam_guard_end(int guard);

// MARK: - Allocators (allocators.c: all of it by weak references)

// Whether malloc is glibc's own: it is linked or loaded, and nothing has taken its place.
bool jetsam_glibc_malloc_serves(void);
// malloc_trim(0): 1 gave something back, 0 gave nothing, -1 not there.
int jetsam_malloc_trim(void);
// Bytes that are free in glibc's heaps (mallinfo2): it walks them, which has taken 36 ms. -1 where it is not there.
int64_t jetsam_malloc_free_bytes(void);
// Whether malloc is mimalloc's: it is linked or was preloaded, and a block of malloc's lies in its memory.
bool jetsam_mimalloc_serves(void);
// mi_collect(true): gives back what is free, but for blocks that others have freed for a thread that has not allocated since.
void jetsam_mi_collect(void);
// Whether a jemalloc is linked or was preloaded. It may answer and yet serve nobody.
bool jetsam_has_mallctl(void);
// jemalloc's mallctl: 0 or a positive errno; ENOSYS without one.
int jetsam_mallctl(const char *name, void *old, size_t *old_bytes, void *value, size_t value_bytes);
#endif

#endif
