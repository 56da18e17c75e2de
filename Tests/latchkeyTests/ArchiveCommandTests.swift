import LatchkeyTestSupport
import Crypto
import Foundation
import Glibc
import LatchkeyAgeEncryption
import Testing

@testable import latchkey

/// Archives of a keychain, and secrets in files: nothing of them reaches a terminal or other users.
@Suite(.timeLimit(.minutes(5))) struct ArchiveCommandTests {
  private let place: CommandFolder
  private let identity = AgeIdentity(Curve25519.KeyAgreement.PrivateKey())
  private var folder: URL { place.url }

  init() throws { place = try CommandFolder() }

  private func run(_ arguments: String..., input: String = "") throws -> BuiltCommand.Result {
    try BuiltCommand.run(
      ["keychain"] + arguments, input: Array(input.utf8), folder: folder, environment: place.environment)
  }

  @Test("An age file is not written to a terminal, unless it is armored", arguments: ["export", "backup"])
  func terminal(_ command: String) throws {
    #expect(try run("add-generic-password", "-a", "a", "-s", "mail", "-w", "-", input: "geheim").status == 0)
    for option in [[], ["--armor"]] {
      let session = try TerminalSession(
        ["keychain", command, "-", "--recipient", identity.recipient.text] + option, folder: folder,
        environment: place.environment)
      let status = session.end()
      #expect(status == (option.isEmpty ? 64 : 0), "\(session.screen)")
      #expect(session.screen.contains("-----BEGIN AGE ENCRYPTED FILE-----") == !option.isEmpty)
      #expect(session.screen.contains("is no text for a terminal") == option.isEmpty)
      #expect(!session.screen.contains("age-encryption.org"))
    }
    // A pipe accepts it.
    let piped = try run(command, "-", "--recipient", identity.recipient.text)
    #expect(piped.status == 0 && piped.output.hasPrefix("age-encryption.org/v1\n"))
  }

  /// Text that clears a screen, names a window, turns a line round and looks like a line of the command's own.
  private static let hostile = #"x\u001b[2J\u001b]0;title\u0007\u202e\u009b1m\nlatchkey: done"#

  private static func item(_ itemClass: String, group: String = "g", accessible: String = "ak") -> String {
    #"{"class":"\#(itemClass)","accessGroup":"\#(group)","accessible":"\#(accessible)","synchronizable":false,"attributes":{}}"#
  }

  private static func document(_ items: String, excluded: String = "", format: String = "latchkey-keychain") -> String {
    #"{"format":"\#(format)","version":1,"created":"2026-01-01T00:00:00Z","items":[\#(items)],"excluded":[\#(excluded)]}"#
  }

  static let documents = [
    document(item(hostile)), document(item("genp", group: hostile)), document(item("genp", accessible: hostile)),
    document(item("genp"), format: hostile),
    document("", excluded: #"{"class":"\#(hostile)","accessGroup":"g","name":"\#(hostile)","reason":"\#(hostile)"}"#),
    document(#"{"\#(hostile)":1}"#),
    document(
      #"{"class":"genp","accessGroup":"g","accessible":"ak","synchronizable":false,"attributes":{"\#(hostile)":{"text":"a"}}}"#
    ),
    #"{"\#(hostile)"#,
  ]

  @Test("An archive's text moves no cursor, and adds no line", arguments: documents.indices)
  func hostileText(_ index: Int) throws {
    let archive = try AgeEncryptor.encrypt(Array(Self.documents[index].utf8), for: .recipients([identity.recipient])) {
      SymmetricKey(size: SymmetricKeySize(bitCount: 8 * $0)).withUnsafeBytes { Array($0) }
    }
    try Data(archive).write(to: folder.appendingPathComponent("archive.age"))
    try Data((identity.text + "\n").utf8).write(to: folder.appendingPathComponent("identity"))
    for json in [[], ["--json"]] {
      let result = try BuiltCommand.run(
        ["keychain", "import", "archive.age", "--identity", "identity"] + json, input: [], folder: folder,
        environment: place.environment)
      let text = result.output + result.errors
      #expect(result.status == 65, "\(text)")
      let isForTerminals = text.unicodeScalars.allSatisfy { scalar in
        scalar == "\n" || ![.control, .format].contains(scalar.properties.generalCategory)
      }
      #expect(isForTerminals, "\(Array(text.utf8))")
      #expect(!text.split(separator: "\n").contains { $0.hasPrefix("latchkey: done") }, "\(text)")
    }
  }

  @Test("A secret's file is readable by its owner only, whatever the mode of the file that it replaces")
  func secretFile() throws {
    let path = folder.appendingPathComponent("secret").path
    let link = folder.appendingPathComponent("link").path
    try Data("an older and longer secret".utf8).write(to: URL(filePath: path))
    try #require(chmod(path, 0o644) == 0 && symlink(path, link) == 0)
    for (target, secret) in [(path, "one"), (link, "two")] {
      try OutputFile.writeSecret(Array(secret.utf8), to: target)
      var status = stat()
      try #require(lstat(path, &status) == 0)
      #expect(status.st_mode & 0o7777 == 0o600 && status.st_mode & S_IFMT == S_IFREG)
      #expect(try String(contentsOfFile: path, encoding: .utf8) == secret)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.hasSuffix(".part") })
  }
}
