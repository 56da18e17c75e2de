import Combine
import Dispatch
import Testing

struct MergeTests {
  @Test("Values come as they are sent, and the end when all have ended")
  func values() {
    let (a, b) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    let recorder = Recorder<Int, Never>(.unlimited)
    a.merge(with: b).subscribe(recorder)
    a.send(1)
    b.send(2)
    a.send(3)
    a.send(completion: .finished)
    #expect(recorder.completions.isEmpty)
    b.send(4)
    b.send(completion: .finished)
    #expect(recorder.values == [1, 2, 3, 4])
    #expect(recorder.completions == [.finished])
  }

  @Test("Up to eight publishers, or any number of one type, are merged")
  func counts() {
    let one = Just(1).eraseToAnyPublisher()
    let merged: [AnyPublisher<Int, Never>] = [
      Just(1).merge(with: one).eraseToAnyPublisher(),
      Just(1).merge(with: one, one).eraseToAnyPublisher(),
      Just(1).merge(with: one, one, one).eraseToAnyPublisher(),
      Just(1).merge(with: one, one, one, one).eraseToAnyPublisher(),
      Just(1).merge(with: one, one, one, one, one).eraseToAnyPublisher(),
      Just(1).merge(with: one, one, one, one, one, one).eraseToAnyPublisher(),
      Just(1).merge(with: one, one, one, one, one, one, one).eraseToAnyPublisher(),
      Publishers.MergeMany(Array(repeating: one, count: 9)).eraseToAnyPublisher(),
      Publishers.MergeMany(one, one).merge(with: one).eraseToAnyPublisher(),
    ]
    let counts = merged.map { publisher in
      let recorder = Recorder<Int, Never>(.unlimited)
      publisher.subscribe(recorder)
      #expect(recorder.completions == [.finished])
      return recorder.values.count
    }
    #expect(counts == [2, 3, 4, 5, 6, 7, 8, 9, 3])
  }

  @Test("Without publishers the end comes at once")
  func none() {
    let recorder = Recorder<Int, Never>(.none)
    Publishers.MergeMany([Just<Int>]()).subscribe(recorder)
    #expect(recorder.values.isEmpty && recorder.completions == [.finished])
  }

  @Test("The first failure ends all, once, and cancels the others")
  func failure() {
    let sources = (0..<3).map { _ in Source<Int, Failed>() }
    let recorder = Recorder<Int, Failed>(.unlimited)
    Publishers.MergeMany(sources).subscribe(recorder)
    sources[0].send(1)
    sources[1].send(completion: .failure(Failed()))
    sources[2].send(2)
    sources[2].send(completion: .failure(Failed()))
    sources[0].send(completion: .finished)
    #expect(recorder.values == [1])
    #expect(recorder.completions == [.failure(Failed())])
    #expect(sources[0].isCancelled && sources[2].isCancelled)
  }

  @Test("A failure while subscribing keeps the rest from being subscribed to")
  func earlyFailure() {
    let late = Source<Int, Failed>()
    let recorder = Recorder<Int, Failed>(.unlimited)
    Fail<Int, Failed>(error: Failed()).merge(with: late).subscribe(recorder)
    #expect(recorder.completions == [.failure(Failed())])
    #expect(late.requested.isEmpty)
  }

  @Test("No more values come than are wanted, and one of each publisher waits")
  func demand() {
    let sources = (0..<2).map { _ in Source<Int, Never>() }
    let recorder = Recorder<Int, Never>(.max(1))
    Publishers.MergeMany(sources).subscribe(recorder)
    #expect(sources.map(\.requested) == [[.max(1)], [.max(1)]])
    sources[0].send(1)
    sources[1].send(2)
    sources[0].send(3)
    #expect(recorder.values == [1])
    #expect(sources[0].answers == [.max(1), .none])
    recorder.subscription?.request(.max(1))
    #expect(recorder.values == [1, 2])
    recorder.subscription?.request(.max(5))
    #expect(recorder.values == [1, 2, 3])
    #expect(sources.map(\.requested) == [[.max(1), .max(1)], [.max(1), .max(1)]])
  }

