// The unfair lock. It knows its owner: a lock that its thread holds already, and an unlock by another thread, end the program, as
// they do on Apple's systems, instead of a deadlock or two threads within.
#ifndef LATCHKEY_OS_LOCK_H
#define LATCHKEY_OS_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct os_unfair_lock_s { uint32_t _os_unfair_lock_opaque; } os_unfair_lock, *os_unfair_lock_t;

#define OS_UNFAIR_LOCK_INIT ((os_unfair_lock){0})

void os_unfair_lock_lock(os_unfair_lock_t _Nonnull lock);
bool os_unfair_lock_trylock(os_unfair_lock_t _Nonnull lock);
void os_unfair_lock_unlock(os_unfair_lock_t _Nonnull lock);
void os_unfair_lock_assert_owner(const os_unfair_lock *_Nonnull lock);
void os_unfair_lock_assert_not_owner(const os_unfair_lock *_Nonnull lock);

#ifdef __cplusplus
}
#endif

#endif
