import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Crypto
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentProtocol
import Testing

/// The program's log after a request of each kind.
@Suite("Secrets and the log")
struct SecretsInLogTests {
  /// Each form of bytes in a log: as they are, as numbers, in hexadecimal, in base64 wherever they begin. The middle of
  /// them stands for all, so that a part counts, too.
  private func forms(of secret: [UInt8]) -> [Data] {
    let middle = Array(secret.dropFirst(6).prefix(18))
    let hexadecimal = middle.map { String(format: "%02x", $0) }
    var texts = [", ", ",", " "].map { middle.map { "\($0)" }.joined(separator: $0) }
    for separator in ["", ":", " ", ", "] {
      texts += [hexadecimal.joined(separator: separator), hexadecimal.joined(separator: separator).uppercased()]
      texts.append(hexadecimal.map { "0x" + $0 }.joined(separator: separator))
    }
    for skipped in 0..<3 { texts.append(Data(middle.dropFirst(skipped).prefix(15)).base64EncodedString()) }
    return [Data(middle)] + texts.map { Data($0.utf8) }
  }

  private func pem(_ certificate: [UInt8]) -> String {
    let lines = Data(certificate).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    return "-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n"
  }

  @Test("At its most talkative the server writes no key and no password into its log", arguments: ["text", "json"])
  func trace(format: String) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-log-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: folder) }
    func write(_ name: String, _ text: String) throws -> String {
      let path = folder.appending(path: name).path
      guard
        FileManager.default.createFile(atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
      else { throw CocoaError(.fileWriteUnknown) }
      return path
    }
    let (key, now) = (P256.Signing.PrivateKey(), Date())
    let authority = try CertificateAuthority(
      name: "Test authority", key: FileAuthorityKey(), now: now, serial: RunningServer.serial())
    let leaf = try authority.issueServer(
      names: ["localhost"], publicKey: Array(key.publicKey.x963Representation), serial: RunningServer.serial(),
      notBefore: now.addingTimeInterval(-3600), notAfter: now.addingTimeInterval(3600))
    let (envelope, mac) = ("envelope-key-of-32-characters-ab", "mac-key-of-the-old-service-32-characters")
    let log = try write("log", "")
    let state = folder.appending(path: "state").path
    let program = try await ServedProgram(
      [
        "--state", state, "--tls-cert", try write("tls.pem", pem(leaf)), "--tls-key",
        try write("tls.key", key.pemRepresentation),
        "--documented", "--encryption-key", "@" + (try write("envelope", envelope)), "--mac-key",
        "@" + (try write("mac", mac)), "--log-format", format,
      ], logLevel: "trace", errors: try #require(FileHandle(forWritingAtPath: log)))
    let password = try String(contentsOfFile: state + "/demo-password", encoding: .utf8)
      .trimmingCharacters(in: .newlines)
    let login = try await ForeignProgram.runOrSkip(
      "/usr/bin/curl",
      [
        "-sS", "--cacert", try write("ca.pem", pem(authority.chain[0])), "-H", "content-type: application/json", "-d",
        #"{"user":"demo","password":"\#(password)"}"#, "https://localhost:\(program.port)" + Routes.login,
      ])
    #expect(program.end() == 0)
    var secrets = [
      "TLS": Array(key.rawRepresentation), "envelope": Array(envelope.utf8), "MAC": Array(mac.utf8),
      "password": Array(password.utf8),
    ]
    for name in ["ca-key.pem", "answer-key.pem"] {
      let key = try P256.Signing.PrivateKey(
        pemRepresentation: String(contentsOfFile: state + "/" + name, encoding: .utf8))
      secrets[name] = Array(key.rawRepresentation)
    }
    if let login {
      secrets["token"] = Array(try JSONDecoder().decode(LoginAnswer.self, from: Data(login.output.utf8)).token.utf8)
    }
    let written = try Data(contentsOf: URL(filePath: log))
    // The log is not empty.
    #expect(written.range(of: Data("EnrollmentServer".utf8)) != nil)
    for (name, secret) in secrets {
      for form in forms(of: secret) {
        let found = written.range(of: form)
        #expect(found == nil, "\(name) at \(String(describing: found))")
      }
    }
  }

  @Test("A printed server or configuration reveals no values")
  func printed() async throws {
    try await RunningServer.with { server in
      var configuration = ServerText()
      dump(server.server, to: &configuration)
      let texts = ["\(server.server)", String(reflecting: server.server), configuration.text]
      #expect(texts.allSatisfy { $0.count < 40 }, "\(texts)")
    }
  }

  private struct ServerText: TextOutputStream {
    var text = ""
    mutating func write(_ string: String) { text += string }
  }
}
