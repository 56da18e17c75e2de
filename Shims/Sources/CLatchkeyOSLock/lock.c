#define _GNU_SOURCE
#include <os/lock.h>

#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

// The word is 0, or the thread that holds the lock; a bit says that others may wait (futex(2)). A copied or zeroed word needs no
// initialization, which is why it is no pthread_mutex_t.
static const uint32_t waiters = FUTEX_WAITERS, thread_bits = FUTEX_TID_MASK;

static _Thread_local uint32_t thread;

// The thread that goes on in a child of fork(2) has another number there.
static void forget_thread(void) { thread = 0; }
__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, forget_thread); }

static uint32_t this_thread(void) {
  if (thread == 0) thread = (uint32_t)syscall(SYS_gettid);
  return thread;
}

static _Noreturn void fail(const char *message) {
  fputs(message, stderr);
  abort();
}

void os_unfair_lock_lock(os_unfair_lock_t lock) {
  uint32_t *word = &lock->_os_unfair_lock_opaque;
  uint32_t me = this_thread(), expected = 0;
  if (__atomic_compare_exchange_n(word, &expected, me, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
  if ((expected & thread_bits) == me) fail("os_unfair_lock: this thread holds the lock already\n");
  for (;;) {
    if (expected == 0) {
      // There may be others that wait still.
      if (__atomic_compare_exchange_n(word, &expected, me | waiters, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
      continue;
    }
    uint32_t waited = expected | waiters;
    if (expected != waited &&
        !__atomic_compare_exchange_n(word, &expected, waited, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      continue;
    }
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, waited, NULL, NULL, 0);
    expected = __atomic_load_n(word, __ATOMIC_RELAXED);
  }
}

bool os_unfair_lock_trylock(os_unfair_lock_t lock) {
  uint32_t expected = 0;
  return __atomic_compare_exchange_n(
      &lock->_os_unfair_lock_opaque, &expected, this_thread(), false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void os_unfair_lock_unlock(os_unfair_lock_t lock) {
  uint32_t *word = &lock->_os_unfair_lock_opaque;
  os_unfair_lock_assert_owner(lock);
  if (__atomic_exchange_n(word, 0, __ATOMIC_RELEASE) & waiters) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  }
}

static uint32_t owner(const os_unfair_lock *lock) {
  return __atomic_load_n(&lock->_os_unfair_lock_opaque, __ATOMIC_RELAXED) & thread_bits;
}

void os_unfair_lock_assert_owner(const os_unfair_lock *lock) {
  if (owner(lock) != this_thread()) fail("os_unfair_lock: this thread does not hold the lock\n");
}

void os_unfair_lock_assert_not_owner(const os_unfair_lock *lock) {
  if (owner(lock) == this_thread()) fail("os_unfair_lock: this thread holds the lock\n");
}
