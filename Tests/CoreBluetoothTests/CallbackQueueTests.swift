import Dispatch
import Synchronization
import Testing

@testable import CoreBluetooth

struct CallbackQueueTests {
  /// Notes what was delivered, and lets a test wait for a number of items.
  final class Recorder: CallbackHandler {
    typealias Item = Int

    let items = Mutex<[Int]>([])
    let runs = Mutex(0)
    private let expected: Int
    private let (stream, continuation) = AsyncStream.makeStream(of: Void.self)

    init(expecting count: Int) { expected = count }

    func deliver(_ item: consuming Int) {
      let value = item
      let count = items.withLock { items in
        items.append(value)
        return items.count
      }
      if count == expected { continuation.finish() }
    }

    func deliveredRun() { runs.withLock { $0 += 1 } }

    func wait() async { for await _ in stream {} }
  }

  @Test("Items keep their order", .timeLimit(.minutes(5)), arguments: [1, 63, 64, 65, 1000])
  func itemsKeepTheirOrder(count: Int) async {
    let recorder = Recorder(expecting: count)
    let callbacks = CallbackQueue<Recorder>(DispatchQueue(label: "callbacks"))
    callbacks.start(recorder)
    for item in 0..<count { callbacks.append(item, to: recorder) }
    await recorder.wait()
    #expect(recorder.items.withLock { $0 } == Array(0..<count))
  }

  @Test("A concurrent queue is served one item at a time", .timeLimit(.minutes(5)))
  func aConcurrentQueueIsServedOneAtATimeToo() async {
    let recorder = Recorder(expecting: 1000)
    let callbacks = CallbackQueue<Recorder>(DispatchQueue(label: "callbacks", attributes: .concurrent))
    callbacks.start(recorder)
    for item in 0..<1000 { callbacks.append(item, to: recorder) }
    await recorder.wait()
    #expect(recorder.items.withLock { $0 } == Array(0..<1000))
  }

  @Test("Nothing is delivered before the start", .timeLimit(.minutes(5)))
  func nothingIsDeliveredBeforeTheStart() async {
    let queue = DispatchQueue(label: "callbacks")
    let recorder = Recorder(expecting: 2)
    let callbacks = CallbackQueue<Recorder>(queue)
    callbacks.append(1, to: recorder)
    queue.sync {}
    #expect(recorder.items.withLock { $0 }.isEmpty)
    callbacks.append(2, to: recorder)
    callbacks.start(recorder)
    await recorder.wait()
    #expect(recorder.items.withLock { $0 } == [1, 2])
  }

  @Test("A long run yields to other blocks on the queue", .timeLimit(.minutes(5)))
  func aLongRunLetsOthersOnTheQueue() async {
    let queue = DispatchQueue(label: "callbacks")
    let recorder = Recorder(expecting: 200)
    let callbacks = CallbackQueue<Recorder>(queue)
    for item in 0..<200 { callbacks.append(item, to: recorder) }
    let seen = Mutex(0)
    queue.suspend()
    callbacks.start(recorder)
    await withCheckedContinuation { continuation in
      queue.async {
        seen.withLock { $0 = recorder.items.withLock { $0.count } }
        continuation.resume()
      }
      queue.resume()
    }
    #expect(seen.withLock { $0 } <= 64)
    await recorder.wait()
  }

  /// The same with subjects, and sources of all items from a million on: a million for each.
  final class StateRecorder: CallbackHandler {
    typealias Item = Int
    typealias Subject = Int

    static func source(of item: Int) -> Int? { item < 1_000_000 ? nil : item / 1_000_000 }

    let items = Mutex<[Int]>([])

    func deliver(_ item: consuming Int) {
      let value = item
      items.withLock { $0.append(value) }
    }

    func deliveredRun() {}
  }

  /// The delivered items of those that `body` appends while the queue is busy, in two rounds.
  private func delivered(_ body: (CallbackQueue<StateRecorder>, StateRecorder) -> Void) -> [Int] {
    let queue = DispatchQueue(label: "callbacks")
    let recorder = StateRecorder()
    let callbacks = CallbackQueue<StateRecorder>(queue)
    callbacks.start(recorder)
    queue.sync {}
    queue.suspend()
    body(callbacks, recorder)
    queue.resume()
    // A block delivers a run and queues itself anew, behind this one.
    for _ in 0..<100 { queue.sync {} }
    return recorder.items.withLock { $0 }
  }

  @Test("The first and the last item of a subject wait in their places")
  func ofASubjectTheFirstAndTheLastItemWaitInTheirPlaces() {
    let items = delivered { callbacks, recorder in
      for item in 0..<100_000 { callbacks.append(item, of: item % 2, to: recorder) }
      callbacks.append(-1, to: recorder)
      callbacks.append(-2, of: 0, to: recorder)
    }
    #expect(items == [0, 1, -2, 99_999, -1])
  }

