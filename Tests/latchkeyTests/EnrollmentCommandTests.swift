import Foundation
import Testing

/// The commands of enrollment against a server that runs beside, as a user would type them.
@Suite struct EnrollmentCommandTests {
  @Test func aMachineEnrolsAndTransfers() async throws {
    let stage = try await Stage()
    try stage.play("enroll \(stage.url) --user demo --password @\(stage.password) --ca \(stage.ca) --json")
    try stage.play("enroll \(stage.url) --user demo --password @\(stage.password) --ca \(stage.ca) --json")
    try stage.play("accounts --json")
    try stage.play("login --json")
    try stage.play("login --user demo --password @\(stage.password) --json")
    try stage.play("login --key latchkey-approval-default --json")
    try stage.play("transfer --from 123123456456 --to 654654123123 --amount 12.50 --currency EUR --json")
    try stage.play("transfer --from 654654123123 --to 123123456456 --amount 1000.00 --currency EUR --json")
    try stage.play("transfer --from 123123456456 --to 654654123123 --amount 99999.00 --currency EUR --json", 65)
    try stage.play("transfer --from 123123456456 --to 654654123123 --amount 999.00 --currency USD --json", 65)
    try stage.play("transfer --pending --json")
    try stage.play("accounts")
    try stage.play("login --user demo --password @\(stage.ca) --json", 77)
    try stage.play("enroll \(stage.url) --user demo --password @\(stage.password) --label other --json", 77)
    try stage.play(
      "enroll \(stage.url) --user demo --password @\(stage.password) --ca \(stage.ca) --label p12 --pkcs12 --json")
    try stage.play("accounts --label p12 --json")
    let (tomorrow, past) = (Stage.day(1), Stage.day(-2))
    try stage.play(
      "transfer --from 123123456456 --to 654654123123 --amount 1.00 --currency EUR --date \(tomorrow)T00:00:00Z --json")
    try stage.play("transfer --from 123123456456 --to 654654123123 --amount 1.00 --currency EUR --date \(tomorrow)")
    #expect(
      stage.lines.removeLast()
        == "Transferred 1.00 EUR from 123123456456 to 654654123123, dated \(tomorrow); 123123456456 has 1985.50 now")
    stage.lines.removeLast()
    try stage.play(
      "transfer --from 123123456456 --to 654654123123 --amount 1.00 --currency EUR --date \(past)T00:00:00Z --json", 65)
    #expect(try await stage.stop() == 0)
    try stage.play("accounts --json", 69)
    try Golden.expect(stage.lines, are: "enrollment")
  }

  @Test func aDeviceIsRenewedRevokedAndEnrolledAgain() async throws {
    let stage = try await Stage()
    let enroll = "enroll \(stage.url) --user demo --password @\(stage.password) --ca \(stage.ca) --json"
    try stage.play("status", 69)
    try stage.play(enroll)
    let device = try #require(stage.lines.joined().firstMatch(of: /"device":"([0-9a-f]{32})"/).map { String($0.1) })
    try stage.play("status --json")
    #expect(stage.lines.contains { $0.contains(#""event":"counts""#) && $0.contains(device) })
    try stage.play("renew --json")
    try stage.play("renew --new-key --json")
    #expect(stage.lines.contains { $0.contains(#""event":"renewed""#) && $0.contains(#""newKey":true"#) })
    try stage.play("accounts --json")
    // The operator ends it; the server that runs hears of it within half a second.
    try stage.play("serve device revoke \(device) --state \(stage.state) --json")
    try stage.play("status --json", until: 77)
    try stage.play("status --offline --json")
    try stage.play(enroll)
    #expect(stage.lines.last { $0.contains(#""event":"enrolled""#) }?.contains(#""isNew":true"#) == true)
    try stage.play("transfer --from 123123456456 --to 654654123123 --amount 12.50 --currency EUR --json")
    try stage.play("revoke --json")
    try stage.play("accounts --json", 69)
    try stage.play(enroll)
    try stage.play("forget --json")
    try stage.play("status --json", 69)
    #expect(try await stage.stop() == 0)
  }

  /// A server, and a user with a keychain that has a passcode and a program that types it.
  final class Stage {
    let url: String
    let ca: String
    let password: String
    let state: String
    var lines: [String] = []
    let folder: URL
    let environment: [String: String]
    private let server: RunningCommand

    /// - Parameter options: further ones of the server.
    init(serving options: [String] = []) async throws {
      folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        .appendingPathComponent(UUID().uuidString)
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let passcode = folder.appendingPathComponent("passcode")
      let asking = folder.appendingPathComponent("asking")
      try Data("a long passcode\n".utf8).write(to: passcode)
      try Data("#!/bin/sh\necho a long passcode\n".utf8).write(to: asking)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: passcode.path)
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: asking.path)
      environment = [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "HOME": folder.path,
        "LATCHKEY_KEYCHAIN": folder.appendingPathComponent("keychain.db").path, "LATCHKEY_ENCLAVE": "software",
        "LATCHKEY_PASSCODE_FILE": passcode.path, "LATCHKEY_ASKPASS": asking.path,
      ]
      var unset = environment
      unset["LATCHKEY_PASSCODE_FILE"] = nil
      let set = try BuiltCommand.run(
        ["keychain", "set-passcode", "--new", "@\(passcode.path)"], input: [], folder: folder, environment: unset)
      #expect(set.status == 0)
      state = folder.appendingPathComponent("server").path
      server = try RunningCommand(
        ["serve", "--listen", "127.0.0.1:0", "--state", state, "--json"] + options, state: folder)
      #expect(await server.wait(for: "\"demo\""))
      let told = server.lines.joined(separator: "\n")
      url = try #require(told.firstMatch(of: /https:\/\/localhost:[0-9]+/).map { String($0.output) })
      ca = state + "/ca.pem"
      password = state + "/demo-password"
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Runs a command, and keeps what it prints.
    func play(_ line: String, _ status: Int32 = 0) throws {
      let arguments = line.split(separator: " ").map(String.init)
      let result = try BuiltCommand.run(arguments, input: [], folder: folder, environment: environment)
      #expect(result.status == status, "\(line): \(result.errors)")
      lines.append("$ latchkey \(line.replacing(folder.path, with: "FOLDER"))")
      lines += result.output.split(separator: "\n").map(String.init)
    }

    /// Runs a command again and again, until it ends so.
    func play(_ line: String, until status: Int32) throws {
      let arguments = line.split(separator: " ").map(String.init)
      for _ in 0..<200 {
        let result = try BuiltCommand.run(arguments, input: [], folder: folder, environment: environment)
        if result.status == status { return }
      }
      Issue.record("\(line) never ended with \(status)")
    }

    /// A day, so many days from now: `2026-11-30`.
    static func day(_ distance: Int) -> String {
      String((Date() + Double(distance) * 86_400).formatted(.iso8601).prefix(10))
    }

    /// Ends the server as a signal does.
    func stop() async throws -> Int32 {
      server.interrupt()
      return try await server.end()
    }
  }
}
