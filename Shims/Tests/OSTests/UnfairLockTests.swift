import Dispatch
import Foundation
import Testing
import os

struct UnfairLockTests {
  @Test("One thread at a time is within the lock")
  func exclusion() {
    let counter = OSAllocatedUnfairLock(initialState: 0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<10_000 { counter.withLock { $0 += 1 } }
    }
    #expect(counter.withLock { $0 } == 80_000)
  }

  @Test("The plain lock excludes, too")
  func plainLock() {
    final class Guarded: @unchecked Sendable {
      let lock = UnsafeMutablePointer<os_unfair_lock>.allocate(capacity: 1)
      var count = 0
      init() { lock.initialize(to: os_unfair_lock()) }
      deinit { lock.deallocate() }
    }
    let guarded = Guarded()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<10_000 {
        os_unfair_lock_lock(guarded.lock)
        guarded.count += 1
        os_unfair_lock_unlock(guarded.lock)
      }
    }
    #expect(guarded.count == 80_000)
  }

  @Test("A copy is the same lock with the same state")
  func copies() {
    let lock = OSAllocatedUnfairLock(initialState: 1)
    let copy = lock
    copy.withLock { $0 = 2 }
    #expect(lock.withLock { $0 } == 2)
  }

  @Test("A lock that is held is not available, and is again after that")
  func available() {
    let lock = OSAllocatedUnfairLock(initialState: 1)
    let inner: Bool = lock.withLockUnchecked { _ in lock.withLockIfAvailableUnchecked { _ in true } ?? false }
    #expect(!inner)
    #expect(lock.withLockIfAvailable { $0 } == 1)
  }

  @Test("An error leaves the lock unlocked")
  func errors() {
    struct Failure: Error {}
    let lock = OSAllocatedUnfairLock()
    #expect(throws: Failure.self) { try lock.withLock { throw Failure() } }
    #expect(lock.withLockIfAvailable { true } == true)
  }

  @Test("Locks without state are locked by hand")
  func byHand() {
    let lock = OSAllocatedUnfairLock()
    lock.lock()
    lock.precondition(.owner)
    #expect(!lock.lockIfAvailable())
    lock.unlock()
    lock.precondition(.notOwner)
    #expect(lock.lockIfAvailable())
    lock.unlock()
  }

  @Test("A thread that waits goes on when the lock is free")
  func waiting() {
    let lock = OSAllocatedUnfairLock()
    let (begun, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    lock.lock()
    DispatchQueue.global().async {
      begun.signal()
      lock.withLock {}
      done.signal()
    }
    begun.wait()
    lock.unlock()
    done.wait()
    #expect(lock.withLockIfAvailable { true } == true)
  }

  @Test("Locking twice ends the program")
  func recursion() async {
    await #expect(processExitsWith: .failure) {
      var lock = os_unfair_lock()
      os_unfair_lock_lock(&lock)
      os_unfair_lock_lock(&lock)
    }
  }

  @Test("Owner and others are told apart, and the lock stays as it is")
  func ownership() {
    let lock = os_unfair_lock_t.allocate(capacity: 1)
    lock.initialize(to: os_unfair_lock())
    defer { lock.deallocate() }
    os_unfair_lock_assert_not_owner(lock)
    os_unfair_lock_lock(lock)
    os_unfair_lock_assert_owner(lock)
    nonisolated(unsafe) let shared = lock
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      os_unfair_lock_assert_not_owner(shared)
      #expect(!os_unfair_lock_trylock(shared))
      done.signal()
    }
    done.wait()
    os_unfair_lock_assert_owner(lock)
    os_unfair_lock_unlock(lock)
    #expect(os_unfair_lock_trylock(lock))
    os_unfair_lock_unlock(lock)
  }

  @Test("Asserting the opposite ends the program")
  func wrongAssertion() async {
    await #expect(processExitsWith: .failure) {
      var lock = os_unfair_lock()
      os_unfair_lock_assert_owner(&lock)
    }
    await #expect(processExitsWith: .failure) {
      var lock = os_unfair_lock()
      os_unfair_lock_lock(&lock)
      os_unfair_lock_assert_not_owner(&lock)
    }
  }

  @Test("Unlocking what is not held ends the program")
  func foreignUnlock() async {
    await #expect(processExitsWith: .failure) {
      var lock = os_unfair_lock()
      os_unfair_lock_unlock(&lock)
    }
    await #expect(processExitsWith: .failure) { OSAllocatedUnfairLock().precondition(.owner) }
  }
}
