import Foundation
import LatchkeyEnrollmentStore
import LatchkeyServerTestSupport
import Logging
import NIOCore
import Testing

@testable import LatchkeyEnrollmentServer

/// One server's part of the exchange, over a store that tests change and hold up; the other servers are rows.
@Suite("Limits of several servers, seen by one", .timeLimit(.minutes(2)))
struct SharedLimitsTests {
  private struct Broken: Error {}

  private let bench: CeremonyBench
  private let limits: SharedLimits
  private let lines = LoggedLines()
  private let peer = PeerAddress("192.0.2.1")
  private static let others = [UInt8](repeating: 9, count: 16)

  init() throws {
    let lines = lines
    bench = try CeremonyBench {
      $0.limits.loginsPerMinute = 2
      $0.logger = Logger(label: "test", factory: { _ in lines.handler })
    }
    limits = SharedLimits(services: bench.services)
  }

  private func claim(_ node: String = "other", lifetime: Int64 = 60) async throws {
    let (id, now) = (Identifier.random(), bench.now)
    #expect(try await bench.store.write { try $0.claimNode(node, holder: id, now: now, expires: now + lifetime) })
  }

  /// Whether the address may still log in.
  private func isAdmitted(_ peer: PeerAddress) -> Bool {
    (try? bench.services.rates.admitLogin(from: peer, now: bench.services.time)) != nil
  }

  private func write(
    _ node: String = "other", session: [UInt8] = others, sequence: Int64 = 1, expires: Int64 = 60,
    counts: (ClientDigests) -> [UInt8]
  ) async throws {
    let key = try #require(try await bench.store.read { try $0.setting(ClientDigests.setting) })
    let report = LimitReport(
      node: node, session: session, sequence: sequence, expires: bench.now + expires,
      counts: counts(ClientDigests(key: key)))
    try await bench.store.write { try $0.setLimitReport(report) }
  }

  /// Two costly requests of the address.
  private func used(_ digests: ClientDigests) -> [UInt8] {
    let key = LimitUse.Key(.cost, digests.digest(of: [0] + peer.bytes, .cost))
    return LimitCounts.encode([.init(LimitUse(key, count: 2, tenths: 0), age: 0)])
  }

  private func exchanges(_ outcome: String) -> Bool {
    bench.services.configuration.metrics.text.contains("latchkey_limit_exchanges_total{outcome=\"\(outcome)\"} 1\n")
  }

  @Test("Alone, a server neither reads nor writes, and makes no key")
  func alone() async throws {
    try await claim("test")
    await limits.look()
    let reads = bench.store.reads
    while isAdmitted(peer) {}
    await limits.trade()
    #expect(bench.store.reads == reads)
    #expect(try await bench.store.read { try $0.setting(ClientDigests.setting) } == nil)
    #expect(try await bench.store.read { try $0.rows("SELECT node FROM limit_reports") }.isEmpty)
  }

  @Test("A server writes while clients use a notable share, and only then, and no address stands in its report")
  func writes() async throws {
    try await claim()
    await limits.look()
    await limits.trade()
    #expect(try await bench.store.read { try $0.rows("SELECT node FROM limit_reports") }.isEmpty)
    #expect(isAdmitted(peer))
    await limits.trade()
    let now = bench.now
    let report = try #require(
      try await bench.store.read { try $0.limitReports(otherThan: "", now: now, limit: 9) }.first)
    #expect((report.node, report.sequence, report.expires) == ("test", 1, now + 60))
    #expect(report.counts.count == 25)
    await limits.trade()
    #expect(try await bench.store.read { try $0.limitReports(otherThan: "", now: now, limit: 9) } == [report])
    for bytes in [peer.bytes, Array("192.0.2.1".utf8)] { #expect(report.counts.firstRange(of: bytes) == nil) }
  }

  @Test("What another server counted is taken once, and another client is not hindered")
  func taken() async throws {
    try await claim()
    await limits.look()
    await limits.trade()
    try await write(counts: used)
    await limits.trade()
    #expect(!isAdmitted(peer))
    #expect(isAdmitted(PeerAddress("192.0.2.2")))
    for _ in 0..<3 { await limits.trade() }
    bench.clock.advance(by: 30)
    #expect(isAdmitted(peer))
  }

