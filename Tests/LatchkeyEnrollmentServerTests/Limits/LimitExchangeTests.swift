import LatchkeyEnrollmentStore
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("What servers tell each other about limits")
struct LimitExchangeTests {
  /// A class, since `#expect` and `#require` do not mutate a value.
  private final class Server {
    private var exchange: LimitExchange

    init(_ node: String, session: UInt8) {
      exchange = LimitExchange(node: node, session: [UInt8](repeating: session, count: 16))
    }
    func add(_ uses: [LimitUse], now: Int64) { exchange.add(uses, now: now) }
    func report(now: Int64) -> LimitReport? { exchange.report(now: now) }
    func note(stored report: LimitReport) { exchange.note(stored: report) }
    func news(in reports: [LimitReport]) -> [LimitUse] { exchange.news(in: reports) }
  }
  private func key(_ number: UInt64, _ kind: LimitUse.Kind = .address) -> LimitUse.Key {
    LimitUse.Key(kind, ClientDigest(high: 7, low: number))
  }
  private func use(_ number: UInt64, _ count: UInt32, tenths: UInt16 = 10) -> LimitUse {
    LimitUse(key(number), count: count, tenths: tenths)
  }
  /// A report as another server would write it.
  private func report(
    _ uses: [LimitCounts.Aged], session: UInt8 = 1, sequence: Int64 = 1, node: String = "a"
  ) -> LimitReport {
    LimitReport(
      node: node, session: [UInt8](repeating: session, count: 16), sequence: sequence, expires: 60,
      counts: LimitCounts.encode(uses))
  }
  /// A reader that has read once.
  private func reader() -> Server {
    let reader = Server("b", session: 2)
    #expect(reader.news(in: []) == [])
    return reader
  }

  @Test(
    "Counts are read once, however often their report is written and read, and reports without news are not written")
  func once() throws {
    let (writer, reader) = (Server("a", session: 1), self.reader())
    #expect(writer.report(now: 0) == nil)
    writer.add([], now: 0)
    #expect(writer.report(now: 0) == nil)
    writer.add([use(1, 5)], now: 0)
    let first = try #require(writer.report(now: 0))
    #expect(reader.news(in: [first]) == [use(1, 5)])
    // The write succeeded, and its answer was lost.
    #expect(writer.report(now: 1) != nil)
    writer.note(stored: first)
    #expect(writer.report(now: 1) == nil)
    #expect(reader.news(in: [first]) == [])
    writer.add([use(1, 2), use(2, 3)], now: 1)
    let second = try #require(writer.report(now: 1))
    #expect(Set(reader.news(in: [second])) == [use(1, 2), use(2, 3)])
    #expect(reader.news(in: [second, second]) == [])
  }

  @Test("Counts whose write failed are in the next report, and a late reader gets all that it missed, as one use")
  func late() throws {
    let (writer, reader) = (Server("a", session: 1), self.reader())
    for second in 0..<4 { writer.add([use(1, 5)], now: Int64(second)) }
    let report = try #require(writer.report(now: 3))
    #expect(reader.news(in: [report]) == [use(1, 20, tenths: 40)])
  }

