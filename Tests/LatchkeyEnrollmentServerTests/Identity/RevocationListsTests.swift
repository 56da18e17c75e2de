import LatchkeyServerTestSupport
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("The revocation list that is served")
struct RevocationListsTests {
  @Test("The list is cached until a revocation, and then is replaced")
  func kept() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let device = try await bench.device()
    let lists = bench.services.revocationLists
    let first = try await lists.list(now: bench.now)
    let reads = bench.store.reads
    for _ in 0..<20 { #expect(try await lists.list(now: bench.now) == first) }
    // The list is public, so the store is read once a second.
    #expect(bench.store.reads == reads)
    bench.clock.advance(by: 1)
    for _ in 0..<20 { #expect(try await lists.list(now: bench.now) == first) }
    #expect(bench.store.reads == reads + 1)
    try await RevocationCeremony(services: bench.services).revoke(device)
    bench.clock.advance(by: 1)
    let second = try await lists.list(now: bench.now)
    // A line has more bytes than two signatures may differ in.
    #expect(second.count > first.count + 10)
    // Once the certificate has ended, its line is not needed.
    bench.clock.advance(by: 86_401)
    #expect(try await lists.list(now: bench.now).count < first.count + 10)
  }

  @Test("after half of its life it is made anew")
  func life() async throws {
    let bench = try CeremonyBench()
    let lists = bench.services.revocationLists
    let now = bench.now
    let first = try await lists.list(now: now)
    #expect(try await lists.list(now: now + 43_199) == first)
    #expect(try await lists.list(now: now + 43_200) != first)
  }

  @Test("numbers rise with the epoch and with time, and never go back")
  func numbers() {
    let ordered: [(Int64, Int64)] = [(0, 0), (0, 1), (0, 4_294_967_295), (1, 0), (1, 5), (2, 1), (2_147_483_647, 1)]
    let numbers = ordered.map { RevocationLists.number(epoch: $0.0, made: $0.1) }
    #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
    #expect(numbers.allSatisfy { $0 >= 0 })
    #expect(RevocationLists.number(epoch: .max, made: .max) == .max)
    #expect(RevocationLists.number(epoch: -1, made: -1) == 0)
  }

  @Test("A store with fewer revocations than before does not make a shorter list")
  func olderStore() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let device = try await bench.device()
    try await RevocationCeremony(services: bench.services).revoke(device)
    let switching = SwitchingStore(bench.store)
    let lists = RevocationLists(switching, issuer: bench.services.issuer, lifetime: 100)
    let list = try await lists.list(now: bench.now)
    switching.replace(with: try ObservedStore())
    #expect(try await lists.list(now: bench.now + 1) == list)
    #expect(try await lists.list(now: bench.now + 60) == list)
  }

  /// A store in whose place another is put.
  final class SwitchingStore: EnrollmentStore, @unchecked Sendable {
    private let lock = NSLock()
    private var store: any EnrollmentStore
    private var current: any EnrollmentStore { lock.withLock { store } }

    init(_ store: any EnrollmentStore) { self.store = store }
    func replace(with other: any EnrollmentStore) { lock.withLock { store = other } }
    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
      try await current.read(body)
    }
    func write<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
      try await current.write(body)
    }
    func close() async {}
  }
}
