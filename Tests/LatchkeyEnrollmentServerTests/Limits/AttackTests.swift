import LatchkeyServerTestSupport
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentServer
import Testing

/// Attacks of one peer on the others: each alone, over real sockets.
@Suite("Attacks on the port")
struct AttackTests {
  private func quick(_ configuration: inout ServerConfiguration) {
    configuration.limits.handshakeTimeout = 3
    configuration.limits.requestTimeout = 3
  }

  @Test("A handshake that never comes is ended")
  func silentHandshake() async throws {
    try await RunningServer.with(quick) { server in
      let silent = try await RawConnection(to: server, tls: false)
      #expect(try await silent.untilClosed() == "")
    }
  }

  @Test("Noise instead of a handshake is ended, and others are served")
  func noise() async throws {
    try await RunningServer.with(quick) { server in
      let noise = try await RawConnection(to: server, tls: false)
      try await noise.trySend("GET / HTTP/1.1\r\n\r\n")
      _ = try await noise.untilClosed()
      try await server.withClient { client in
        try await client.expectLive()
      }
    }
  }

  @Test("A head that comes in drops is ended")
  func slowHead() async throws {
    try await RunningServer.with(quick) { server in
      let slow = try await RawConnection(to: server)
      try await slow.trySend("GET /health/live HTTP/1.1\r\nhost: local")
      #expect(try await slow.untilClosed() == "")
    }
  }

  @Test("A body that does not come is ended")
  func slowBody() async throws {
    try await RunningServer.with(quick) { server in
      let slow = try await RawConnection(to: server)
      try await slow.trySend("POST /v1/login HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{")
      #expect(!(try await slow.untilClosed()).contains("200"))
    }
  }

  @Test("A body that does not come over HTTP/2 ends its stream")
  func slowStream() async throws {
    try await RunningServer.with(quick) { server in
      try await server.withClient(http2: true) { client in
        await #expect(throws: (any Error).self) { try await client.endlessPost("/v1/login") }
        try await client.expectLive()
      }
    }
  }

