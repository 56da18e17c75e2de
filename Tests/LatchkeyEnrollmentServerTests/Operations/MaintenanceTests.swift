import LatchkeyServerTestSupport
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
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
}
