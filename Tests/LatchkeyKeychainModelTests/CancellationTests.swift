import Dispatch
import LatchkeyKeychainModel
import Synchronization
import Testing

/// The operations that ran, in order.
private final class Record: Sendable {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }
  func add(_ line: String) { lines.withLock { $0.append(line) } }
}

private struct Refusal: Error, Equatable { var number: Int }

@Suite("Cancellation") struct CancellationTests {
  @Test("A new one is not canceled, and canceling it does not cancel another") func new() {
    let cancellation = Cancellation()
    let other = Cancellation()
    #expect(!cancellation.isCancelled)
    cancellation.cancel()
    #expect(cancellation.isCancelled)
    #expect(!other.isCancelled)
  }

  @Test("Without cancellation the handler never runs, and the body's value comes back") func notCancelled() {
    let cancellation = Cancellation()
    let record = Record()
    #expect(cancellation.withHandler(onCancel: { record.add("handler") }, { 42 }) == 42)
    #expect(record.all.isEmpty)
    #expect(!cancellation.isCancelled)
  }

  @Test("The handler of a body that has ended does not run, whether the body returned or threw") func ended() {
    let cancellation = Cancellation()
    let record = Record()
    cancellation.withHandler(onCancel: { record.add("returned") }, {})
    let error = failure { () throws(Refusal) in
      try cancellation.withHandler(onCancel: { record.add("threw") }) { () throws(Refusal) in
        throw Refusal(number: 7)
      }
    }
    #expect(error == Refusal(number: 7))
    cancellation.cancel()
    #expect(record.all.isEmpty)
  }

  @Test("A handler that comes after the cancellation runs at once, before its body") func late() {
    let cancellation = Cancellation()
    let record = Record()
    cancellation.cancel()
    cancellation.withHandler(onCancel: { record.add("handler") }, { record.add("body") })
    #expect(record.all == ["handler", "body"])
    cancellation.cancel()
    #expect(record.all == ["handler", "body"])
  }

  @Test("Handlers run once, the outer before the inner, however often it is canceled") func once() {
    let cancellation = Cancellation()
    let record = Record()
    cancellation.withHandler(onCancel: { record.add("outer") }) {
      cancellation.withHandler(onCancel: { record.add("ended") }, {})
      cancellation.withHandler(onCancel: { record.add("inner") }) {
        #expect(record.all.isEmpty)
        cancellation.cancel()
        #expect(record.all == ["outer", "inner"])
        cancellation.cancel()
      }
    }
    cancellation.cancel()
    #expect(record.all == ["outer", "inner"])
  }

  @Test("A handler may use its cancellation itself") func reentrant() {
    let cancellation = Cancellation()
    let record = Record()
    cancellation.withHandler(
      onCancel: {
        record.add("cancelled: \(cancellation.isCancelled)")
        cancellation.cancel()
        cancellation.withHandler(onCancel: { record.add("nested") }, {})
      }, { cancellation.cancel() })
    #expect(record.all == ["cancelled: true", "nested"])
  }

  @Test("A cancellation from another thread ends a body that waits") func otherThread() {
    let cancellation = Cancellation()
    let waiting = DispatchSemaphore(value: 0)
    let ending = DispatchSemaphore(value: 0)
    onTwoThreads({
      _ = waiting.waitLong()
      cancellation.cancel()
    }) {
      let result = cancellation.withHandler(onCancel: { ending.signal() }) {
        waiting.signal()
        return ending.waitLong()
      }
      #expect(result == .success)
    }
    #expect(cancellation.isCancelled)
  }

  @Test("Of two threads that cancel at the same time one runs the handler") func twoCancels() {
    for round in 0..<200 {
      let cancellation = Cancellation()
      let record = Record()
      cancellation.withHandler(onCancel: { record.add("handler") }) {
        onTwoThreads({ cancellation.cancel() }, { cancellation.cancel() })
      }
      #expect(record.all == ["handler"], "\(round)")
    }
  }

  @Test("A cancellation that races with its handler's arrival is never lost") func race() throws {
    for round in 0..<200 {
      let cancellation = Cancellation()
      let ending = DispatchSemaphore(value: 0)
      var result = DispatchTimeoutResult.timedOut
      onTwoThreads({ cancellation.cancel() }) {
        result = cancellation.withHandler(onCancel: { ending.signal() }, { ending.waitLong() })
      }
      try #require(result == .success, "\(round)")
      // The handler ran once: nothing is left of its signal.
      #expect(ending.wait(timeout: .now()) == .timedOut, "\(round)")
    }
  }
}
