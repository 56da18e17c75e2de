import Dispatch

/// `[NSThread isMainThread]`, where the first thread may be gone.
///
/// On Linux a program that waits in `dispatchMain`, as one with an asynchronous `main` and the tests do, has no thread that
/// `Thread.isMainThread` is true on: the main queue is drained by Dispatch's own threads. A listing that hands itself over until it
/// finds itself on the main thread would do so forever. What it means is the main queue, which says itself whether one is on it.
enum NSThread {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static var isMainThread: Bool { DispatchQueue.getSpecific(key: key) == true }
}
