// Mapped files that somebody else cuts short: the process goes on, with memory of its own in the place of the file.
#include "CLinuxShims.h"

#ifdef __linux__
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

enum { guards = 64 };

// A place is free while `bytes` is 0. What the handler reads is written before `bytes` and cleared after it.
static struct {
  uintptr_t base;
  size_t bytes;
  uint32_t lost;
} guarded[guards];
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction previous;
static bool is_installed;

// Whether the address is in a guarded mapping, which is then replaced.
static bool replace(uintptr_t address) {
  for (int i = 0; i < guards; i++) {
    size_t bytes = __atomic_load_n(&guarded[i].bytes, __ATOMIC_ACQUIRE);
    uintptr_t base = __atomic_load_n(&guarded[i].base, __ATOMIC_RELAXED);
    if (!bytes || address < base || address - base >= bytes) continue;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    if (mmap((void *)base, bytes, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED) return false;
    __atomic_store_n(&guarded[i].lost, 1, __ATOMIC_RELEASE);
    return true;
  }
  return false;
}

static void on_bus_error(int signal, siginfo_t *info, void *context) {
  int error = errno;
  // Only the kernel says where: what another process sends has no address.
  bool is_ours = info->si_code > 0 && replace((uintptr_t)info->si_addr);
  errno = error;
  if (is_ours) return;
  if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  } else {
    // As it would have been without us: the access fails again, or the signal comes again.
    sigaction(signal, &previous, NULL);
    if (info->si_code <= 0) raise(signal);
  }
}

int jetsam_guard_mapping(void *base, size_t bytes) {
  int place = -ENOSPC;
  pthread_mutex_lock(&changing);
  if (!is_installed) {
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    is_installed = sigaction(SIGBUS, NULL, &previous) == 0 && sigaction(SIGBUS, &action, NULL) == 0;
    if (!is_installed) place = -errno;
  }
  for (int i = 0; is_installed && i < guards; i++) {
    if (guarded[i].bytes) continue;
    __atomic_store_n(&guarded[i].base, (uintptr_t)base, __ATOMIC_RELAXED);
    __atomic_store_n(&guarded[i].lost, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&guarded[i].bytes, bytes, __ATOMIC_RELEASE);
    place = i;
    break;
  }
  pthread_mutex_unlock(&changing);
  return place;
}

bool jetsam_guard_is_lost(int guard) { return guard >= 0 && __atomic_load_n(&guarded[guard].lost, __ATOMIC_ACQUIRE); }

void jetsam_guard_end(int guard) {
  if (guard < 0) return;
  pthread_mutex_lock(&changing);
  __atomic_store_n(&guarded[guard].bytes, 0, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&changing);
}
#endif
