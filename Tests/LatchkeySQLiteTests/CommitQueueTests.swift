import LatchkeySQLite
import Testing

struct CommitQueueTests {
  private final class Write: Sendable {
    let number: Int
    let isAlone: Bool

    init(_ number: Int, isAlone: Bool = false) {
      self.number = number
      self.isAlone = isAlone
    }
  }

  private typealias Queue = CommitQueue<Write>

  private func queue(
    leaders: Int = 1, batch: Int = .max, waiting: Int = .max, commitsInARow: Int = .max
  ) -> Queue {
    var limits = Queue.Limits()
    (limits.batch, limits.waiting, limits.commitsInARow) = (batch, waiting, commitsInARow)
    return Queue(leaders: leaders, limits: limits) { $0.isAlone }
  }

  private func insert(_ writes: [Write], into queue: inout Queue) -> [Queue.Admission] {
    writes.map { queue.insert($0, key: ObjectIdentifier($0)) }
  }

  /// A step in words: "commit 1 2", "hand over 3", "idle".
  private func step(_ queue: inout Queue, _ leader: Int = 0) -> String {
    switch queue.next(for: leader) {
    case .commit(let batch): "commit" + batch.map { " \($0.number)" }.joined()
    case .handOver(let heir): "hand over \(heir.number)"
    case .idle: "idle"
    }
  }

  @Test("The first write starts the leader, and those that come meanwhile share the next commit") func sharing() {
    var queue = queue()
    let writes = (1...4).map { Write($0) }
    #expect(queue.isIdle)
    #expect(insert([writes[0]], into: &queue) == [.starts(leader: 0)])
    #expect(!queue.isIdle)
    #expect(step(&queue) == "commit 1")
    #expect(insert(Array(writes[1...]), into: &queue) == [.waits, .waits, .waits])
    #expect(step(&queue) == "commit 2 3 4")
    #expect(step(&queue) == "idle")
    #expect(queue.isIdle && queue.count == 0)
  }

  @Test("A batch is bounded, and so are the writes that wait") func bounds() {
    var queue = queue(batch: 2, waiting: 3)
    let writes = (1...4).map { Write($0) }
    #expect(insert(writes, into: &queue) == [.starts(leader: 0), .waits, .waits, .refused])
    #expect(queue.count == 3)
    #expect(step(&queue) == "commit 1 2")
    #expect(insert([writes[3]], into: &queue) == [.waits])
    #expect(step(&queue) == "commit 3 4")
  }

  @Test("Each leader has batches of its own") func leaders() {
    var queue = queue(leaders: 2, batch: 1)
    let writes = (1...3).map { Write($0) }
    #expect(insert(writes, into: &queue) == [.starts(leader: 0), .starts(leader: 1), .waits])
    #expect(step(&queue, 1) == "commit 1")
    #expect(step(&queue, 0) == "commit 2")
    #expect(step(&queue, 1) == "commit 3")
    #expect(step(&queue, 0) == "idle")
    #expect(!queue.isIdle)
    #expect(step(&queue, 1) == "idle")
    #expect(queue.isIdle)
  }

  @Test("A write that needs a commit of its own splits the batch") func ownCommit() {
    var queue = queue()
    let writes = [Write(1), Write(2), Write(3, isAlone: true), Write(4, isAlone: true), Write(5)]
    _ = insert(writes, into: &queue)
    #expect((0..<5).map { _ in step(&queue) } == ["commit 1 2", "commit 3", "commit 4", "commit 5", "idle"])
  }

  @Test("A withdrawn write is in no batch; one that a leader has cannot be withdrawn") func withdrawal() {
    var queue = queue()
    let writes = (1...3).map { Write($0) }
    _ = insert(writes, into: &queue)
    #expect(queue.withdraw(ObjectIdentifier(writes[1])) === writes[1])
    #expect(queue.withdraw(ObjectIdentifier(writes[1])) == nil)
    #expect(queue.count == 2)
    #expect(step(&queue) == "commit 1 3")
    #expect(queue.withdraw(ObjectIdentifier(writes[0])) == nil)
    #expect(step(&queue) == "idle")
  }

