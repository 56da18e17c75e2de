import LatchkeyTestSupport
import Foundation

/// A folder of a test's own, gone with it, with a keychain in it that commands find by their environment; of the test's own
/// environment nothing of Latchkey's counts.
final class CommandFolder: Sendable {
  let url: URL
  let environment: [String: String]

  /// Where the keychain will be.
  var keychain: URL { url.appendingPathComponent("keychain.db") }

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("LATCHKEY_") }
      .merging(["LATCHKEY_KEYCHAIN": url.appendingPathComponent("keychain.db").path]) { $1 }
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}
