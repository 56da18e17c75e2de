import Dispatch
import Foundation
import Glibc
import LatchkeyBluetoothTransports
import Synchronization
import Testing

/// They hold their thread: a task that yields waits behind all other tests, and a thread of these is busy meanwhile.
struct CallingThreadTests {
  @Test("The calling thread itself is not held up") func whoAsksForItselfIsNotHeldUp() {
    let thread = CallingThread()
    #expect(!thread.isHeldUp)
  }

  @Test("A thread that waits or has ended is not held up") func aThreadThatWaitsOrHasEndedIsNotHeldUp() {
    let made = Mutex<CallingThread?>(nil)
    let (ready, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let thread = Thread {
      made.withLock { $0 = CallingThread() }
      ready.signal()
      done.wait()
    }
    thread.start()
    while made.withLock({ $0 == nil }) { sched_yield() }
    // It goes to sleep in a moment: while it has not, it may be on a processor.
    while made.withLock({ $0?.isHeldUp }) == true { sched_yield() }
    done.signal()
    while !thread.isFinished { sched_yield() }
    // Finished it still has to leave the system.
    while made.withLock({ $0?.isHeldUp }) == true { sched_yield() }
  }

  @Test("A thread that has run since is not held up") func aThreadThatHasWorkedSinceIsNotHeldUp() {
    let made = Mutex<CallingThread?>(nil)
    let isOver = Atomic(false)
    let thread = Thread {
      made.withLock { $0 = CallingThread() }
      while !isOver.load(ordering: .relaxed) {}
    }
    thread.start()
    while made.withLock({ $0 == nil }) { sched_yield() }
    while made.withLock({ $0?.isHeldUp }) == true { sched_yield() }
    isOver.store(true, ordering: .relaxed)
  }
}