  @Test("A queue whose writes are all withdrawn is idle") func allWithdrawn() {
    var queue = queue(commitsInARow: 1)
    let write = Write(1)
    _ = insert([write], into: &queue)
    #expect(queue.withdraw(ObjectIdentifier(write)) === write)
    #expect(step(&queue) == "idle")
  }

  @Test("A leader hands over to the first that waits after its share of commits") func handingOver() {
    var queue = queue(batch: 1, commitsInARow: 2)
    let writes = (1...5).map { Write($0) }
    _ = insert(writes, into: &queue)
    #expect(queue.withdraw(ObjectIdentifier(writes[2])) != nil)
    #expect(
      (0..<7).map { _ in step(&queue) } == [
        "commit 1", "commit 2", "hand over 4", "commit 4", "commit 5", "idle", "idle",
      ])
  }

  @Test("A leader that has handed over and is started again begins to count anew") func countsAnew() {
    var queue = queue(batch: 1, commitsInARow: 1)
    _ = insert([Write(1)], into: &queue)
    #expect((0..<2).map { _ in step(&queue) } == ["commit 1", "idle"])
    #expect(insert([Write(2)], into: &queue) == [.starts(leader: 0)])
    #expect(step(&queue) == "commit 2")
  }

  @Test("A new write under the key of a withdrawn one waits behind those that came before it") func sameKey() {
    var queue = queue()
    let writes = (1...3).map { Write($0) }
    _ = insert(Array(writes[..<2]), into: &queue)
    #expect(queue.withdraw(ObjectIdentifier(writes[0])) === writes[0])
    #expect(queue.insert(writes[2], key: ObjectIdentifier(writes[0])) == .waits)
    #expect(step(&queue) == "commit 2 3")
    #expect(step(&queue) == "idle")
  }

  @Test("It decides as a plain list does, whatever comes, is withdrawn and is committed", arguments: 0..<40)
  func model(seed: UInt64) {
    var random = SplitMix(state: seed)
    let batch = [1, 2, 3, Int.max][Int(seed % 4)]
    let commitsInARow = [1, 3, Int.max][Int(seed % 3)]
    let leaders = 1 + Int(seed % 2)
    var queue = queue(leaders: leaders, batch: batch, waiting: 12, commitsInARow: commitsInARow)
    // Few keys, so that each is used again and again.
    let keys = (0..<16).map { Write($0) }
    var waiting: [(key: Int, write: Write)] = []
    var commits: [Int: Int] = [:]
    for number in 0..<2000 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4:
        guard
          let key = keys.indices.filter({ key in !waiting.contains { $0.key == key } }).randomElement(using: &random)
        else { continue }
        let write = Write(number, isAlone: Int.random(in: 0..<5, using: &random) == 0)
        switch queue.insert(write, key: ObjectIdentifier(keys[key])) {
        case .refused: #expect(waiting.count == 12)
        case .starts(let leader):
          #expect(waiting.count < 12 && commits[leader] == nil)
          commits[leader] = 0
          waiting.append((key, write))
        case .waits:
          #expect(waiting.count < 12 && commits.count == leaders)
          waiting.append((key, write))
        }
      case 4..<7:
        let key = Int.random(in: keys.indices, using: &random)
        let expected = waiting.first { $0.key == key }?.write
        #expect(queue.withdraw(ObjectIdentifier(keys[key])) === expected)
        waiting.removeAll { $0.key == key }
      default:
        guard let leader = commits.keys.sorted().randomElement(using: &random), let count = commits[leader] else {
          continue
        }
        switch queue.next(for: leader) {
        case .idle:
          #expect(waiting.isEmpty)
          commits[leader] = nil
        case .handOver(let heir):
          #expect(count >= commitsInARow && heir === waiting.first?.write)
          commits[leader] = 0
        case .commit(let writes):
          #expect(count < commitsInARow)
          let alone = waiting.firstIndex { $0.write.isAlone } ?? waiting.count
          let expected = waiting.prefix(min(batch, max(1, alone)))
          #expect(writes.map(\.number) == expected.map(\.write.number))
          waiting.removeFirst(min(writes.count, waiting.count))
          commits[leader] = count + 1
        }
      }
      #expect(queue.count == waiting.count && queue.isIdle == commits.isEmpty)
    }
  }

  private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }
}
