import LatchkeyTestSupport
import Foundation
import Testing

/// A keychain with a passcode that many tests start from: made once in a test run, and copied. In a build without optimized C
/// scrypt takes seconds for each passcode that is set.
struct PreparedKeychain: Sendable {
  /// The passcode.
  static let passcode = "a long passcode"

  /// Without items.
  static let empty = Result { try PreparedKeychain([]) }

  /// With two items of alice: `mail`, and `always`, which is always accessible. The password of both is `geheim`.
  static let withItems = Result {
    try PreparedKeychain(
      [("mail", "when-unlocked"), ("always", "always")].map { name, accessible in
        ["add-generic-password", "-a", "alice", "-s", name, "--accessible", accessible, "-w", "geheim"]
      })
  }

  private let files: [String: Data]

  /// - Parameter commands: what happens before the passcode is set, while nothing is locked.
  private init(_ commands: [[String]]) throws {
    let folder = try CommandFolder()
    defer { withExtendedLifetime(folder) {} }
    for words in commands + [["set-passcode", "--new", Self.passcode]] {
      let result = try BuiltCommand.run(
        ["keychain"] + words, input: [], folder: folder.url, environment: folder.environment)
      try #require(result.status == 0, "\(words): \(result.errors)")
    }
    files = try Dictionary(
      uniqueKeysWithValues: FileManager.default.contentsOfDirectory(atPath: folder.url.path).map { name in
        (name, try Data(contentsOf: folder.url.appendingPathComponent(name)))
      })
  }

  /// Writes it into a folder, as `keychain.db` with the files that belong to it; only their owner can read them.
  func write(to folder: URL) throws {
    for (name, bytes) in files {
      let file = folder.appendingPathComponent(name)
      try bytes.write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }
  }
}
