import LatchkeyServerTestSupport
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyTestSupport
import Logging
import Synchronization
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("Whether a server is ready", .timeLimit(.minutes(10)))
struct ReadinessTests {
  /// A store that counts its writes, and may keep them from returning.
  private final class HeldStore: EnrollmentStore {
    let writes = Atomic<Int>(0)
    /// Opens with the first write.
    let asked = Gate()
    let gate = Mutex<Gate?>(nil)
    private let store: ObservedStore

    init() throws { store = try ObservedStore() }

    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
      try await store.read(body)
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
      writes.add(1, ordering: .relaxed)
      await asked.open()
      await gate.withLock { $0 }?.pass()
      return try await store.write(body)
    }

    func close() async { await store.close() }
  }

  private let store: HeldStore
  private let now = Date()

  init() throws { store = try HeldStore() }

  /// A write is late where the store holds it, and only once it got there: no other, however long it takes.
  private func readiness() throws -> Readiness {
    let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
    let (store, now) = (store, now)
    let bench = try CeremonyBench()
    return Readiness(
      store: store, node: "test", trouble: Trouble(logger: logger, clock: { now }),
      certificates: bench.services.configuration.authority.chain
    ) { _ in
      if store.gate.withLock({ $0 }) == nil { try await Task.sleep(for: .seconds(3600)) }
      await store.asked.pass()
    }
  }

  @Test("However often it is asked for within a second, one row is written")
  func oncePerSecond() async throws {
    let readiness = try readiness()
    for step in 0..<50 { #expect(await readiness.obstacle(now: now.addingTimeInterval(Double(step) / 51)) == nil) }
    #expect(store.writes.load(ordering: .relaxed) == 1)
    #expect(await readiness.obstacle(now: now.addingTimeInterval(1)) == nil)
    #expect(store.writes.load(ordering: .relaxed) == 2)
    // A clock that was put back keeps no verdict.
    #expect(await readiness.obstacle(now: now) == nil)
    #expect(store.writes.load(ordering: .relaxed) == 3)
  }

  @Test("A store that hangs is reported as unavailable, and is asked no second time meanwhile")
  func hanging() async throws {
    let readiness = try readiness()
    let gate = Gate()
    store.gate.withLock { $0 = gate }
    for step in 0..<3 {
      #expect(await readiness.obstacle(now: now.addingTimeInterval(Double(step)))?.code == .unavailable)
    }
    #expect(store.writes.load(ordering: .relaxed) == 1)
    store.gate.withLock { $0 = nil }
    await gate.open()
    try await waitUntil { await readiness.obstacle(now: now.addingTimeInterval(10)) == nil }
    #expect(store.writes.load(ordering: .relaxed) == 2)
  }
}
