import LatchkeyServerTestSupport
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Synchronization
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("Deleting expired records")
struct MaintenanceTests {
  @Test("Expired records are deleted, however many there are; valid ones stay")
  func cleans() async throws {
    try await RunningServer.with { server in
      let now = server.server.services.now
      let count = Maintenance.batch * 2 + 10
      try await server.store.write { store in
        for number in 0..<count {
          let hash = withUnsafeBytes(of: number.bigEndian) { Array($0) } + [UInt8](repeating: 0, count: 24)
          try store.addToken(TokenRecord(hash: hash, user: "demo", device: nil, expires: now - 1))
        }
        try store.addToken(
          TokenRecord(hash: [UInt8](repeating: 9, count: 32), user: "demo", device: nil, expires: now + 60))
      }
      try await Maintenance(services: server.server.services).clean()
      let left = try await server.store.write { try $0.forgetEnded(now: now, limit: 10_000) }
      #expect(left == 0)
      let kept = try await server.store.read { try $0.token(hash: [UInt8](repeating: 9, count: 32), now: now) }
      #expect(kept != nil)
    }
  }

  /// A service whose cleaning counts its calls, and gives or throws what the test says.
  private final class Forgetful: DeviceService {
    let schema: ServiceSchema
    let routes: [ServiceRoute] = []
    let result: Result<Int, EnrollmentStoreError>
    let calls = Mutex(0)

    init(_ name: String, _ result: Result<Int, EnrollmentStoreError>) throws {
      schema = try ServiceSchema(name: name, steps: [])
      self.result = result
    }

    func forgetEnded(in transaction: ServiceTransaction, limit: Int) throws -> Int {
      calls.withLock { $0 += 1 }
      return try result.get()
    }
  }

  @Test("A service that fails at it, or never has enough, is not in the way of the next one")
  func unlucky() async throws {
    let services = [
      try Forgetful("failing", .failure(.misuse("no"))), try Forgetful("endless", .success(.max)),
      try Forgetful("good", .success(0)),
    ]
    let bench = try CeremonyBench { $0.services = services }
    try await Maintenance(services: bench.services).clean()
    #expect(services[0].calls.withLock { $0 } >= 1)
    // The bench's store runs each body twice.
    #expect(services[1].calls.withLock { $0 } == 2 * Maintenance.mostBatches)
    #expect(services[2].calls.withLock { $0 } == 2)
  }
}
