// Names of Apple's, which Apple documents.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

internal import Glibc

// Written in Swift: a module that exports C makes every package of the build that asks `canImport(os)` look for that C, in vain.

/// The unfair lock. It knows its owner: a lock that its thread holds already, and an unlock by another thread, end the program, as
/// they do on Apple's systems, instead of a deadlock or two threads within.
public struct os_unfair_lock {
  fileprivate var mutex = pthread_mutex_t()

  public init() {
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ERRORCHECK))
    pthread_mutex_init(&mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
  }
}

public typealias os_unfair_lock_s = os_unfair_lock
public typealias os_unfair_lock_t = UnsafeMutablePointer<os_unfair_lock>

extension os_unfair_lock_t {
  // The mutex is all of the lock, and where it is.
  fileprivate var mutex: UnsafeMutablePointer<pthread_mutex_t> {
    UnsafeMutableRawPointer(self).assumingMemoryBound(to: pthread_mutex_t.self)
  }

  fileprivate var isOwned: Bool {
    // A lock that must not be waited for: only its owner is told that it would wait for itself.
    var past = timespec()
    switch pthread_mutex_timedlock(mutex, &past) {
    case EDEADLK: return true
    case 0: pthread_mutex_unlock(mutex)
    default: break
    }
    return false
  }
}

public func os_unfair_lock_lock(_ lock: os_unfair_lock_t) {
  let status = pthread_mutex_lock(lock.mutex)
  guard status == 0 else { fatalError("os_unfair_lock: this thread holds the lock already (\(status))") }
}

public func os_unfair_lock_trylock(_ lock: os_unfair_lock_t) -> Bool {
  pthread_mutex_trylock(lock.mutex) == 0
}

public func os_unfair_lock_unlock(_ lock: os_unfair_lock_t) {
  let status = pthread_mutex_unlock(lock.mutex)
  guard status == 0 else { fatalError("os_unfair_lock: this thread does not hold the lock (\(status))") }
}

public func os_unfair_lock_assert_owner(_ lock: os_unfair_lock_t) {
  guard lock.isOwned else { fatalError("os_unfair_lock: this thread does not hold the lock") }
}

public func os_unfair_lock_assert_not_owner(_ lock: os_unfair_lock_t) {
  guard !lock.isOwned else { fatalError("os_unfair_lock: this thread holds the lock") }
}

/// swift-argument-parser, which takes this lock where there is a module `os`, ends it by this call where there is Glibc.
@discardableResult
public func pthread_mutex_destroy(_ lock: os_unfair_lock_t) -> CInt {
  Glibc.pthread_mutex_destroy(lock.mutex)
}
