import LatchkeyEnrollmentServer
import LatchkeyLedger
import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeySealedMessages
import Testing

/// Bodies that are refused, or do not end: their connection, and the memory that they use.
@Suite("Bodies that are refused or do not end", .timeLimit(.minutes(10)))
struct UnfinishedBodiesTests {
  @Test(
    "Behind a body that is too large nothing is begun on its connection, and the answer says so",
    arguments: [true, false])
  func lastAnswer(announced: Bool) async throws {
    let metrics = PrometheusMetrics()
    try await RunningServer.with({ $0.metrics = metrics }) { server in
      let device = try await server.device()
      let (from, to) = try await server.openAccounts()
      let connection = try await RawConnection(to: server, device: device)
      let large = String(repeating: "x", count: 70_000)
      if announced {
        try? await connection.begin(length: large.utf8.count, body: large)
      } else {
        try await connection.trySend(
          "POST /v1/login HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(String(70_000, radix: 16))\r\n\(large)\r\n0\r\n\r\n"
        )
      }
      let body = Array(
        try JSONEncoder().encode(Transfer(from: from, to: to, amount: Amount(minorUnits: 1), currency: "EUR")))
      let transfer = try server.signed(by: device, body: body)
      let fields = transfer.message.fields.lines.map { ($0.name, $0.value) }
      try? await connection.begin(
        "POST", Routes.transfers, fields: [("host", "localhost:\(server.port)")] + fields, length: body.count,
        body: String(decoding: body, as: UTF8.self))
      let answers = try await connection.untilClosed()
      #expect(answers.hasPrefix("HTTP/1.1 413"), "\(answers)")
      #expect(answers.matches(of: /HTTP\/1\.1 [0-9]{3}/).count == 1)
      #expect(answers.lowercased().contains("\r\nconnection: close\r\n"))
      #expect(!metrics.text.contains("route=\"\(Routes.transfers)\""))
      let left = try await server.balance(from)
      #expect(left == 100_000)
    }
  }

  @Test("A body whose announced length exceeds 64 bits with a sign is refused before it arrives")
  func longestLength() async throws {
    try await RunningServer.with { server in
      let connection = try await RawConnection(to: server)
      try await connection.send("POST /v1/login HTTP/1.1\r\nHost: a\r\nContent-Length: 9223372036854775808\r\n\r\n")
      #expect(try await connection.untilClosed().hasPrefix("HTTP/1.1 413"))
    }
  }

  @Test("With HTTP/2 a body that is too large ends nothing but its stream")
  func otherStreams() async throws {
    let store = try ObservedStore()
    try await RunningServer.with({
      $0.store = store
      $0.policy.revocationStaleness = .seconds(3600)
    }) { server in
      let device = try await server.device()
      let (arrived, release) = (Gate(), Gate())
      try await server.withClient(device, http2: true) { client in
        let first = try await client.request("GET", Routes.device)
        #expect(first.status == 200 && first.isHTTP2)
        store.set {
          $0.beforeRead = {
            await arrived.open()
            await release.pass()
          }
        }
        async let held = client.request("GET", Routes.accounts)
        await arrived.pass()
        let refused = try await client.request("POST", Routes.login, body: [UInt8](repeating: 0x20, count: 70_000))
        #expect(refused.status == 413)
        // A later one over HTTP/1.1: when its connection was ended, that of the first would have been, too.
        let later = try await RawConnection(to: server)
        try await later.begin(length: 1_000_000)
        #expect((try await later.untilClosed()).contains("413"))
        await release.open()
        let answer = try await held
        #expect(answer.status == 200)
      }
    }
  }

  @Test("With HTTP/2 a request that was answered before its end is reset behind the answer, and its connection goes on")
  func reset() async throws {
    try await RunningServer.with({ $0.limits.loginsPerMinute = 1000 }) { server in
      var connection = try await FrameConnection(to: server)
      // Together more than the connection's window, which a refused body must give back.
      for _ in 0..<4 {
        let large = try await connection.request("POST", Routes.login, bytes: 70_000, isWhole: false)
        #expect(large == [.status(413), .end, .reset(0)])
      }
      let unknown = try await connection.request("POST", "/nowhere", bytes: 1, isWhole: false)
      #expect(unknown == [.status(404), .end, .reset(0)])
      let unread = try await connection.request("GET", Routes.live, bytes: 1, isWhole: false)
      #expect(unread == [.status(200), .end, .reset(0)])
      // None of one that ended.
      for _ in 0..<2 {
        let whole = try await connection.request("POST", Routes.login, bytes: 60_000, isWhole: true)
        #expect(whole == [.status(415), .end])
      }
      await connection.close()
    }
  }

