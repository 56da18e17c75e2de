import Foundation
import LatchkeyPorting

/// A thread with enough stack for sources that are nested deeply.
enum PortingThread {
  /// Runs `body` on such a thread, and waits for it.
  static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value {
    let box = Box<Value>()
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      box.value = body()
      done.signal()
    }
    thread.stackSize = SourceText.stackSize
    thread.start()
    while true {
      done.wait()
      if let value = box.value { return value }
    }
  }

  /// Written by the one thread before it signals, read by the other behind that.
  private final class Box<Value>: @unchecked Sendable { var value: Value? }
}
