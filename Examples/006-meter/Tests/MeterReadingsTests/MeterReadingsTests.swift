import Foundation
import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol
import LatchkeySwiftTesting
import MeterReadings
import Security
import Testing

/// The service as its devices meet it: a server on loopback, and a device that enrolls and signs. The device's key and certificate are in
/// a keychain of the test's own.
@Suite(.temporaryKeychain) struct MeterReadingsTests {
  /// Runs `body` with a device of the user `demo`, which reports what its meter shows under an Idempotency-Key.
  private func withMeter(
    _ body: (_ report: (_ liters: Int64, _ key: String) async throws -> (status: Int, content: Data)) async throws ->
      Void
  ) async throws {
    let trial = try await TrialServer(port: 0)
    let server = Task { try await trial.server.run() }
    defer {
      server.cancel()
      try? FileManager.default.removeItem(at: trial.folder)
    }
    let url = "https://localhost:\(try await trial.server.port)"
    let root = try #require(SecCertificateCreateWithData(nil, Data(trial.root) as CFData))
    let client = EnrollmentClient(EnrollmentConfiguration(server: try ServerAddress(url), trustRoots: [root]))
    _ = try await client.logIn(user: "demo", password: trial.password, deviceName: "meter").value
    try await body { liters, key in
      var request = ServiceRequest(
        method: "POST", url: "\(url)/v1/readings", fields: [("Content-Type", "application/json")],
        content: .bytes(Array(try JSONEncoder().encode(MeterReading(liters: liters)))))
      request.idempotencyKey = key
      request.requiresSignedResponse = true
      let response = try await client.send(request)
      var content = Data()
      for try await piece in response.body { content += piece }
      return (response.status, content)
    }
    await client.close()
  }

  @Test("A reading that is sent twice is stored once, and has one answer") func once() async throws {
    try await withMeter { report in
      let (first, again) = (
        try await report(48_213, "reading-of-june-2026"), try await report(48_213, "reading-of-june-2026")
      )
      #expect(first.status == 201 && again.status == 201 && first.content == again.content)
      let next = try await report(48_213, "reading-of-july-2026")
      #expect(next.status == 201 && next.content != first.content)
    }
  }

  @Test("A reading below the last one is refused: this device has no key to approve it with") func countsBack()
    async throws
  {
    try await withMeter { report in
      #expect(try await report(48_213, "reading-of-june-2026").status == 201)
      let refused = try await report(48_212, "reading-of-july-2026")
      #expect(refused.status == 403)
      #expect(try JSONDecoder().decode(Problem.self, from: refused.content).code == .notPermitted)
    }
  }

  @Test("A reading below zero is none") func negative() async throws {
    try await withMeter { report in
      let refused = try await report(-1, "reading-of-june-2026")
      #expect(refused.status == 422)
      let zero = try await report(0, "reading-of-june-2026")
      #expect(zero.status == 201, "nothing was kept")
    }
  }
}
