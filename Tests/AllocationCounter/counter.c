#include "AllocationCounter.h"

#include <jemalloc/jemalloc.h>
#include <stdlib.h>

uint64_t allocation_counter_thread_bytes(void) {
  static _Thread_local uint64_t *bytes;
  size_t size = sizeof bytes;
  if (!bytes && mallctl("thread.allocatedp", &bytes, &size, NULL, 0) != 0) return 0;
  return bytes ? *bytes : 0;
}

bool allocation_counter_works(void) {
  uint64_t before = allocation_counter_thread_bytes();
  void *volatile block = malloc(100);
  free(block);
  return allocation_counter_thread_bytes() >= before + 100;
}