  @Test("curl shows the refusal of a body that is too large, over both versions of HTTP", .needs("curl"))
  func curl() async throws {
    try await RunningServer.with { server in
      let files = try server.files()
      let large = server.folder.appendingPathComponent("large").path
      try Data(repeating: 0x20, count: 8 << 20).write(to: URL(fileURLWithPath: large))
      for version in ["--http1.1", "--http2"] {
        let run = try await ForeignProgram.run(
          "/usr/bin/curl",
          [
            "-sS", version, "--cacert", files.ca, "--data-binary", "@\(large)", server.url + Routes.login,
            "-w", "\n%{http_code} %{size_upload}",
          ])
        let last = run?.output.split(separator: "\n").last?.split(separator: " ").compactMap { Int($0) }
        #expect(run?.status == 0, "\(version): \(run?.output ?? "")")
        #expect(last?.first == 413)
        #expect(last?.last ?? .max < 8 << 20, "all of it was sent")
      }
    }
  }

  @Test("A peer that asks too often hears so when the head is there, whatever becomes of the body")
  func rateAtHead() async throws {
    try await RunningServer.with({
      $0.limits.loginsPerMinute = 1
      $0.limits.requestTimeout = 3
    }) { server in
      let login = try await server.withClient {
        try await $0.post(Routes.login, PasswordLogin(user: "nobody", password: "wrong"))
      }
      #expect(login.status == 401)
      let connection = try await RawConnection(to: server)
      try await connection.begin(length: 100, body: "{")
      #expect((try await connection.untilClosed()).hasPrefix("HTTP/1.1 429"))
    }
  }

  @Test(
    "Bodies that do not end take so much of a connection and of a peer, and no more; others are not hindered",
    arguments: [(http2: true, begun: 20, kept: 2), (http2: false, begun: 8, kept: 4)])
  func bounded(http2: Bool, begun: Int, kept: Int) async throws {
    let metrics = PrometheusMetrics()
    try await RunningServer.with({
      $0.metrics = metrics
      $0.limits.loginsPerMinute = 1000
      // Longer than a busy machine takes: a body that is ended for its time never arrives.
      $0.limits.requestTimeout = 300
    }) { server in
      let (device, end) = (try await server.device(), Gate())
      let most = http2 ? ServerLimits().unfinishedBodiesPerConnection : ServerLimits().unfinishedBodiesPerPeer
      try await server.withClient(http2: http2) { client in
        try await client.expectLive()
        await withTaskGroup(of: Int?.self) { group in
          for _ in 0..<begun {
            group.addTask { (try? await client.endlessPost(Routes.login, bytes: 60_000, until: end))?.status }
          }
          for _ in 0..<begun - kept {
            let status = await group.next()
            #expect(status == 429)
            #expect(Self.held(metrics) <= most)
          }
          // An accepted body arrives as far as it was sent, and a device at the same address has its own share.
          while Self.held(metrics) < kept * 60_000, !Task.isCancelled { await Task.yield() }
          let others = try? await server.withClient(device) {
            try await $0.post(Routes.challenges, ChallengeRequest(purpose: .attestation, device: nil, content: nil))
          }
          #expect(others?.status == 200)
          await end.open()
          // They are whole now: no login.
          for await status in group { #expect(status == 400) }
        }
        #expect(Self.held(metrics) == 0)
        let after = try await client.post(Routes.login, PasswordLogin(user: "nobody", password: "wrong"))
        #expect(after.status == 401)
      }
    }
  }

  private static func held(_ metrics: PrometheusMetrics) -> Int {
    let line = metrics.text.split(separator: "\n").first { $0.hasPrefix("latchkey_unfinished_body_bytes ") }
    return line?.split(separator: " ").last.flatMap { Double($0) }.map { Int($0) } ?? 0
  }
}
