import Dispatch
import Foundation
import LatchkeyBluetoothTransports
import Synchronization
import Testing

struct CallingThreadTests {
  @Test("The calling thread itself is not held up") func whoAsksForItselfIsNotHeldUp() {
    let thread = CallingThread()
    #expect(!thread.isHeldUp)
  }

  @Test("A thread that waits or has ended is not held up") func aThreadThatWaitsOrHasEndedIsNotHeldUp() async {
    let made = Mutex<CallingThread?>(nil)
    let (ready, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let thread = Thread {
      made.withLock { $0 = CallingThread() }
      ready.signal()
      done.wait()
    }
    thread.start()
    while made.withLock({ $0 == nil }) { await Task.yield() }
    // It goes to sleep in a moment: while it has not, it may be on a processor.
    while made.withLock({ $0?.isHeldUp }) == true { await Task.yield() }
    done.signal()
    while !thread.isFinished { await Task.yield() }
    let isHeldUp = made.withLock { $0?.isHeldUp }
    #expect(isHeldUp == false)
  }

  @Test("A thread that has run since is not held up") func aThreadThatHasWorkedSinceIsNotHeldUp() async {
    let made = Mutex<CallingThread?>(nil)
    let isOver = Atomic(false)
    let thread = Thread {
      made.withLock { $0 = CallingThread() }
      while !isOver.load(ordering: .relaxed) {}
    }
    thread.start()
    while made.withLock({ $0 == nil }) { await Task.yield() }
    while made.withLock({ $0?.isHeldUp }) == true { await Task.yield() }
    isOver.store(true, ordering: .relaxed)
  }
}
