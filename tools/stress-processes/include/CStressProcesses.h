// What the stress patterns need of the system for servers of their own, and Swift cannot do between fork and exec.
#ifndef JETSAM_STRESS_PROCESSES_H
#define JETSAM_STRESS_PROCESSES_H

#include <stddef.h>

// Starts a program that the kernel ends with the calling thread (PR_SET_PDEATHSIG), in whatever way that ends. It gets no descriptor but
// the standard error, and no signal mask or ignored signal of this process. Returns its process or a negative errno.
int stress_start_bound(const char *path, char *const arguments[]);

// Connects to a stream socket in the file system. A blocking, close-on-exec descriptor or a negative errno.
int stress_connect(const char *path);

// Sends some bytes, at least one. How many, or a negative errno: a connection that is closed brings no signal.
long stress_send(int fd, const void *bytes, size_t count);

#endif