  @Test("Reports that no server writes change nothing, and those beside them count")
  func hostile() async throws {
    try await claim()
    await limits.look()
    await limits.trade()
    for (number, sequence) in [Int64.min, -1, 0, .max].enumerated() {
      try await write(
        "n\(number)", session: [UInt8](repeating: UInt8(number), count: 16), sequence: sequence, counts: used)
    }
    try await write("ahead", session: [UInt8](repeating: 20, count: 16), expires: 1 << 40, counts: used)
    try await write("past", session: [UInt8](repeating: 21, count: 16), expires: 0, counts: used)
    try await write("short", session: [1], counts: used)
    try await write("garbage", session: [UInt8](repeating: 22, count: 16)) { _ in [UInt8](repeating: 0xFF, count: 4096)
    }
    try await write("kind", session: [UInt8](repeating: 23, count: 16)) { digests in
      var bytes = used(digests)
      bytes[1] = 99
      return bytes
    }
    await limits.trade()
    #expect(isAdmitted(peer))
    try await write(counts: used)
    await limits.trade()
    #expect(!isAdmitted(peer))
    #expect(lines.all.isEmpty)
  }

  @Test(
    "An exchange that fails is logged once and counted, and takes effect on nothing; so is the first that succeeds again"
  )
  func failing() async throws {
    try await claim()
    await limits.look()
    await limits.trade()
    bench.store.set { $0.beforeRead = { throw Broken() } }
    for _ in 0..<3 { await limits.trade() }
    await limits.look()
    #expect(lines.all.map(\.level) == [.warning])
    #expect(bench.services.configuration.metrics.text.contains("outcome=\"failed\"} 4\n"))
    #expect(isAdmitted(peer))
    #expect(isAdmitted(peer))
    #expect(!isAdmitted(peer))
    bench.store.set { $0.beforeRead = nil }
    for _ in 0..<2 { await limits.trade() }
    #expect(lines.all.map(\.level) == [.warning, .notice])
    // What was counted meanwhile is told.
    #expect(try await bench.store.read { try $0.rows("SELECT node FROM limit_reports") }.count == 1)
  }

  @Test(
    "While the store holds up an exchange, requests are admitted and refused as without it, and none begins beside it")
  func slow() async throws {
    try await claim()
    await limits.look()
    await limits.trade()
    let (arrived, gate) = (Gate(), Gate())
    bench.store.set {
      $0.beforeRead = {
        await arrived.open()
        await gate.pass()
      }
    }
    let reads = bench.store.reads
    let (first, second) = (Task { await limits.trade() }, Task { await limits.trade() })
    await arrived.pass()
    #expect(isAdmitted(peer))
    #expect(isAdmitted(peer))
    #expect(!isAdmitted(peer))
    #expect(isAdmitted(PeerAddress("192.0.2.2")))
    #expect(bench.store.reads == reads + 1)
    await gate.open()
    await first.value
    await second.value
    #expect(exchanges("failed") == false)
  }

  @Test("When the other servers are gone, nothing is exchanged any more; their reports end")
  func gone() async throws {
    try await claim()
    await limits.look()
    #expect(await limits.servers == 2)
    try await write(counts: used)
    bench.clock.advance(by: 61)
    await limits.look()
    #expect(await limits.servers == 1)
    let reads = bench.store.reads
    await limits.trade()
    #expect(bench.store.reads == reads)
    try await Maintenance(services: bench.services).clean()
    #expect(try await bench.store.read { try $0.rows("SELECT node FROM limit_reports") }.isEmpty)
  }

  @Test("All servers of a store have one key; a damaged one is made anew")
  func key() async throws {
    try await claim()
    try await bench.store.write { try $0.setSetting(ClientDigests.setting, to: [1, 2, 3]) }
    await limits.look()
    let key = try await bench.store.read { try $0.setting(ClientDigests.setting) }
    #expect(key?.count == 32)
    await SharedLimits(services: bench.services).look()
    #expect(try await bench.store.read { try $0.setting(ClientDigests.setting) } == key)
  }
}