  @Test("A connection that shows no certificate may not sit idle; a device's may")
  func idle() async throws {
    try await RunningServer.with(quick) { server in
      let device = try await server.device()
      let known = try await RawConnection(to: server, device: device)
      let anonymous = try await RawConnection(to: server)
      #expect(try await anonymous.untilClosed() == "")
      try await known.send("GET /health/live HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
      #expect((try await known.untilClosed()).contains("200 OK"))
    }
  }

  @Test("A body that says it is huge is refused before it comes", arguments: [false, true])
  func hugeBody(http2: Bool) async throws {
    try await RunningServer.with { server in
      try await server.withClient(http2: http2) { client in
        let answer = try await client.request("POST", "/v1/login", body: [UInt8](repeating: 0x20, count: 70_000))
        #expect(answer.status == 413)
        #expect(answer.code == .tooLarge)
      }
      let liar = try await RawConnection(to: server)
      try await liar.send("POST /v1/login HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000000000\r\n\r\n")
      let answer = try await liar.untilClosed()
      #expect(answer.contains("413"))
    }
  }

  @Test("A body in chunks without end is refused at the limit")
  func endlessChunks() async throws {
    try await RunningServer.with { server in
      let endless = try await RawConnection(to: server)
      try await endless.trySend("POST /v1/login HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n")
      let chunk = "4000\r\n" + String(repeating: "x", count: 0x4000) + "\r\n"
      for _ in 0..<5 { try await endless.trySend(chunk) }
      #expect((try await endless.untilClosed()).contains("413"))
    }
  }

  @Test("Fields that are too many or too long are refused")
  func manyFields() async throws {
    try await RunningServer.with { server in
      for fields in [
        String(repeating: "x: y\r\n", count: 100), "x: " + String(repeating: "y", count: 20_000) + "\r\n",
      ] {
        let many = try await RawConnection(to: server)
        try await many.send("GET /health/live HTTP/1.1\r\nhost: localhost\r\n\(fields)\r\n")
        #expect((try await many.untilClosed()).hasPrefix("HTTP/1.1 400"))
      }
    }
  }

  @Test("Connections beyond the limit are closed; a client that leaves frees its place")
  func connections() async throws {
    try await RunningServer.with({ $0.limits.connections = 2 }) { server in
      let first = try await RawConnection(to: server)
      try await first.send("GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n")
      let second = try await RawConnection(to: server, tls: false)
      let third = try await RawConnection(to: server, tls: false)
      #expect(try await third.untilClosed() == "")
      try await second.close()
      try await first.close()
      var status: Int?
      while status != 200 {
        status = try? await server.withClient { try await $0.request("GET", Routes.live).status }
      }
    }
  }

  @Test("One address has its share of the places, and no more")
  func connectionsOfAddress() async throws {
    try await RunningServer.with({ $0.limits.connectionsPerAddress = 2 }) { server in
      let known = try await RawConnection(to: server)
      let second = try await RawConnection(to: server, tls: false)
      let third = try await RawConnection(to: server, tls: false)
      #expect(try await third.untilClosed() == "")
      try await known.send("GET /health/live HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
      #expect((try await known.untilClosed()).contains("200 OK"))
      try await second.close()
      try await known.close()
      var status: Int?
      while status != 200 {
        status = try? await server.withClient { try await $0.request("GET", Routes.live).status }
      }
    }
  }

  @Test("Of hundreds of idle connections as many stay as there are places, and those that are in are served")
  func idleCrowd() async throws {
    let places = 200
    try await RunningServer.with({
      $0.limits.connections = places
      $0.limits.handshakeTimeout = 300
      $0.limits.requestTimeout = 300
    }) { server in
      let known = try await RawConnection(to: server)
      var crowd: [RawConnection] = []
      for _ in 0..<300 { crowd.append(try await RawConnection(to: server, tls: false)) }
      try await withThrowingTaskGroup { group in
        for connection in crowd { group.addTask { try await connection.untilClosed() } }
        for _ in 0..<300 - (places - 1) {
          let sent = try await group.next()
          #expect(sent == "")
        }
        let left = crowd.count(where: \.isOpen)
        #expect(left == places - 1)
        try await known.send("GET /health/live HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        let answer = try await known.untilClosed()
        #expect(answer.contains("200 OK"))
        for connection in crowd { try await connection.close() }
        try await group.waitForAll()
      }
    }
  }

  @Test("JSON that is nested deeply is refused for that, and does nothing else", arguments: [false, true])
  func deepJSON(http2: Bool) async throws {
    try await RunningServer.with { server in
      try await server.withClient(http2: http2) { client in
        for text in [String(repeating: "[", count: 60_000), String(repeating: #"{"user":"#, count: 7_000)] {
          let answer = try await client.request(
            "POST", Routes.login, headers: [("content-type", "application/json")], body: Array(text.utf8))
          #expect(answer.status == 400)
          let problem = try answer.decoded(Problem.self)
          #expect(problem.detail?.contains("deeply") == true)
        }
        try await client.expectLive()
      }
    }
  }

  @Test("A device that asks too often gets a retry time; others are not affected")
  func deviceRate() async throws {
    try await RunningServer.with({ $0.limits.requestsPerSecond = 1 }) { server in
      let (greedy, modest) = (try await server.device(), try await server.device())
      try await server.withClient(greedy) { client in
        let answers = try await withThrowingTaskGroup { group in
          for _ in 0..<20 { group.addTask { try await client.request("GET", Routes.live) } }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        let refused = answers.filter { $0.status == 429 }
        let ways = Set(
          refused.map { "\($0.code.map { "\($0)" } ?? "none"), after \($0.header("retry-after") ?? "none")" })
        #expect(ways == ["tooManyRequests, after 1"])
      }
      try await server.withClient(modest) { client in
        try await client.expectLive()
      }
    }
  }

  @Test("Guessing of passwords from one address is slowed, whatever the user")
  func loginRate() async throws {
    try await RunningServer.with({ $0.limits.loginsPerMinute = 3 }) { server in
      try await server.withClient { client in
        var last: TestAnswer?
        for number in 0..<4 {
          last = try await client.post(Routes.login, PasswordLogin(user: "user\(number)", password: "wrong"))
        }
        #expect(last?.status == 429)
        #expect(last?.header("retry-after").flatMap { Int($0) } ?? 0 >= 1)
        try await client.expectLive()
      }
    }
  }
}
