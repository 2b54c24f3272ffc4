#define _GNU_SOURCE
#include "CLinuxShims.h"
#include <unistd.h>

int32_t jetsam_seconds_from_utc(int64_t seconds) {
  // localtime_r need not look whether the zone has changed.
  tzset();
  time_t time = (time_t)seconds;
  struct tm local;
  return localtime_r(&time, &local) ? (int32_t)local.tm_gmtoff : 0;
}

uint32_t jetsam_processor_count(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : (uint32_t)count;
}

#ifdef __linux__
#include <fcntl.h>
void jetsam_start_writeback(int file) { (void)sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE); }
bool jetsam_sync_file_system(int descriptor) { return syncfs(descriptor) == 0; }
bool jetsam_is_written(int file) {
  return sync_file_range(file, 0, 0,
                         SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER) == 0;
}
#else
void jetsam_start_writeback(int file) { (void)file; }
bool jetsam_sync_file_system(int descriptor) { (void)descriptor; return false; }
bool jetsam_is_written(int file) { (void)file; return false; }
#endif

#ifdef __linux__
#include <sched.h>
uint32_t jetsam_processor(void) {
  int processor = sched_getcpu();
  return processor < 0 ? 0 : (uint32_t)processor;
}
#else
uint32_t jetsam_processor(void) { return 0; }
#endif

#ifdef __linux__
#include <linux/membarrier.h>
bool jetsam_has_barrier_everywhere(void) {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}
void jetsam_barrier_everywhere(void) { syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0); }
#else
bool jetsam_has_barrier_everywhere(void) { return false; }
void jetsam_barrier_everywhere(void) {}
#endif

#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>

int jetsam_futex_wait(const uint32_t *word, uint32_t expected, int64_t timeout_ns) {
  struct timespec t = {timeout_ns / 1000000000, timeout_ns % 1000000000};
  long r = syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, timeout_ns < 0 ? NULL : &t, NULL, 0);
  return r < 0 ? -errno : 0;
}

int jetsam_futex_wake(const uint32_t *word, int count) {
  long r = syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
  return r < 0 ? -errno : (int)r;
}

void jetsam_semaphore_signal(uint32_t *word) {
  if (__tsan_release) __tsan_release(word);
  __atomic_fetch_add(word, 1, __ATOMIC_RELEASE);
  jetsam_futex_wake(word, 1);
}

