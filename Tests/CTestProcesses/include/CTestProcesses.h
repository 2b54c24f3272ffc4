// Child processes for tests that need a real process in a cgroup. A child runs nothing but async-signal-safe C, because it is
// forked from a process with many threads. Each ends soon after its
// parent has.
#ifndef JETSAM_TEST_PROCESSES_H
#define JETSAM_TEST_PROCESSES_H

#include <stddef.h>
#include <sys/types.h>

// What a child does once it has joined its cgroups and until it is killed.
enum test_process_work {
  // Nothing.
  TEST_PROCESS_WAIT = 0,
  // Reads pieces of `bytes` of `file` (made larger where it is shorter) in random order, some much more often than others: what is
  // read from end to end, or all alike, is no working set to the kernel.
  TEST_PROCESS_REREAD = 1,
  // Takes `bytes` of private memory and writes to each page, gives it back, and begins again.
  TEST_PROCESS_REFAULT = 2,
  // Takes and touches `bytes` of private memory, then waits.
  TEST_PROCESS_HOLD = 3,
  // The same, and locks it in memory.
  TEST_PROCESS_LOCK = 4,
};

// Joins the cgroups whose cgroup.procs files are given (NULL for none), then works. The child's id, or a negative errno.
// When this returns it has joined, and has taken what it holds or locks.
pid_t test_process_start(const char *procs1, const char *procs2, int work, const char *file, size_t bytes);
// Kills it with SIGKILL and waits for its end. Its wait status, or a negative errno.
int test_process_end(pid_t child);

// Leaves the calling process so many bytes of address space beside what it has mapped (RLIMIT_AS); less than 0 for as many as it
// may have. 0 or a negative errno.
int test_process_limit_address_space(long bytes);

// Thread-local storage of which a program may have much, through any C library that it links: this makes the tests such a program.
// Writes to all of it, and gives how many bytes that were.
size_t test_thread_write_local_storage(void);
// Writes to so many bytes of the calling thread's stack.
void test_thread_write_stack(size_t bytes);

// Gives the calling thread mounts of its own, which nobody else sees. 0 or a negative errno.
int test_thread_private_mounts(void);

// Takes from the calling thread the right to lock memory beyond RLIMIT_MEMLOCK. 0 or a negative errno.
int test_thread_drop_memory_locks(void);
// Sets how much memory the calling process may lock without that right (RLIMIT_MEMLOCK), in bytes; -1 for as much as it likes, as
// far as it may say so. What it was, or a negative errno less one.
long test_process_limit_memory_locks(long bytes);

#endif