  @Test("A delivered item is not replaced") func whatWasDeliveredIsNotReplaced() {
    let queue = DispatchQueue(label: "callbacks")
    let recorder = StateRecorder()
    let callbacks = CallbackQueue<StateRecorder>(queue)
    callbacks.start(recorder)
    for item in 0..<10 {
      callbacks.append(item, of: 0, to: recorder)
      queue.sync {}
    }
    #expect(recorder.items.withLock { $0 } == Array(0..<10))
  }

  @Test("Beyond the capacity only droppable items are dropped") func beyondTheCapacityOnlyWhatMayBeDroppedIs() {
    let capacity = CallbackQueue<StateRecorder>.subjectCapacity
    let items = delivered { callbacks, recorder in
      for item in 0..<capacity { callbacks.append(item, of: item, mayDrop: true, to: recorder) }
      callbacks.append(-1, of: -1, mayDrop: true, to: recorder)
      callbacks.append(-2, of: -2, to: recorder)
      callbacks.append(-3, of: 0, mayDrop: true, to: recorder)
      callbacks.append(-4, to: recorder)
    }
    #expect(items == Array(0..<capacity) + [-2, -3, -4])
  }

  @Test("A limited number of items of ended sources waits") func ofSourcesThatEndedSoManyItemsWait() {
    var hasBegunToDrop: [Int] = []
    let items = delivered { callbacks, recorder in
      for source in 1...400 {
        callbacks.begin(source)
        callbacks.append(source * 1_000_000, of: source, to: recorder)
        callbacks.append(source * 1_000_000 + 1, to: recorder)
        if callbacks.appendEnd(source * 1_000_000 + 2, of: source, to: recorder) { hasBegunToDrop.append(source) }
      }
      callbacks.append(-1, to: recorder)
    }
    let whole = CallbackQueue<StateRecorder>.endedCapacity / 3
    let kept: [Int] = (1...whole).flatMap { source in (0..<3).map { source * 1_000_000 + $0 } }
    let expected: [Int] = kept + [-1]
    #expect(items == expected)
    #expect(hasBegunToDrop == [whole + 1])
  }

  @Test("Dropping the items of one source keeps the order of the others")
  func whatOneSourceLeavesOutOthersKeepInTheirPlaces() {
    let many = Array(1_000_000..<(1_000_000 + CallbackQueue<StateRecorder>.endedCapacity - 1))
    let items = delivered { callbacks, recorder in
      callbacks.begin(1)
      for item in many { callbacks.append(item, to: recorder) }
      for source in 2...3 { callbacks.begin(source) }
      callbacks.append(2_000_000, of: 20, to: recorder)
      callbacks.append(3_000_000, of: 30, to: recorder)
      callbacks.append(2_000_001, of: 20, to: recorder)
      callbacks.append(3_000_001, of: 30, to: recorder)
      callbacks.append(3_000_002, to: recorder)
      _ = callbacks.appendEnd(1_999_999, of: 1, to: recorder)
      #expect(callbacks.appendEnd(2_999_999, of: 2, to: recorder))
      callbacks.append(3_000_003, of: 30, to: recorder)
    }
    let expected: [Int] = many + [3_000_000, 3_000_003, 3_000_002, 1_999_999]
    #expect(items == expected)
  }

  @Test("A source with a reported item has its end reported") func reportedSource() {
    let queue = DispatchQueue(label: "callbacks")
    let recorder = StateRecorder()
    let callbacks = CallbackQueue<StateRecorder>(queue)
    callbacks.start(recorder)
    callbacks.begin(1)
    callbacks.append(1_000_000, to: recorder)
    queue.sync {}
    for _ in 0..<2 {
      queue.suspend()
      callbacks.begin(2)
      for _ in 1..<CallbackQueue<StateRecorder>.endedCapacity { callbacks.append(2_000_000, to: recorder) }
      _ = callbacks.appendEnd(2_000_001, of: 2, to: recorder)
      callbacks.append(1_000_001, to: recorder)
      let beginsToDrop = callbacks.appendEnd(1_000_002, of: 1, to: recorder)
      #expect(beginsToDrop)
      queue.resume()
      for _ in 0..<100 { queue.sync {} }
      let last = recorder.items.withLock { items in
        defer { items = [] }
        return items.last
      }
      // In the second round it is reported for the second time, and there is space again for the others.
      #expect(last == 1_000_002)
    }
  }

  @Test("No item is retained after its callback", .timeLimit(.minutes(5)))
  func nothingIsRetained() async {
    let queue = DispatchQueue(label: "callbacks")
    weak var kept: Recorder?
    do {
      let recorder = Recorder(expecting: 1)
      kept = recorder
      let callbacks = CallbackQueue<Recorder>(queue)
      callbacks.start(recorder)
      callbacks.append(1, to: recorder)
      await recorder.wait()
    }
    queue.sync {}
    #expect(kept == nil)
  }
}
