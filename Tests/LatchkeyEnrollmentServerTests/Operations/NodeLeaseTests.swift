import LatchkeyServerTestSupport
import Foundation
import LatchkeyEnrollmentStore
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("A server's name in its store")
struct NodeLeaseTests {
  @Test("A server holds its name until it releases it or is gone for a minute; the same server claims it again at once")
  func claims() async throws {
    let bench = try CeremonyBench()
    let (first, second) = (
      NodeLease(services: bench.services, holder: .random()), NodeLease(services: bench.services, holder: .random())
    )
    try await first.claim()
    try await first.claim()
    await #expect(throws: NodeNameError(name: "test")) { try await second.claim() }
    await second.release()
    await #expect(throws: NodeNameError(name: "test")) { try await second.claim() }
    bench.clock.advance(by: 59)
    await #expect(throws: NodeNameError(name: "test")) { try await second.claim() }
    bench.clock.advance(by: 1)
    try await second.claim()
    await #expect(throws: NodeNameError(name: "test")) { try await first.claim() }
    await second.release()
    try await first.claim()
  }

  @Test("A server whose name is in use does not listen, and reports the next step")
  func refused() async throws {
    try await RunningServer.with({ $0.nodeHolder = .random() }) { server in
      let path = server.folder.appendingPathComponent("server.db").path
      let error = await #expect(throws: NodeNameError.self) {
        // One clock, which stands: by two the name would be free a minute later.
        try await RunningServer.with(clock: server.clock) {
          $0.store = try SQLiteStore(path: path, node: "test")
          $0.nodeHolder = .random()
        } _: { _ in
        }
      }
      #expect(error?.description.contains("--node") == true)
      try await server.withClient { try await $0.expectLive() }
    }
  }

  @Test("A name is free as soon as its server has ended")
  func released() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-lease-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    for _ in 0..<2 {
      try await RunningServer.with {
        $0.store = try SQLiteStore(path: folder.appending(path: "server.db").path, node: "test")
        $0.nodeHolder = .random()
      } _: { server in
        let id = Identifier.random()
        let now = server.now
        #expect(try await !server.store.write { try $0.claimNode("test", holder: id, now: now, expires: now + 60) })
        // The test's user is there once.
        try await server.store.write { _ in }
      }
    }
  }
}
