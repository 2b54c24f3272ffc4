// What allocators offer beyond malloc. Every symbol here is weak: a static build takes an allocator out of an archive only for
// what is asked of it by a strong reference, so that glibc's malloc never comes in beside jemalloc's, and neither comes in for
// the sake of this file.
#ifdef __linux__
#define _GNU_SOURCE
#include "include/CLinuxShims.h"

#include <errno.h>
#include <stdlib.h>

#ifdef __GLIBC__
#include <dlfcn.h>
#include <malloc.h>
extern void *__libc_malloc(size_t) __attribute__((weak));
extern int dladdr(const void *, Dl_info *) __attribute__((weak));
extern int malloc_trim(size_t) __attribute__((weak));
#if __GLIBC_PREREQ(2, 33)
extern struct mallinfo2 mallinfo2(void) __attribute__((weak));
#endif

bool jetsam_glibc_malloc_serves(void) {
  if (!malloc_trim) return false;
  // glibc's malloc has a second name. Without that one nothing can be told apart.
  void *(*volatile served)(size_t) = malloc;
  if (__libc_malloc && served != __libc_malloc) return false;
  // mimalloc and tcmalloc take that name, too, but not malloc_trim. A static program has no dladdr, and nothing is preloaded there.
  Dl_info of_malloc, of_trim;
  if (!dladdr || !dladdr((void *)served, &of_malloc) || !dladdr((void *)malloc_trim, &of_trim)) return true;
  return of_malloc.dli_fbase == of_trim.dli_fbase;
}

int jetsam_malloc_trim(void) { return malloc_trim ? malloc_trim(0) : -1; }

int64_t jetsam_malloc_free_bytes(void) {
#if __GLIBC_PREREQ(2, 33)
  if (mallinfo2) return (int64_t)mallinfo2().fordblks;
#endif
  return -1;
}
#else
bool jetsam_glibc_malloc_serves(void) { return false; }
int jetsam_malloc_trim(void) { return -1; }
int64_t jetsam_malloc_free_bytes(void) { return -1; }
#endif

extern void mi_collect(bool) __attribute__((weak));
extern bool mi_is_in_heap_region(const void *) __attribute__((weak));

bool jetsam_mimalloc_serves(void) {
  if (!mi_collect || !mi_is_in_heap_region) return false;
  // Not malloc by its name: the compiler may leave out a block that nobody uses.
  void *(*volatile served)(size_t) = malloc;
  void *block = served(64);
  bool serves = block && mi_is_in_heap_region(block);
  free(block);
  return serves;
}

void jetsam_mi_collect(void) {
  if (mi_collect) mi_collect(true);
}

extern int mallctl(const char *, void *, size_t *, void *, size_t) __attribute__((weak));

bool jetsam_has_mallctl(void) { return mallctl != NULL; }

int jetsam_mallctl(const char *name, void *old, size_t *old_bytes, void *value, size_t value_bytes) {
  return mallctl ? mallctl(name, old, old_bytes, value, value_bytes) : ENOSYS;
}
#endif
