import LatchkeyTestSupport
import LatchkeyKeychainModel
import Testing
import keychain_worker

/// Many processes on one file, none of which knows of the others.
@Suite("A keychain with eight processes", .timeLimit(.minutes(60))) struct TortureProcessesTests {
  private static let keys = 4

  @Test(
    "answers as if every call happened at one instant, and is never busy",
    arguments: 0..<Torture.count(sample: 1, soak: 3))
  func linearisable(seed: Int) throws {
    let folder = try TortureFolder()
    let path = folder.file("keychain.db")
    let count = Torture.count(sample: 40, soak: 1_000)
    // None of them finds a keychain: all make it at once.
    let workers = try (0..<8).map {
      try TortureWorker([path, "mixed", "\($0)", "\(100 * seed + $0)", "\(count)", "\(Self.keys)"])
    }
    for worker in workers { #expect(try worker.next() == .ready) }
    for worker in workers { worker.go() }
    var calls: [Int: [TortureHistory.Call]] = [:]
    for (lane, worker) in workers.enumerated() {
      let lines = try worker.rest()
      #expect(lines.last == .finished && worker.endedWell())
      for line in lines {
        guard case .call(let key, _, _, _, _, _) = line else { continue }
        calls[key, default: []].append(try #require(TortureHistory.Call(line, lane: lane)))
      }
    }
    #expect(calls.values.map(\.count).reduce(0, +) >= 8 * count)
    for (key, calls) in calls {
      #expect(TortureHistory(calls).isLinearisable(), "key \(key), seed \(seed), \(calls.count) calls")
    }
    // What is there in the end is what a last call of a ninth process would find.
    let found = try TortureStore.look(at: path)
    for (key, calls) in calls {
      let last = TortureHistory.Call(
        lane: 8, kind: .find, begin: .max - 1, end: .max - 1, answer: found[key].map { .found($0) } ?? .notFound)
      #expect(TortureHistory(calls + [last]).isLinearisable(), "key \(key) in the end")
    }
  }
}

extension TortureHistory.Call {
  /// A worker's line.
  fileprivate init?(_ line: WorkerLine, lane: Int) {
    guard case .call(_, let kind, let version, let begin, let end, let answer) = line else { return nil }
    let ours: TortureHistory.Call.Answer
    switch answer {
    case WorkerLine.Answer.done: ours = .done
    case WorkerLine.Answer.duplicate: ours = .duplicate
    case WorkerLine.Answer.notFound: ours = .notFound
    default:
      guard let version = Int(answer) else { return nil }
      ours = .found(version)
    }
    let what: Kind =
      switch kind {
      case .add: .add(version)
      case .update: .update(version)
      case .delete: .delete
      case .find: .find
      }
    self.init(lane: lane, kind: what, begin: begin, end: end, answer: ours)
  }
}
