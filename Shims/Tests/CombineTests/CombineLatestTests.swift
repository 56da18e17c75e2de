import Combine
import Testing

private func pairs(_ values: [(Int, String)]) -> [String] { values.map { "\($0.0)\($0.1)" } }

struct CombineLatestTests {
  @Test("The latest values come once each publisher has sent one")
  func values() {
    let (numbers, letters) = (PassthroughSubject<Int, Never>(), PassthroughSubject<String, Never>())
    let recorder = Recorder<(Int, String), Never>(.unlimited)
    numbers.combineLatest(letters).subscribe(recorder)
    numbers.send(1)
    numbers.send(2)
    #expect(recorder.values.isEmpty)
    letters.send("a")
    numbers.send(3)
    letters.send("b")
    #expect(pairs(recorder.values) == ["2a", "3a", "3b"])
    numbers.send(completion: .finished)
    letters.send("c")
    #expect(recorder.completions.isEmpty)
    letters.send(completion: .finished)
    #expect(pairs(recorder.values).last == "3c")
    #expect(recorder.completions == [.finished])
  }

  @Test("Three and four publishers are combined, and transformed")
  func counts() {
    let one = Just("a")
    var texts: [String] = []
    let cancellables = [
      one.combineLatest(one) { (a: String, b: String) in a + b }.sink { texts.append($0) },
      one.combineLatest(one, one) { (a: String, b: String, c: String) in a + b + c }.sink { texts.append($0) },
      one.combineLatest(one, one, one) { (a: String, b: String, c: String, d: String) in a + b + c + d }
        .sink { texts.append($0) },
      one.combineLatest(one, Just("b")).sink { texts.append($0.2) },
      one.combineLatest(one, one, Just("c")).sink { texts.append($0.3) },
    ]
    #expect(texts == ["aa", "aaa", "aaaa", "b", "c"])
    cancellables.forEach { $0.cancel() }
  }

  @Test("The first failure ends all, once, and cancels the others")
  func failure() {
    let (a, b) = (Source<Int, Failed>(), Source<Int, Failed>())
    let recorder = Recorder<(Int, Int), Failed>(.unlimited)
    a.combineLatest(b).subscribe(recorder)
    a.send(1)
    b.send(completion: .failure(Failed()))
    a.send(2)
    b.send(3)
    a.send(completion: .failure(Failed()))
    #expect(recorder.values.isEmpty)
    #expect(recorder.completions == [.failure(Failed())])
    #expect(a.isCancelled)
  }

  @Test("A failure while subscribing keeps the rest from being subscribed to")
  func earlyFailure() {
    let late = Source<Int, Failed>()
    let recorder = Recorder<(Int, Int), Failed>(.unlimited)
    Fail<Int, Failed>(error: Failed()).combineLatest(late).subscribe(recorder)
    #expect(recorder.completions == [.failure(Failed())])
    #expect(late.requested.isEmpty)
  }

  @Test("Values that nobody wants yet are replaced by the latest")
  func demand() {
    let (a, b) = (Source<Int, Never>(), Source<Int, Never>())
    let recorder = Recorder<(Int, Int), Never>(.none)
    a.combineLatest(b).subscribe(recorder)
    for value in 0..<1000 {
      a.send(value)
      b.send(-value)
    }
    #expect(recorder.values.isEmpty)
    recorder.subscription?.request(.max(2))
    #expect(recorder.values.map { [$0.0, $0.1] } == [[999, -999]])
    a.send(1)
    a.send(2)
    #expect(recorder.values.map(\.0) == [999, 1])
    a.send(completion: .finished)
    b.send(completion: .finished)
    #expect(recorder.completions.isEmpty)
    recorder.subscription?.request(.max(1))
    #expect(recorder.values.map(\.0) == [999, 1, 2])
    #expect(recorder.completions == [.finished])
  }

  @Test("Subscriptions to publishers are kept until the end, and no longer")
  func subscriptions() {
    let sources = (0..<4).map { _ in Source<Int, Never>() }
    let latest = Recorder<(Int, Int), Never>(.unlimited)
    let merged = Recorder<Int, Never>(.unlimited)
    sources[0].combineLatest(sources[1]).subscribe(latest)
    sources[2].merge(with: sources[3]).subscribe(merged)
    #expect(sources.allSatisfy { $0.subscription != nil })
    for source in sources { source.send(completion: .finished) }
    #expect(sources.allSatisfy { $0.subscription == nil })
    #expect(latest.completions == [.finished] && merged.completions == [.finished])
  }

  @Test("After a cancellation nothing comes, also of one during a value")
  func cancellation() {
    let (a, b) = (Source<Int, Never>(), Source<Int, Never>())
    let recorder = Recorder<(Int, Int), Never>(.unlimited)
    recorder.onValue = { _ in recorder.subscription?.cancel() }
    a.combineLatest(b).subscribe(recorder)
    a.send(1)
    b.send(1)
    b.send(2)
    a.send(completion: .finished)
    b.send(completion: .finished)
    #expect(recorder.values.count == 1 && recorder.completions.isEmpty)
    #expect(a.isCancelled && b.isCancelled)
  }
}
