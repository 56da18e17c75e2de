import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Foundation
import LatchkeyEnrollmentProtocol
import Testing

/// The chain that the server sends, verified by OpenSSL with the root as the only anchor.
@Suite("The server's chain, with an authority below a root", .serialized)
struct ServerChainTests {
  private static let openSSL = "/usr/bin/openssl"

  /// A folder with a root, an authority that it issued, and another root, all made by OpenSSL.
  private struct Place: ~Copyable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-chain-\(UUID().uuidString)")

    init() async throws {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let authority = [
        "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign,cRLSign",
      ]
      for name in ["root", "other"] {
        try await key(name)
        try await openssl(
          [
            "req", "-x509", "-new", "-key", file("\(name)-key.pem"), "-subj", "/CN=\(name)", "-days", "365", "-out",
            file("\(name).pem"),
          ] + authority)
      }
      try await key("lower")
      try await openssl([
        "req", "-new", "-key", file("lower-key.pem"), "-subj", "/CN=lower", "-out", file("lower.csr"),
      ])
      try Data("basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n".utf8)
        .write(to: URL(filePath: file("lower.cnf")))
      try await openssl([
        "x509", "-req", "-in", file("lower.csr"), "-CA", file("root.pem"), "-CAkey", file("root-key.pem"),
        "-set_serial", "7", "-days", "90", "-extfile", file("lower.cnf"), "-out", file("lower.pem"),
      ])
      let chain =
        try Data(contentsOf: URL(filePath: file("lower.pem"))) + Data(contentsOf: URL(filePath: file("root.pem")))
      try chain.write(to: URL(filePath: file("chain.pem")))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func file(_ name: String) -> String { folder.appending(path: name).path }

    func key(_ name: String) async throws {
      let path = file("\(name)-key.pem")
      try await openssl(["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", path])
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    func openssl(_ words: [String]) async throws {
      let run = try #require(try await ForeignProgram.run(ServerChainTests.openSSL, words))
      try #require(run.status == 0, "openssl \(words.joined(separator: " ")): \(run.output)")
    }
  }

  /// The output of `openssl s_client` for the server with this root as anchor.
  private func client(_ port: Int, root: String) async throws -> String {
    try #require(
      try await ForeignProgram.run(
        Self.openSSL,
        [
          "s_client", "-connect", "127.0.0.1:\(port)", "-servername", "localhost", "-verify_hostname", "localhost",
          "-CAfile", root, "-no-CApath", "-no-CAstore", "-verify_return_error", "-showcerts",
        ], input: "GET \(Routes.live) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", holdsInput: true)
    ).output
  }

  @Test(
    "It leads to the root, is believed by it alone, and an enrolled device's leads there, too",
    .needs("openssl", "curl"))
  func chain() async throws {
    let place = try await Place()
    let state = place.file("state")
    let server = try await ServedProgram([
      "--state", state, "--ca", place.file("chain.pem"), "--ca-key", place.file("lower-key.pem"),
    ])
    let believed = try await client(server.port, root: place.file("root.pem"))
    #expect(believed.contains("Verify return code: 0 (ok)"), "\(believed)")
    #expect(believed.contains("HTTP/1.1 200"))
    // The server's own and the one below the root; the root itself is the client's.
    #expect(believed.components(separatedBy: "-----BEGIN CERTIFICATE-----").count - 1 >= 2)
    #expect(believed.contains("CN = lower") || believed.contains("CN=lower"))
    let refused = try await client(server.port, root: place.file("other.pem"))
    #expect(!refused.contains("Verify return code: 0 (ok)") && !refused.contains("HTTP/1.1 200"))

    // A device with its certificate alone, as curl shows it, is let in.
    let url = "https://localhost:\(server.port)"
    try Data("correct horse battery".utf8).write(to: URL(filePath: place.file("password")))
    let added = try await ServedProgram.run([
      "user", "add", "ann", "--password", "@" + place.file("password"), "--state", state,
    ])
    #expect(added.status == 0, "\(added.output)")
    func curl(_ path: String, _ words: [String]) async throws -> [String: Any] {
      let run = try #require(
        try await ForeignProgram.run(
          "/usr/bin/curl",
          ["-sS", "--cacert", place.file("root.pem"), "-H", "content-type: application/json"] + words + [url + path]))
      return try #require(
        try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any], "\(run.output)")
    }
    let login = try await curl(Routes.login, ["-d", #"{"user":"ann","password":"correct horse battery"}"#])
    let token = try #require(login["token"] as? String, "\(login)")
    try await place.key("phone")
    try await place.openssl([
      "req", "-new", "-key", place.file("phone-key.pem"), "-subj", "/CN=x", "-outform", "DER", "-out",
      place.file("phone.csr"),
    ])
    let request = try Data(contentsOf: URL(filePath: place.file("phone.csr"))).base64EncodedString()
    let device = try await curl(
      Routes.devices,
      [
        "-H", "authorization: Bearer \(token)", "-H", "idempotency-key: \(UUID().uuidString)", "-d",
        #"{"name":"phone","signingRequest":"\#(request)"}"#,
      ])
    let certificates = try #require(device["certificates"] as? [String], "\(device)")
    let leaf = try #require(certificates.first.flatMap { Data(base64Encoded: $0) })
    try leaf.write(to: URL(filePath: place.file("phone.der")))
    try await place.openssl(["x509", "-inform", "DER", "-in", place.file("phone.der"), "-out", place.file("phone.pem")])
    let own = try await curl(
      Routes.device, ["--cert", place.file("phone.pem"), "--key", place.file("phone-key.pem")])
    #expect(own["name"] as? String == "phone", "\(own)")
    #expect(server.end() == 0)
  }
}
