#define _GNU_SOURCE
#include "CTestProcesses.h"

#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int join(const char *procs) {
  if (!procs) return 0;
  int fd = open(procs, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  // "0" is the writer itself.
  int error = write(fd, "0", 1) == 1 ? 0 : errno;
  close(fd);
  return error;
}

int test_process_limit_address_space(long bytes) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit)) return -errno;
  if (bytes < 0) {
    limit.rlim_cur = limit.rlim_max;
  } else {
    char text[64] = {0};
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -errno;
    ssize_t count = read(fd, text, sizeof text - 1);
    close(fd);
    if (count <= 0) return -EIO;
    limit.rlim_cur = strtoul(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE) + (rlim_t)bytes;
  }
  return setrlimit(RLIMIT_AS, &limit) ? -errno : 0;
}

static void report(int ready, int error) {
  unsigned char byte = (unsigned char)error;
  if (write(ready, &byte, 1) != 1 || error) _exit(2);
  close(ready);
}

static void touch(unsigned char *at, size_t bytes, long page) {
  for (size_t o = 0; o < bytes; o += page) at[o] = 1;
}

// PR_SET_PDEATHSIG would not do: it strikes when the forking thread ends, and pools let threads go.
static void work_until_orphaned(pid_t parent, int ready, int work, const char *file, size_t bytes) {
  long page = sysconf(_SC_PAGESIZE);
  unsigned char *at = NULL;
  unsigned char piece[4096];
  unsigned int state = 1;
  int fd = -1;
  if (work == TEST_PROCESS_REREAD) {
    fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0) report(ready, errno);
  } else if (work != TEST_PROCESS_WAIT) {
    at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  if (at == MAP_FAILED) report(ready, errno);
  if (work == TEST_PROCESS_LOCK && mlock(at, bytes) != 0) report(ready, errno);
  if (work == TEST_PROCESS_HOLD || work == TEST_PROCESS_LOCK) touch(at, bytes, page);
  report(ready, 0);
  while (getppid() == parent) {
    switch (work) {
      case TEST_PROCESS_REREAD:
        for (int count = 0; count < 4096; count++) {
          state = state * 1664525u + 1013904223u;  // Numerical Recipes' generator: its high bits are random enough.
          double place = state / 4294967296.0;
          off_t offset = (off_t)(place * place * place * place * (double)(bytes / sizeof piece)) * (off_t)sizeof piece;
          if (pread(fd, piece, sizeof piece, offset) < 0) _exit(2);
        }
        break;
      case TEST_PROCESS_REFAULT:
        touch(at, bytes, page);
        madvise(at, bytes, MADV_DONTNEED);
        break;
      default:
        poll(NULL, 0, 1000);
    }
  }
  _exit(0);
}

pid_t test_process_start(const char *procs1, const char *procs2, int work, const char *file, size_t bytes) {
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) != 0) return -errno;
  pid_t parent = getpid();
  pid_t child = fork();
  if (child < 0) {
    int error = errno;
    close(ready[0]);
    close(ready[1]);
    return -error;
  }
  if (child == 0) {
    // The parent's other descriptors are not for the child to hold open.
    if (ready[1] > 3) close_range(3, ready[1] - 1, 0);
    close_range(ready[1] + 1, ~0U, 0);
    int error = join(procs1);
    if (!error) error = join(procs2);
    if (error) report(ready[1], error);
    work_until_orphaned(parent, ready[1], work, file, bytes);
  }
  close(ready[1]);
  unsigned char error = 0;
  ssize_t count;
  while ((count = read(ready[0], &error, 1)) < 0 && errno == EINTR) {}
  close(ready[0]);
  if (count == 1 && error == 0) return child;
  test_process_end(child);
  return count == 1 ? -(pid_t)error : -EPIPE;
}

int test_process_end(pid_t child) {
  int status;
  kill(child, SIGKILL);
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -errno;
  return status;
}

int test_thread_drop_memory_locks(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  if (syscall(SYS_capget, &header, data) != 0) return -errno;
  data[0].effective &= ~(1u << CAP_IPC_LOCK);
  return syscall(SYS_capset, &header, data) == 0 ? 0 : -errno;
}

long test_process_limit_memory_locks(long bytes) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_MEMLOCK, &limit)) return -errno - 1;
  long before = limit.rlim_cur == RLIM_INFINITY ? -1 : (long)limit.rlim_cur;
  limit.rlim_cur = bytes < 0 ? RLIM_INFINITY : (rlim_t)bytes;
  return setrlimit(RLIMIT_MEMLOCK, &limit) ? -errno - 1 : before;
}

int test_thread_private_mounts(void) {
  if (unshare(CLONE_NEWNS) != 0) return -errno;
  // Else what is mounted next would be seen by everybody.
  return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 ? 0 : -errno;
}
#endif

static __thread volatile char local_storage[300000];

size_t test_thread_write_local_storage(void) {
  for (size_t i = 0; i < sizeof local_storage; i++) local_storage[i] = 1;
  return sizeof local_storage;
}

__attribute__((noinline, no_sanitize("address"))) void test_thread_write_stack(size_t bytes) {
  volatile char *low = __builtin_alloca(bytes);
  for (size_t i = 0; i < bytes; i++) low[i] = 0;
}
