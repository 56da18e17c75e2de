import Foundation
import Glibc
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Logging
import NIOCore
import Testing

@testable import LatchkeyEnrollmentServer

/// Tenants as their operator sees them: their start, their health, their certificates.
@Suite("Tenants of one server", .timeLimit(.minutes(5))) struct TenantServerTests {
  private func status(_ port: Int?, _ path: String) async throws -> (status: String, text: String) {
    let connection = try await RawConnection(port: try #require(port))
    try await connection.send("GET \(path) HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
    let text = try await connection.untilClosed()
    return (String(text.prefix(12).suffix(3)), text)
  }

  @Test("A store that fails makes its tenant not ready, and the other serves") func health() async throws {
    try await RunningTenants.with {
      for index in $0.tenants.indices { $0.tenants[index].configuration.operations = OperationsAddress(port: 0) }
    } _: { server in
      let ports = try await (server.server.operationsPort(of: "red"), server.server.operationsPort(of: "blue"))
      #expect(ports.0 != ports.1)
      server.blue.store.refusal = .unavailable("the disk is full")
      #expect(try await status(ports.0, Routes.ready).status == "200")
      #expect(try await status(ports.1, Routes.ready).status == "503")
      let login = PasswordLogin(user: "demo", password: RunningServer.password)
      #expect(try await server.withClient(server.red) { try await $0.post(Routes.login, login) }.status == 200)
      let other = PasswordLogin(user: "demo", password: server.blue.password)
      #expect(try await server.withClient(server.blue) { try await $0.post(Routes.login, other) }.status == 503)
      server.blue.store.refusal = nil
      #expect(try await server.withClient(server.blue) { try await $0.post(Routes.login, other) }.status == 200)
    }
  }

  @Test("A tenant whose store does not answer at the start comes later; its names get an alert until then")
  func lateStore() async throws {
    try await RunningTenants.with(
      { $0.tenants[1].configuration.operations = OperationsAddress(port: 0) },
      before: { _, blue in blue.store.refusal = .unavailable("not there yet") }
    ) { server in
      #expect(try await server.withClient(server.red) { try await $0.request("GET", Routes.authority) }.status == 200)
      let refused = try await RawConnection(port: server.port)
      try await refused.channel.writeAndFlush(ByteBuffer(bytes: ClientHello.bytes("blue.example.org"))).get()
      #expect(try await Array(refused.untilClosed().utf8) == [21, 3, 3, 0, 2, 2, 80])
      #expect(try await status(server.server.operationsPort(of: "blue"), Routes.ready).status == "503")
      #expect(try await status(server.server.operationsPort(of: "blue"), Routes.live).status == "200")
      server.blue.store.refusal = nil
      var status: Int?
      try await waitUntil {
        status = try? await server.withClient(server.blue) { try await $0.request("GET", Routes.authority) }.status
        return status != nil
      }
      #expect(status == 200)
    }
  }

  @Test(
    "Whatever the patience, tenants whose stores answer are served",
    arguments: [.nan, .infinity, -.infinity, -1, 0, 1e300])
  func patience(seconds: Double) async throws {
    try await RunningTenants.with({ $0.patience = seconds }) { server in
      for bench in server.all {
        let served = { try? await server.withClient(bench) { try await $0.request("GET", Routes.authority) }.status }
        // Without patience the port is open before.
        try await waitUntil { await served() == 200 }
      }
    }
  }

  @Test("A server whose tenants all wait for their stores ends when it is asked to") func endsWaiting() async throws {
    let server = try await RunningTenants(before: { red, blue in
      for bench in [red, blue] { bench.store.refusal = .unavailable("not there yet") }
    })
    try await server.stop()
  }

  @Test("Two tenants of one store do not start, nor one of another's") func sharedStore() async throws {
    await #expect {
      _ = try await RunningTenants(shared: true)
    } throws: { error in
      guard case .notStarted(let tenant, let cause)? = error as? TenantError else { return false }
      let owner = tenant == "red" ? "blue" : "red"
      return cause.contains("the store of the tenant \(tenant) belongs to the tenant \"\(owner)\"")
    }
    await #expect {
      _ = try await RunningTenants(before: { red, _ in
        _ = try await red.store.write { try $0.setSetting(EnrollmentServer.tenantSetting, to: Array("green".utf8)) }
      })
    } throws: { "\($0)".contains("belongs to the tenant \"green\"") }
  }

  @Test("Of many that claim one new store at once one has it, and all others are told whose it is")
  func claimed() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-claim-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let names = (0..<8).map { "tenant-\($0)" }
    let stores = try names.map { try SQLiteStore(path: folder.appendingPathComponent("a.db").path, node: $0) }
    try await TenantClaims.race(names, stores)
    for store in stores { await store.close() }
  }

  @Test("A tenant that cannot start for another reason ends the start of all, and nobody is let in")
  func failedStart() async throws {
    let taken = try OpenSocket.listening()
    defer { close(taken.descriptor) }
    await #expect {
      _ = try await RunningTenants { $0.tenants[1].configuration.operations = OperationsAddress(port: taken.port) }
    } throws: { "\($0)".contains("the tenant blue cannot start") }
    await #expect {
      _ = try await RunningTenants(before: { red, _ in red.store.refusal = .damaged("a page") })
    } throws: { "\($0)".contains("the tenant red cannot start") }
  }

  @Test(
    "Names are refused that are no names, or twice there",
    arguments: [
      ([], nil, TenantError.none), ([("a", ["a.org"]), ("a", ["b.org"])], nil, .sameName("a")),
      ([("A", ["a.org"])], nil, .badName("A")), ([("", ["a.org"])], nil, .badName("")),
      ([("a/b", ["a.org"])], nil, .badName("a/b")),
      ([(String(repeating: "a", count: 64), ["a.org"])], nil, .badName(String(repeating: "a", count: 64))),
      ([("a", [])], nil, .noServerName(tenant: "a")),
      ([("a", ["a.org"]), ("b", ["b.org", "A.ORG"])], nil, .sameServerName("a.org")),
      ([("a", ["127.0.0.1"])], nil, .badServerName(tenant: "a", name: "127.0.0.1")),
      ([("a", ["::1"])], nil, .badServerName(tenant: "a", name: "::1")),
      ([("a", ["*.a.org"])], nil, .badServerName(tenant: "a", name: "*.a.org")),
      ([("a", ["a.org:443"])], nil, .badServerName(tenant: "a", name: "a.org:443")),
      ([("a", ["a..org"])], nil, .badServerName(tenant: "a", name: "a..org")),
      ([("a", ["a.org."])], nil, .badServerName(tenant: "a", name: "a.org.")),
      ([("a", ["a.org"])], "b", .unknown("b")),
    ] as [([(String, [String])], String?, TenantError)])
  func badNames(names: [(String, [String])], defaultTenant: String?, wanted: TenantError) {
    #expect(throws: wanted) {
      try TenantServerConfiguration.validate(
        names: names.map { (tenant: $0.0, serverNames: $0.1) }, defaultTenant: defaultTenant)
    }
    #expect(wanted.description.utf8.count < 300)
  }

  @Test("Another certificate is one tenant's alone") func reload() async throws {
    try await RunningTenants.with { server in
      func status(_ trusted: RunningTenants.Bench, _ host: String) async throws -> Int {
        try await server.withClient(trusted, host: host) { try await $0.request("GET", Routes.authority) }.status
      }
      #expect(try await status(server.red, server.red.host) == 200)
      // One that clients of the other tenant believe, to tell them apart.
      let new = try server.blue.certificate([server.red.host])
      try server.server.reload(tenant: "red", certificateChain: new.chain, privateKey: new.key)
      let foreign = try server.blue.certificate()
      #expect(throws: TenantError.unknown("green")) {
        try server.server.reload(tenant: "green", certificateChain: new.chain, privateKey: new.key)
      }
      #expect(throws: (any Error).self) {
        try server.server.reload(tenant: "blue", certificateChain: new.chain, privateKey: foreign.key)
      }
      #expect(try await status(server.blue, server.red.host) == 200)
      await #expect(throws: (any Error).self) { try await status(server.red, server.red.host) }
      #expect(try await status(server.blue, server.blue.host) == 200)
    }
  }

  @Test("Metrics have the tenant's name, and count nothing of the other") func labels() async throws {
    let log = LoggedLines()
    try await RunningTenants.with {
      for index in $0.tenants.indices {
        var tenant = $0.tenants[index]
        tenant.configuration.logger = Logger(label: "test") { _ in log.handler }
        $0.tenants[index] = Tenant(
          name: tenant.name, serverNames: tenant.serverNames, configuration: tenant.configuration)
        $0.tenants[index].configuration.operations = OperationsAddress(port: 0)
      }
    } _: { server in
      _ = try await server.withClient(server.red) { try await $0.request("GET", Routes.authority) }
      let red = try await status(server.server.operationsPort(of: "red"), Routes.metrics).text
      let blue = try await status(server.server.operationsPort(of: "blue"), Routes.metrics).text
      #expect(red.contains(#"latchkey_handshakes_total{certificate="no",tenant="red"} 1"#), "\(red)")
      #expect(blue.contains(#"latchkey_handshakes_total{certificate="no",tenant="blue"} 0"#), "\(blue)")
      #expect(!red.contains("tenant=\"blue\"") && !blue.contains("tenant=\"red\""))
    }
  }
}
