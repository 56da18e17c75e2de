import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Crypto
import Foundation
import LatchkeyEnrollmentStore
import SwiftASN1
import Testing
import X509

/// The program validates its files on the disk.
@Suite("Files of the program latchkey-server", .serialized)
struct StateFolderTests {
  private static func program() throws -> String {
    try ProgramPath.built("latchkey-server")
  }

  private func run(_ words: [String], home: String?) async throws -> ForeignProgram {
    var environment = ["PATH": "/usr/bin:/bin"]
    environment["HOME"] = home
    return try #require(try await ForeignProgram.run(Self.program(), words, environment: environment))
  }

  private func folder(mode: Int) throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-files-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: mode])
    return folder
  }

  @Test(
    "A folder that others may enter is not used, nor one that another user owns",
    arguments: [0o777, 0o755, 0o710, 0o701])
  func openFolder(mode: Int) async throws {
    let folder = try folder(mode: mode)
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path)
    let run = try await run(["crl", folder.path + "/list.crl", "--state", folder.path], home: nil)
    #expect(run.status == 77)
    #expect(run.output.contains("chmod 700"))
    guard getuid() == 0 else { return }
    #expect(chmod(folder.path, 0o700) == 0 && chown(folder.path, 65_534, 65_534) == 0)
    let foreign = try await self.run(["crl", folder.path + "/list.crl", "--state", folder.path], home: nil)
    #expect(foreign.status == 77)
    #expect(foreign.output.contains("another user"))
  }

  @Test("Without a home there is no folder, least of all one where everybody may write")
  func homeless() async throws {
    for home in [nil, "/dev/null"] {
      let run = try await run(["device", "list", "demo"], home: home)
      #expect(run.status == 74)
      #expect(run.output.contains("give --state"))
    }
  }

  @Test("A command that only reads a given store makes no folder")
  func readingOnly() async throws {
    let folder = try folder(mode: 0o700)
    defer { try? FileManager.default.removeItem(at: folder) }
    let home = folder.appending(path: "home").path
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: false)
    func file(_ name: String, _ text: String) throws -> String {
      let file = folder.appending(path: name).path
      try Data(text.utf8).write(to: URL(filePath: file))
      #expect(chmod(file, 0o600) == 0)
      return file
    }
    let store = ["--store", "sqlite:\(folder.path)/server.db"]
    let password = try file("password", "long enough")
    #expect(try await run(["user", "add", "ann", "--password", "@\(password)"] + store, home: home).status == 0)
    let head = try await run(["audit", "head"] + store, home: home)
    let heads = try file("heads", head.output)
    let key = try file("key.pem", P256.Signing.PrivateKey().pemRepresentation)
    let ca = folder.appending(path: "ca.pem").path
    #expect(try await run(["ca", "create", "--key", key, "--out", ca], home: home).status == 0)
    let list = folder.appending(path: "list.crl").path
    for words in [
      ["device", "list", "ann"], ["audit", "verify"], ["audit", "verify", "--against", heads, "--allow-unsigned"],
      ["crl", list, "--ca", ca, "--ca-key", key], ["user", "unlock", "ann"],
    ] {
      let run = try await run(words + store, home: home)
      #expect(run.status == 0, "\(words): \(run.output)")
    }
    let bank = try await run(["ledger", "verify"] + store, home: home)
    #expect(bank.status == 44 && bank.output.contains("serve --sample-bank"), "\(bank.output)")
    let own = try await run(["crl", list] + store, home: home)
    #expect(own.status == 65 && own.output.contains("there is no authority in \(home)"), "\(own.output)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: home) == [])
  }

  @Test("A key that other users can read or own is not used")
  func openKey() async throws {
    let folder = try folder(mode: 0o700)
    defer { try? FileManager.default.removeItem(at: folder) }
    let key = folder.appending(path: "ca-key.pem").path
    let (ca, list) = (folder.appending(path: "ca.pem").path, folder.appending(path: "list.crl").path)
    try Data(P256.Signing.PrivateKey().pemRepresentation.utf8).write(to: URL(filePath: key))
    #expect(chmod(key, 0o600) == 0)
    #expect(try await run(["ca", "create", "--key", key, "--out", ca], home: nil).status == 0)
    let state = ["--state", folder.path]
    // A list of what was revoked needs a store in which that stands.
    #expect(try await run(["crl", list] + state, home: nil).status == 74)
    let password = folder.appending(path: "password").path
    try Data("long enough".utf8).write(to: URL(filePath: password))
    #expect(chmod(password, 0o600) == 0)
    #expect(try await run(["user", "add", "ann", "--password", "@\(password)"] + state, home: nil).status == 0)
    #expect(try await run(["crl", list] + state, home: nil).status == 0)
    #expect(try await run(["crl", list, "--ca", ca, "--ca-key", key] + state, home: nil).status == 0)
    for mode: mode_t in [0o644, 0o640, 0o602] {
      #expect(chmod(key, mode) == 0)
      for words in [["crl", list], ["crl", list, "--ca", ca, "--ca-key", key]] {
        let run = try await run(words + state, home: nil)
        #expect(run.status == 77)
        #expect(run.output.contains("chmod 600"))
      }
    }
  }

  @Test("The key of the server's certificate is its owner's alone, too", arguments: [0o644, 0o640, 0o602])
  func openServerKey(mode: Int) async throws {
    let folder = try folder(mode: 0o700)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (certificate, key) = (folder.appending(path: "tls.pem").path, folder.appending(path: "tls-key.pem").path)
    for (path, text) in [(certificate, ""), (key, P256.Signing.PrivateKey().pemRepresentation)] {
      try Data(text.utf8).write(to: URL(filePath: path))
    }
    #expect(chmod(key, mode_t(mode)) == 0)
    let words = ["serve", "--listen", "192.0.2.1:0", "--state", folder.path, "--tls-cert", certificate]
    let run = try await run(words + ["--tls-key", key], home: nil)
    #expect(run.status == 77)
    #expect(run.output.contains("chmod 600 \(key)"), "\(run.output)")
  }

  @Test(
    "A database that another user owns is not used, though no other user can read it",
    .enabled(if: getuid() == 0, "needs root"))
  func foreignDatabase() async throws {
    let folder = try folder(mode: 0o700)
    defer { try? FileManager.default.removeItem(at: folder) }
    let database = folder.appending(path: "server.db").path
    #expect(FileManager.default.createFile(atPath: database, contents: nil, attributes: [.posixPermissions: 0o600]))
    #expect(chown(database, 65_534, 65_534) == 0)
    for words in [["serve", "--listen", "127.0.0.1:0"], ["audit", "verify"]] {
      let run = try await run(words + ["--state", folder.path], home: nil)
      #expect(run.status == 64)
      #expect(run.output.contains("belongs to another user"))
    }
    // The whole folder is a service's: the message names its user.
    #expect(chown(folder.path, 65_534, 65_534) == 0)
    let service = try await run(["audit", "verify", "--state", folder.path], home: nil)
    #expect(service.status == 77)
    #expect(service.output.contains("another user (nobody)") && service.output.contains("runuser"), "\(service.output)")
  }

  @Test("Half an authority is not replaced, and new keys beside a store with devices are reported", .needs("python3"))
  func lostKeys() async throws {
    let folder = try folder(mode: 0o700)
    defer { try? FileManager.default.removeItem(at: folder) }
    let state = ["--state", folder.path]
    #expect(try await ServedProgram(state).end() == 0)
    let columns = "id, user_name, name, created, identity_key"
    let device = "INSERT INTO devices (\(columns)) VALUES (zeroblob(16), 'demo', '', 1, x'04')"
    try await ServedProgram.forge(folder.appending(path: "server.db").path, device)
    // An address that is not this machine's: the server ends before it serves.
    let serve = ["serve", "--listen", "192.0.2.1:0"] + state
    #expect(try await !run(serve, home: nil).output.contains("made anew"))
    for name in ["ca.pem", "ca-key.pem"] {
      let (file, away) = (folder.appending(path: name), folder.appending(path: "away"))
      let other = folder.appending(path: name == "ca.pem" ? "ca-key.pem" : "ca.pem")
      let before = try Data(contentsOf: other)
      try FileManager.default.moveItem(at: file, to: away)
      let half = try await run(serve, home: nil)
      #expect(half.status == 65)
      #expect(half.output.contains("\(file.path) is missing: restore it"))
      #expect(try Data(contentsOf: other) == before && !FileManager.default.fileExists(atPath: file.path))
      try FileManager.default.moveItem(at: away, to: file)
    }
    try FileManager.default.removeItem(at: folder.appending(path: "answer-key.pem"))
    let reported = try await run(serve, home: nil)
    #expect(reported.output.contains("answer-key.pem of the devices in the store was not there, and was made anew"))
    for name in ["ca.pem", "ca-key.pem"] { try FileManager.default.removeItem(at: folder.appending(path: name)) }
    #expect(try await run(serve, home: nil).output.contains("ca.pem and ca-key.pem of the devices"))
  }

  @Test(
    "An authority that ends soon issues what ends with it; one that has ended is refused in words", .needs("curl"),
    arguments: [5, -1])
  func shortAuthority(days: Int) async throws {
    let folder = try folder(mode: 0o700)
    defer { try? FileManager.default.removeItem(at: folder) }
    let key = P256.Signing.PrivateKey()
    let end = Date() + Double(days) * 86_400
    let certificate = try Certificate(
      version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey), notValidBefore: Date() - 2 * 86_400,
      notValidAfter: end, issuer: DistinguishedName { CommonName("root") },
      subject: DistinguishedName { CommonName("root") }, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: Certificate.Extensions {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
        Critical(KeyUsage(keyCertSign: true, cRLSign: true))
      }, issuerPrivateKey: .init(key))
    let (ca, keyFile) = (folder.appending(path: "ca").path, folder.appending(path: "key").path)
    try Data(certificate.serializeAsPEM().pemString.utf8).write(to: URL(filePath: ca))
    try Data(key.pemRepresentation.utf8).write(to: URL(filePath: keyFile))
    #expect(chmod(keyFile, 0o600) == 0)
    let words = ["--state", folder.path, "--ca", ca, "--ca-key", keyFile]
    guard days > 0 else {
      let ended = try await run(["serve", "--listen", "127.0.0.1:0"] + words, home: nil)
      #expect(ended.status == 65 && ended.output.contains("the authority's certificate ended on"))
      return
    }
    let server = try await ServedProgram(words)
    let answer = try await ForeignProgram.run(
      "/usr/bin/curl", ["-sS", "--cacert", ca, "https://localhost:\(server.port)/v1/accounts"])
    #expect(answer?.output.contains("\"code\"") == true, "\(answer?.output ?? "")")
    #expect(server.end() == 0)
  }

  @Test("A chain that ends below its root is refused at the start, with the next step")
  func incompleteChain() async throws {
    let folder = try folder(mode: 0o700)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (rootKey, lowerKey) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
    func authority(_ name: String, _ key: P256.Signing.PrivateKey, by issuer: String, _ signer: P256.Signing.PrivateKey)
      throws
      -> String
    {
      let certificate = try Certificate(
        version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey), notValidBefore: Date() - 60,
        notValidAfter: Date() + 86_400, issuer: DistinguishedName { CommonName(issuer) },
        subject: DistinguishedName { CommonName(name) }, signatureAlgorithm: .ecdsaWithSHA256,
        extensions: Certificate.Extensions {
          Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
          Critical(KeyUsage(keyCertSign: true, cRLSign: true))
        }, issuerPrivateKey: .init(signer))
      return try certificate.serializeAsPEM().pemString + "\n"
    }
    let root = try authority("root", rootKey, by: "root", rootKey)
    let lower = try authority("lower", lowerKey, by: "root", rootKey)
    let (key, alone, whole) = (
      folder.appending(path: "lower.key").path, folder.appending(path: "lower.pem").path,
      folder.appending(path: "chain.pem").path
    )
    try Data(lowerKey.pemRepresentation.utf8).write(to: URL(filePath: key))
    #expect(chmod(key, 0o600) == 0)
    try Data(lower.utf8).write(to: URL(filePath: alone))
    try Data((lower + root).utf8).write(to: URL(filePath: whole))
    let state = ["--state", folder.path, "--ca-key", key, "--ca"]
    let refused = try await run(["serve", "--listen", "127.0.0.1:0"] + state + [alone], home: nil)
    #expect(refused.status == 65)
    #expect(refused.output.contains("up to the root"))
    #expect(try await run(["crl", folder.path + "/list.crl"] + state + [whole], home: nil).status != 65)
  }
}