  @Test("A publisher that sends what nobody asked for makes nothing grow: its latest value waits")
  func flood() {
    let source = Source<Int, Never>()
    let recorder = Recorder<Int, Never>(.none)
    source.merge(with: Empty<Int, Never>()).subscribe(recorder)
    for value in 0..<1000 { source.send(value) }
    #expect(recorder.values.isEmpty)
    recorder.subscription?.request(.unlimited)
    #expect(recorder.values == [999])
    #expect(source.requested.last == .unlimited)
  }

  @Test("The end waits for what was sent before it")
  func endAfterValues() {
    let (a, b) = (Source<Int, Never>(), Source<Int, Never>())
    let recorder = Recorder<Int, Never>(.none)
    a.merge(with: b).subscribe(recorder)
    a.send(1)
    a.send(completion: .finished)
    b.send(completion: .finished)
    #expect(recorder.completions.isEmpty)
    recorder.subscription?.request(.max(1))
    #expect(recorder.values == [1] && recorder.completions == [.finished])
  }

  @Test("Who wants everything has everything asked for, from publishers that come later, too")
  func unlimited() {
    let sources = (0..<2).map { _ in Source<Int, Never>() }
    let recorder = Recorder<Int, Never>(.unlimited)
    Publishers.MergeMany(sources).subscribe(recorder)
    #expect(sources.map(\.requested) == [[.unlimited], [.unlimited]])
  }

  @Test("After a cancellation nothing comes, also of one during a value")
  func cancellation() {
    let sources = (0..<2).map { _ in Source<Int, Never>() }
    let recorder = Recorder<Int, Never>(.unlimited)
    recorder.onValue = { _ in recorder.subscription?.cancel() }
    Publishers.MergeMany(sources).subscribe(recorder)
    sources[0].send(1)
    sources[1].send(2)
    sources[0].send(completion: .finished)
    sources[1].send(completion: .finished)
    #expect(recorder.values == [1] && recorder.completions.isEmpty)
    #expect(sources[0].isCancelled && sources[1].isCancelled)
    recorder.subscription?.cancel()
    recorder.subscription?.request(.unlimited)
  }

  @Test("Nothing is kept after a cancellation, nor after the end, nor after a failure", arguments: 0..<3)
  func memory(_ ending: Int) {
    let subjects = (0..<2).map { _ in PassthroughSubject<Int, Failed>() }
    weak var merged: Recorder<Int, Failed>?
    weak var latest: Recorder<(Int, Int), Failed>?
    do {
      let (first, second) = (Recorder<Int, Failed>(.unlimited), Recorder<(Int, Int), Failed>(.unlimited))
      (merged, latest) = (first, second)
      Publishers.MergeMany(subjects).subscribe(first)
      subjects[0].combineLatest(subjects[1]).subscribe(second)
      subjects[0].send(1)
      subjects[1].send(2)
      #expect(first.values.count == 2 && second.values.count == 1)
      switch ending {
      case 0: [first.subscription, second.subscription].forEach { $0?.cancel() }
      case 1: subjects.forEach { $0.send(completion: .finished) }
      default: subjects[0].send(completion: .failure(Failed()))
      }
      [first.forget, second.forget].forEach { $0() }
    }
    #expect(merged == nil && latest == nil)
  }

  @Test("A value that is sent from within another one comes")
  func reentrance() {
    let (a, b) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    let recorder = Recorder<Int, Never>(.unlimited)
    recorder.onValue = { if $0 < 10 { b.send($0 + 1) } }
    a.merge(with: b).subscribe(recorder)
    a.send(1)
    #expect(recorder.values == Array(1...10))
  }

  @Test("Publishers on many threads lose nothing, and call one at a time")
  func threads() {
    nonisolated(unsafe) let subjects = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
    let recorder = Recorder<Int, Never>(.unlimited)
    Publishers.MergeMany(subjects).subscribe(recorder)
    DispatchQueue.concurrentPerform(iterations: 4) { index in
      for value in 0..<2000 { subjects[index].send(index * 2000 + value) }
      subjects[index].send(completion: .finished)
    }
    #expect(recorder.values.sorted() == Array(0..<8000))
    #expect(recorder.completions == [.finished])
  }
}
