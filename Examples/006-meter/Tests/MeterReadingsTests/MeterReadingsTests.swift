import Foundation
import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol
import LatchkeySwiftTesting
import MeterReadings
import Security
import Testing

/// The service as its devices meet it: a server on loopback, and a device that enrolls and signs. The device's key and certificate are in
/// a keychain of the test's own.
@Suite(.temporaryKeychain(typing: "1234")) struct MeterReadingsTests {
  /// Runs `body` with a device of the user `demo`, which reports what its meter shows under an Idempotency-Key.
  private func withMeter(_ body: (Meter) async throws -> Void) async throws {
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
    try await body(Meter(client: client, url: "\(url)/v1/readings"))
    await client.close()
  }

  /// A device of the user `demo`.
  private struct Meter {
    let client: EnrollmentClient
    let url: String

    /// Reports what the meter shows under an Idempotency-Key.
    func report(_ liters: Int64, _ key: String, _ approval: Approval? = nil) async throws -> (
      status: Int, content: Data
    ) {
      var request = ServiceRequest(
        method: "POST", url: url, fields: [("Content-Type", "application/json")],
        content: .bytes(Array(try JSONEncoder().encode(MeterReading(liters: liters)))))
      request.idempotencyKey = key
      request.approval = approval
      return try await send(request)
    }

    /// Lists the readings after a number.
    func list(_ query: String = "") async throws -> (status: Int, content: Data) {
      try await send(ServiceRequest(url: url + query))
    }

    private func send(_ given: ServiceRequest) async throws -> (status: Int, content: Data) {
      var request = given
      request.requiresSignedResponse = true
      let response = try await client.send(request)
      var content = Data()
      for try await piece in response.body { content += piece }
      return (response.status, content)
    }
  }

  @Test("A reading that is sent twice is stored once, and has one answer") func once() async throws {
    try await withMeter { meter in
      let (first, again) = (
        try await meter.report(48_213, "reading-of-june-2026"), try await meter.report(48_213, "reading-of-june-2026")
      )
      #expect(first.status == 201 && again.status == 201 && first.content == again.content)
      let next = try await meter.report(48_213, "reading-of-july-2026")
      #expect(next.status == 201 && next.content != first.content)
    }
  }

  @Test("A reading below the last one is refused: this device has no key to approve it with") func countsBack()
    async throws
  {
    try await withMeter { meter in
      #expect(try await meter.report(48_213, "reading-of-june-2026").status == 201)
      let refused = try await meter.report(48_212, "reading-of-july-2026")
      #expect(refused.status == 403)
      #expect(try JSONDecoder().decode(Problem.self, from: refused.content).code == .notPermitted)
    }
  }

  @Test("A reading below the last one is stored once the user has approved it, and this reading alone") func approved()
    async throws
  {
    try await withMeter { meter in
      _ = try await meter.client.registerApprovalKey().value
      #expect(try await meter.report(48_213, "reading-of-june-2026").status == 201)
      func approval(of reading: MeterReading) async throws -> Approval {
        let refused = try await meter.report(reading.liters, "reading-of-july-2026")
        let problem = try JSONDecoder().decode(Problem.self, from: refused.content)
        #expect(refused.status == 403 && problem.code == .approvalRequired)
        return try await meter.client.approval(
          of: reading.approvedText, challenge: try #require(problem.challenge), for: "meter",
          reason: "the meter was exchanged")
      }
      let wrong = try await approval(of: MeterReading(liters: 7))
      #expect(try await meter.report(8, "reading-of-july-2026", wrong).status == 403)
      let good = try await approval(of: MeterReading(liters: 7))
      #expect(try await meter.report(7, "reading-of-july-2026", good).status == 201)
    }
  }

  @Test("A list has the device's readings, a page after another") func pages() async throws {
    try await withMeter { meter in
      for liters in 1...3 as ClosedRange<Int64> {
        let answer = try await meter.report(liters, "reading-number-\(liters)-of-2026")
        #expect(answer.status == 201)
      }
      func numbers(_ query: String) async throws -> [Int64] {
        let answer = try await meter.list(query)
        #expect(answer.status == 200)
        return try JSONDecoder().decode(MeterHistory.self, from: answer.content).readings.map(\.number)
      }
      let (all, last) = (try await numbers(""), try await numbers("?after=2"))
      #expect(all == [1, 2, 3] && last == [3])
      for (query, status) in [("?after=two", 422), ("?before=2", 400), ("?after=1&after=2", 400)] {
        let refused = try await meter.list(query)
        #expect(refused.status == status)
      }
    }
  }

  @Test("A reading below zero is none") func negative() async throws {
    try await withMeter { meter in
      let refused = try await meter.report(-1, "reading-of-june-2026")
      #expect(refused.status == 422)
      let zero = try await meter.report(0, "reading-of-june-2026")
      #expect(zero.status == 201, "nothing was kept")
    }
  }

  @Test("The password's file is its owner's alone, and never one that was there before, nor behind a link")
  func passwordFile() async throws {
    let trial = try await TrialServer(port: 0)
    defer { try? FileManager.default.removeItem(at: trial.folder) }
    let file = try trial.writePassword()
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(try String(contentsOf: file, encoding: .utf8) == trial.password)
    try Data("other".utf8).write(to: file)
    #expect(throws: CocoaError.self) { try trial.writePassword() }
    #expect(try String(contentsOf: file, encoding: .utf8) == "other")
    try FileManager.default.removeItem(at: file)
    let target = trial.folder.appending(path: "target")
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
    #expect(throws: CocoaError.self) { try trial.writePassword() }
    #expect(!FileManager.default.fileExists(atPath: target.path))
  }
}
