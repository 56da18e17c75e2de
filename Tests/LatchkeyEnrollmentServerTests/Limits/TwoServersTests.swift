import Foundation
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyPostgresTestSupport
import LatchkeyServerTestSupport
import NIOCore
import NIOSSL
import Testing

@testable import LatchkeyEnrollmentServer

#if PostgreSQL
  import LatchkeyEnrollmentPostgres
#endif

/// Two servers that share a store: what a client used up on one is used up on the other after an exchange.
@Suite("Limits of two servers on one store", .timeLimit(.minutes(5)))
struct TwoServersTests {
  enum Database: String, CaseIterable {
    case sqlite, postgres

    static var there: [Database] {
      #if PostgreSQL
        TestServer.isThere ? allCases : [.sqlite]
      #else
        [.sqlite]
      #endif
    }
  }

  /// Both servers, each of which has read what the other wrote before.
  private struct Pair {
    let first: RunningServer
    let second: RunningServer

    func exchange() async {
      await first.server.sharedLimits.trade()
      await second.server.sharedLimits.trade()
    }
  }

  private func with(
    _ database: Database, _ change: (inout ServerLimits) -> Void, _ body: (Pair) async throws -> Void
  ) async throws {
    func prepare(_ configuration: inout ServerConfiguration, _ node: String) throws {
      (configuration.node, configuration.nodeHolder) = (node, .random())
      configuration.proxies = [try #require(AddressBlock("127.0.0.0/8"))]
      change(&configuration.limits)
    }
    #if PostgreSQL
      let shared = database == .postgres ? try TestDatabase() : nil
    #endif
    func store(_ node: String, beside first: RunningServer?) throws -> (any EnrollmentStore)? {
      #if PostgreSQL
        if let shared { return try PostgresStore(shared.address, node: node, logger: .quiet) }
      #endif
      return try first.map { try SQLiteStore(path: $0.folder.appending(path: "server.db").path, node: node) }
    }
    try await RunningServer.with({
      try prepare(&$0, "first")
      if let own = try store("first", beside: nil) { $0.store = own }
    }) { first in
      try await RunningServer.with({
        try prepare(&$0, "second")
        if let own = try store("second", beside: first) { $0.store = own }
        $0.alsoTrusted = first.authority.chain
      }) { second in
        let pair = Pair(first: first, second: second)
        for server in [first, second] { await server.server.sharedLimits.look() }
        await pair.exchange()
        try await body(pair)
      }
    }
  }

  /// The status of one request from an address, by a proxy's header.
  private func ask(
    _ server: RunningServer, from last: UInt8, _ device: TestDevice? = nil, _ method: String = "GET",
    _ path: String = Routes.live, body: String = ""
  ) async throws -> String {
    let connection = try await RawConnection(port: server.port)
    let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
    let header = signature + [0x21, 0x11, 0, 12, 203, 0, 113, last, 127, 0, 0, 1, 0x30, 0x39, 0x01, 0xBB]
    try await connection.channel.writeAndFlush(ByteBuffer(bytes: header)).get()
    let context = try NIOSSLContext(configuration: try server.clientTLS(device))
    try await connection.channel.eventLoop.submit { [channel = connection.channel] in
      let tls = try NIOSSLClientHandler(context: context, serverHostname: "localhost")
      try channel.pipeline.syncOperations.addHandler(tls, position: .first)
    }.get()
    let type = body.isEmpty ? "" : "content-type: application/json\r\ncontent-length: \(body.utf8.count)\r\n"
    try await connection.send(
      "\(method) \(path) HTTP/1.1\r\nhost: localhost\r\n\(type)connection: close\r\n\r\n\(body)")
    return String(try await connection.untilClosed().dropFirst(9).prefix(3))
  }

  private func check(_ status: String, _ expected: String, at location: SourceLocation = #_sourceLocation) {
    #expect(status == expected, sourceLocation: location)
  }

  private func logIn(
    _ server: RunningServer, from last: UInt8, _ user: String = "demo", password: String = "wrong"
  ) async throws -> String {
    try await ask(
      server, from: last, nil, "POST", Routes.login, body: #"{"user":"\#(user)","password":"\#(password)"}"#)
  }

  @Test(
    "An address that used up its requests is refused on the other server, and another is not", arguments: Database.there
  )
  func address(database: Database) async throws {
    try await with(database, { $0.anonymousRequestsPerSecond = 2 }) { pair in
      for expected in ["200", "200", "200", "200", "429"] {
        check(try await ask(pair.first, from: 1, nil, "GET", Routes.openAPI), expected)
      }
      await pair.exchange()
      check(try await ask(pair.second, from: 1, nil, "GET", Routes.openAPI), "429")
      for _ in 0..<4 { check(try await ask(pair.second, from: 2, nil, "GET", Routes.openAPI), "200") }
      pair.second.clock.advance(by: 2)
      check(try await ask(pair.second, from: 1, nil, "GET", Routes.openAPI), "200")
    }
  }

  @Test(
    "A device that used up its requests is refused on the other server, and another is not", arguments: Database.there)
  func device(database: Database) async throws {
    try await with(database, { $0.requestsPerSecond = 2 }) { pair in
      let (greedy, modest) = (try await pair.first.device(), try await pair.first.device())
      for expected in ["200", "200", "200", "200", "429"] {
        check(try await ask(pair.first, from: 1, greedy), expected)
      }
      await pair.exchange()
      check(try await ask(pair.second, from: 1, greedy), "429")
      for _ in 0..<4 { check(try await ask(pair.second, from: 1, modest), "200") }
      check(try await ask(pair.second, from: 1), "200")
    }
  }

  @Test("Guesses of an address at many users count on both servers", arguments: Database.there)
  func costs(database: Database) async throws {
    try await with(database, { $0.loginsPerMinute = 3 }) { pair in
      for (number, expected) in ["401", "401", "401", "429"].enumerated() {
        check(try await logIn(pair.first, from: 1, "user\(number)"), expected)
      }
      await pair.exchange()
      check(try await logIn(pair.second, from: 1, "user9"), "429")
      check(try await logIn(pair.second, from: 2, password: RunningServer.password), "200")
      // Requests that cost nothing are not refused.
      check(try await ask(pair.second, from: 1), "200")
    }
  }

  @Test(
    "Wrong passwords for a user from an address count on both servers, and a right one from another address does not",
    arguments: Database.there)
  func place(database: Database) async throws {
    try await with(
      database,
      {
        $0.passwordFailures = 2
        $0.loginsPerMinute = 1000
      }
    ) { pair in
      for expected in ["401", "401", "429"] { check(try await logIn(pair.first, from: 1), expected) }
      await pair.exchange()
      check(try await logIn(pair.second, from: 1, password: RunningServer.password), "429")
      check(try await logIn(pair.second, from: 2, password: RunningServer.password), "200")
      check(try await logIn(pair.second, from: 1, "ann"), "401")
    }
  }
}