  @Test("Counts end after ten seconds, or as many exchanges, and with a clock that was set back")
  func ends() throws {
    let writer = Server("a", session: 1)
    writer.add([use(1, 5)], now: 100)
    #expect(writer.report(now: 111) == nil)
    writer.add([use(2, 5)], now: 111)
    let late = reader()
    let reports = [try #require(writer.report(now: 111))]
    #expect(late.news(in: reports) == [use(2, 5)])
    #expect(writer.report(now: 110) == nil)
    for number in 0..<20 { writer.add([use(UInt64(number), 1)], now: 111) }
    let other = reader()
    let all = [try #require(writer.report(now: 111))]
    #expect(other.news(in: all).count == 10)
  }

  @Test("A server that starts takes nothing from what was counted before, and then everything")
  func start() throws {
    let (writer, starting) = (Server("a", session: 1), Server("b", session: 2))
    writer.add([use(1, 5)], now: 0)
    let before = try #require(writer.report(now: 0))
    #expect(starting.news(in: [before]) == [])
    writer.add([use(1, 6)], now: 1)
    let after = try #require(writer.report(now: 1))
    #expect(starting.news(in: [after]) == [use(1, 6)])
  }

  @Test("A restarted server counts from the start under its name, and takes nothing from its own report before")
  func restart() throws {
    let (writer, reader) = (Server("a", session: 1), self.reader())
    for _ in 0..<3 { writer.add([use(1, 5)], now: 0) }
    let before = try #require(writer.report(now: 0))
    #expect(reader.news(in: [before]) == [use(1, 15, tenths: 30)])
    let restarted = Server("a", session: 3)
    #expect(restarted.news(in: []) == [])
    #expect(restarted.news(in: [before]) == [])
    restarted.add([use(1, 1)], now: 1)
    let after = try #require(restarted.report(now: 1))
    #expect(reader.news(in: [after]) == [use(1, 1)])
  }

  @Test("Several servers' counts add up, and their times do not")
  func several() {
    let reader = self.reader()
    let news = reader.news(in: [
      report([.init(use(1, 5), age: 0), .init(use(1, 5), age: 1)], session: 1, sequence: 2, node: "a"),
      report([.init(use(1, 7, tenths: 5), age: 0)], session: 3, node: "c"),
    ])
    #expect(news == [use(1, 17, tenths: 20)])
  }

  @Test("Own counts are not news, under another name either, nor is a report that is there twice")
  func own() {
    let reader = self.reader()
    let uses = [LimitCounts.Aged(use(1, 5), age: 0)]
    #expect(reader.news(in: [report(uses, session: 2, node: "a"), report(uses, session: 9, node: "b")]) == [])
    #expect(reader.news(in: [report(uses), report(uses, node: "c")]) == [use(1, 5)])
  }

  @Test(
    "A report with a number that no server writes is ignored",
    arguments: [Int64.min, -1, 0, 1 << 53 + 1, .max])
  func numbers(sequence: Int64) {
    let reader = self.reader()
    #expect(reader.news(in: [report([.init(use(1, 5), age: 0)], sequence: sequence)]) == [])
    #expect(reader.news(in: [report([.init(use(1, 5), age: 0)])]) == [use(1, 5)])
  }

  @Test("A number that goes back is not read again until it is passed, and ages beyond what servers keep are ignored")
  func back() {
    let reader = self.reader()
    #expect(reader.news(in: [report([.init(use(1, 5), age: 0)], sequence: 8)]) == [use(1, 5)])
    #expect(reader.news(in: [report([.init(use(1, 5), age: 0)], sequence: 7)]) == [])
    #expect(reader.news(in: [report([.init(use(1, 5), age: 0)], sequence: 8)]) == [])
    #expect(reader.news(in: [report([.init(use(1, 5), age: 10), .init(use(2, 5), age: 255)], sequence: 300)]) == [])
  }

  @Test("Counts as great as can be do not overflow")
  func great() {
    let reader = self.reader()
    let uses = (0..<10).map { LimitCounts.Aged(use(1, .max, tenths: .max), age: UInt8($0)) }
    #expect(reader.news(in: [report(uses, sequence: 100)]) == [use(1, .max, tenths: .max)])
  }

  @Test("More reports than servers there may be are not read, and what one remembers is bounded by them")
  func crowd() {
    let reader = self.reader()
    let reports = (0..<200).map {
      report([.init(use(1, 1), age: 0)], session: UInt8($0) + 3, node: "n\($0)")
    }
    #expect(reader.news(in: reports) == [use(1, 64)])
    #expect(reader.news(in: Array(reports.dropFirst(64).prefix(64))) == [use(1, 64)])
  }

  @Test("Bytes that no server writes are ignored, and the other reports count")
  func garbage() {
    let whole = LimitCounts.encode([.init(use(1, 5), age: 0)])
    var zero = whole
    zero.replaceSubrange(5..<9, with: [0, 0, 0, 0])
    let all: [[UInt8]] = [
      [], [0], [2] + whole.dropFirst(), whole.dropLast(), whole + [0], zero, [UInt8](repeating: 1, count: 1 << 20),
    ]
    for bytes in all {
      let reader = self.reader()
      var damaged = report([])
      damaged.counts = bytes
      #expect(reader.news(in: [damaged, report([.init(use(2, 3), age: 0)], session: 4, node: "d")]) == [use(2, 3)])
    }
    for size in [0, 15, 17] {
      let reader = self.reader()
      var odd = report([.init(use(1, 5), age: 0)])
      odd.session = [UInt8](repeating: 1, count: size)
      #expect(reader.news(in: [odd]) == [])
    }
  }

  @Test("Counts are decoded as they were encoded; a kind that is not known is left out, and too many are cut off")
  func codec() {
    let uses = LimitUse.Kind.allCases.enumerated().map { number, kind in
      LimitCounts.Aged(LimitUse(key(UInt64(number), kind), count: 3, tenths: 9), age: UInt8(number))
    }
    var bytes = LimitCounts.encode(uses)
    #expect(LimitCounts.decode(bytes) == uses)
    bytes[1] = 200
    #expect(LimitCounts.decode(bytes) == Array(uses.dropFirst()))
    let many = LimitCounts.encode((0..<3000).map { LimitCounts.Aged(use($0, 1), age: 0) })
    #expect(LimitCounts.decode(many)?.count == 2048)
    #expect(LimitCounts.decode(many + many.dropFirst()) == nil)
  }
}
