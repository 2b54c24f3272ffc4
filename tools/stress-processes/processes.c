#define _GNU_SOURCE
#include "CStressProcesses.h"

#include <errno.h>

#ifdef __linux__
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// Runs in memory that it shares with this process, so it calls nothing but the kernel.
static int become(const char *path, char *const arguments[], int null, pid_t parent) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) return errno;
  if (getppid() != parent) return ECHILD;
  if (dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0) return errno;
#ifdef SYS_close_range
  syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
#endif
  struct sigaction action = {.sa_handler = SIG_DFL};
  for (int number = 1; number < NSIG; number++) sigaction(number, &action, NULL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execve(path, arguments, environ);
  return errno;
}

int stress_start_bound(const char *path, char *const arguments[]) {
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return -errno;
  pid_t parent = getpid();
  volatile int error = 0;
  // No handler of this process may run in the child.
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  // The page tables of a server whose memory is short are not copied.
  pid_t child = vfork();
  if (child == 0) {
    error = become(path, arguments, null, parent);
    _exit(127);
  }
  if (child < 0) error = errno;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  close(null);
  if (error == 0) return child;
  while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
  return -error;
}

int stress_connect(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(path);
  if (length >= sizeof address.sun_path) return -ENAMETOOLONG;
  memcpy(address.sun_path, path, length);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
  int error = errno;
  close(fd);
  return -error;
}

long stress_send(int fd, const void *bytes, size_t count) {
  while (1) {
    ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);
    if (sent >= 0) return sent;
    if (errno != EINTR) return -errno;
  }
}
#else
int stress_start_bound(const char *path, char *const arguments[]) { return -ENOSYS; }
int stress_connect(const char *path) { return -ENOSYS; }
long stress_send(int fd, const void *bytes, size_t count) { return -ENOSYS; }
#endif