bool jetsam_semaphore_wait(uint32_t *word, int64_t timeout_ns) {
  int64_t end = timeout_ns < 0 ? 0 : jetsam_monotonic_ns() + timeout_ns;
  for (;;) {
    uint32_t passes = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    while (passes > 0)
      if (__atomic_compare_exchange_n(word, &passes, passes - 1, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
        if (__tsan_acquire) __tsan_acquire(word);
        return true;
      }
    int64_t left = -1;
    if (timeout_ns >= 0 && (left = end - jetsam_monotonic_ns()) <= 0) return false;
    jetsam_futex_wait(word, 0, left);
  }
}

void jetsam_lock_slow(jetsam_lock_word *word) {
  // A short spin: most critical sections here are shorter than a futex call.
  for (int i = 0; i < 100; i++) {
    uint32_t expected = 0;
    if (__atomic_load_n(word, __ATOMIC_RELAXED) == 0 &&
        __atomic_compare_exchange_n(word, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
  }
  while (__atomic_exchange_n(word, 2, __ATOMIC_ACQUIRE) != 0) jetsam_futex_wait(word, 2, -1);
}

void jetsam_unlock_slow(jetsam_lock_word *word) { jetsam_futex_wake(word, 1); }

int jetsam_epoll_create(void) {
  int fd = epoll_create1(EPOLL_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

int jetsam_epoll_add(int epoll, int fd, uint32_t events) {
  struct epoll_event event = {.events = events, .data = {.fd = fd}};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

int jetsam_epoll_wait(int epoll, int timeout_ms, int *fd) {
  struct epoll_event event;
  int n = epoll_wait(epoll, &event, 1, timeout_ms);
  if (n < 0) return -errno;
  if (n == 0) return 0;
  if (fd) *fd = event.data.fd;
  return (int)event.events;
}

int jetsam_epoll_wait_ns(int epoll, int64_t timeout_ns, int *fd) {
#ifdef SYS_epoll_pwait2
  static bool missing;
  if (!__atomic_load_n(&missing, __ATOMIC_RELAXED)) {
    struct timespec t = {timeout_ns / 1000000000, timeout_ns % 1000000000};
    struct epoll_event event;
    long n = syscall(SYS_epoll_pwait2, epoll, &event, 1, timeout_ns < 0 ? NULL : &t, NULL, 0);
    if (n == 0) return 0;
    if (n > 0) {
      if (fd) *fd = event.data.fd;
      return (int)event.events;
    }
    if (errno != ENOSYS) return -errno;
    __atomic_store_n(&missing, true, __ATOMIC_RELAXED);
  }
#endif
  return jetsam_epoll_wait(epoll, timeout_ns < 0 ? -1 : (int)((timeout_ns + 999999) / 1000000), fd);
}

int jetsam_eventfd(void) {
  int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return fd < 0 ? -errno : fd;
}

int jetsam_eventfd_signal(int fd) {
  uint64_t one = 1;
  return write(fd, &one, sizeof one) < 0 ? -errno : 0;
}

int jetsam_eventfd_drain(int fd) {
  uint64_t count;
  return read(fd, &count, sizeof count) < 0 ? -errno : 0;
}

struct start {
  void (*body)(void *);
  void *context;
  size_t touch_bytes;
  char name[16];
};

__attribute__((noinline, no_sanitize("address"))) static void touch_stack(size_t bytes) {
  volatile char *low = __builtin_alloca(bytes);
  for (size_t i = 0; i < bytes; i += 4096) low[i] = 0;
}

static int add_thread_local(struct dl_phdr_info *module, size_t size, void *sum) {
  (void)size;
  for (int i = 0; i < module->dlpi_phnum; i++)
    if (module->dlpi_phdr[i].p_type == PT_TLS)
      *(size_t *)sum += module->dlpi_phdr[i].p_memsz + module->dlpi_phdr[i].p_align;
  return 0;
}

// What else the C library takes out of a thread's stack: the thread-local storage of the program and its libraries, its own record
// of the thread, a guard page, and the frames until `body` is called. Some libraries' storage lies elsewhere: this is never too
// little.
static size_t beside_stack(void) {
  size_t thread_local_bytes = 0;
  dl_iterate_phdr(add_thread_local, &thread_local_bytes);
  long page = sysconf(_SC_PAGESIZE);
  size_t rounding = page > 0 ? (size_t)page : 4096;
  return (thread_local_bytes + 32768 + 2 * rounding) & ~(rounding - 1);
}

static void *thread_main(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
  pthread_setname_np(pthread_self(), start.name);
  touch_stack(start.touch_bytes);
  start.body(start.context);
  return NULL;
}

int jetsam_thread_start(size_t stack_bytes, const char *name, void (*body)(void *), void *context) {
  struct start *start = calloc(1, sizeof *start);
  if (!start) return -ENOMEM;
  start->body = body;
  start->context = context;
  start->touch_bytes = stack_bytes;
  strncpy(start->name, name, sizeof start->name - 1);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, stack_bytes + beside_stack());
  pthread_t thread;
  int error = pthread_create(&thread, &attributes, thread_main, start);
  pthread_attr_destroy(&attributes);
  if (error) free(start);
  return -error;
}

int32_t jetsam_thread_id(void) { return (int32_t)syscall(SYS_gettid); }

int jetsam_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 ? -errno : 0; }

int64_t jetsam_thread_cpu_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int jetsam_stream_bind(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(path);
  if (length >= sizeof address.sun_path) return -ENAMETOOLONG;
  memcpy(address.sun_path, path, length);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -errno;
  if (bind(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
  int error = errno;
  close(fd);
  return -error;
}

int jetsam_stream_accept(int fd) {
  int connection = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  return connection < 0 ? -errno : connection;
}

int jetsam_peer(int fd, uint32_t *user, int32_t *process) {
  struct ucred credentials;
  socklen_t length = sizeof credentials;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) < 0) return -errno;
  *user = credentials.uid;
  *process = credentials.pid;
  return 0;
}

// The kernel's own layout and numbers (linux/openat2.h), which older headers lack.
int jetsam_open_in_root(int root, const char *path, bool is_directory) {
  struct { uint64_t flags, mode, resolve; } how = {.resolve = 0x10};
  how.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW | (is_directory ? O_DIRECTORY : 0);
  long fd = syscall(437, root, path, &how, sizeof how);
  return fd < 0 ? -errno : (int)fd;
}
#endif
