// The hot path of the flight recorder: see Documentation/FlightRecorderFormat.md for the layout. Swift has no atomic access to
// memory that belongs to a file.
#include "CLinuxShims.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "recordings are little-endian, and are written as the processor has them"
#endif

enum { words_a_slot = JETSAM_RING_SLOT_BYTES / 8, payload_word = JETSAM_RING_PAYLOAD_AT / 8, attempts = 64 };

static const uint64_t factor = 0x9E3779B97F4A7C15;

static inline uint64_t rotated(uint64_t value, int bits) { return value << bits | value >> (64 - bits); }

static inline uint64_t mixed(uint64_t lane, uint64_t word) { return rotated(lane ^ word, 29) * factor; }

static inline uint64_t combined(const uint64_t lanes[4]) {
  uint64_t sum = lanes[0];
  for (int i = 1; i < 4; i++) sum = mixed(sum, lanes[i]);
  return sum ^ sum >> 32;
}

// Claims a slot of `count` from `first` on: nobody else writes to it until its stamp is even again.
static uint64_t claim(uint64_t *first, uint32_t count, uint64_t *cursor, uint64_t **slot) {
  for (int attempt = 0; attempt < attempts; attempt++) {
    uint64_t sequence = __atomic_add_fetch(cursor, 1, __ATOMIC_RELAXED);
    uint64_t *candidate = first + (sequence - 1) % count * words_a_slot;
    uint64_t stamp = __atomic_load_n(candidate, __ATOMIC_RELAXED);
    // Somebody was held up for a whole round and is still writing there, or has come a round later than others: the slot stays
    // as it is, because to wait could take as long as he sleeps.
    if (stamp & 1 || stamp >> 1 >= sequence) continue;
    if (__atomic_compare_exchange_n(candidate, &stamp, sequence << 1 | 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      *slot = candidate;
      return sequence;
    }
  }
  return 0;
}

static void fill(uint64_t *slot, uint64_t sequence, uint16_t kind, int64_t time, const void *payload, size_t bytes) {
  const uint8_t *from = payload;
  uint64_t description = (uint64_t)kind | (uint64_t)bytes << 16;
  uint64_t lanes[4] = {sequence * factor, mixed(1, (uint64_t)time), mixed(2, description), 3 * factor};
  // A slot that is seen while it is written must have its odd stamp first.
  __atomic_thread_fence(__ATOMIC_RELEASE);
  __atomic_store_n(slot + 1, (uint64_t)time, __ATOMIC_RELAXED);
  __atomic_store_n(slot + 3, description, __ATOMIC_RELAXED);
  size_t whole = bytes / 8, i = 0;
  for (; i < whole; i++) {
    uint64_t word;
    __builtin_memcpy(&word, from + i * 8, 8);
    lanes[i & 3] = mixed(lanes[i & 3], word);
    __atomic_store_n(slot + payload_word + i, word, __ATOMIC_RELAXED);
  }
  if (bytes & 7) {
    uint64_t word = 0;
    __builtin_memcpy(&word, from + i * 8, bytes & 7);
    lanes[i & 3] = mixed(lanes[i & 3], word);
    __atomic_store_n(slot + payload_word + i, word, __ATOMIC_RELAXED);
  }
  __atomic_store_n(slot + 2, combined(lanes), __ATOMIC_RELAXED);
  // From here on it is there, whatever happens to the process.
  __atomic_store_n(slot, sequence << 1, __ATOMIC_RELEASE);
}

static uint64_t append(
    uint8_t *slots, uint32_t count, uint8_t *cursor, uint16_t kind, int64_t time, const void *payload, size_t bytes) {
  uint64_t *slot;
  if (bytes > JETSAM_RING_PAYLOAD_BYTES) bytes = JETSAM_RING_PAYLOAD_BYTES;
  uint64_t sequence = claim((uint64_t *)slots, count, (uint64_t *)cursor, &slot);
  if (sequence) fill(slot, sequence, kind, time, payload, bytes);
  return sequence;
}

uint64_t jetsam_ring_append(
    void *ring, uint32_t slots, uint16_t kind, int64_t time, const void *payload, size_t bytes) {
  uint8_t *base = ring;
  uint64_t sequence =
      append(base + JETSAM_RING_HEADER_BYTES, slots, base + JETSAM_RING_CURSOR_AT, kind, time, payload, bytes);
  if (!sequence) __atomic_fetch_add((uint64_t *)(base + JETSAM_RING_DROPPED_AT), 1, __ATOMIC_RELAXED);
  return sequence;
}

bool jetsam_ring_keep_state(void *ring, uint16_t kind, int64_t time, const void *payload, size_t bytes) {
  uint8_t *base = ring;
  return append(
      base + JETSAM_RING_STATES_AT, JETSAM_RING_STATES, base + JETSAM_RING_STATES_CURSOR_AT, kind, time, payload, bytes);
}

bool jetsam_ring_keep_held(void *ring, uint16_t kind, int64_t time, const void *payload, size_t bytes) {
  uint8_t *base = ring;
  return append(base + JETSAM_RING_HELD_AT, JETSAM_RING_HELD, base + JETSAM_RING_HELD_CURSOR_AT, kind, time, payload, bytes);
}

uint64_t jetsam_ring_word(const void *ring, size_t offset) {
  return __atomic_load_n((const uint64_t *)((const uint8_t *)ring + offset), __ATOMIC_ACQUIRE);
}

void jetsam_ring_set_word(void *ring, size_t offset, uint64_t value) {
  __atomic_store_n((uint64_t *)((uint8_t *)ring + offset), value, __ATOMIC_RELEASE);
}
