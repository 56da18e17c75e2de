import LatchkeyServerTestSupport
import Foundation
import LatchkeyTestSupport

/// `latchkey-server serve --documented`, as its users run it: on a port of its own choice, with all that it keeps in a folder that
/// goes with it.
final class ServerProgram: @unchecked Sendable {
  let port: Int
  /// The authority's certificate, DER: whom its clients believe.
  let root: [UInt8]
  /// The password of its user `demo`.
  let password: String
  private let server: RunningCommand
  private let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-program-\(UUID().uuidString)")

  struct Failure: Error { let lines: [String] }

  /// - Throws: ``Failure`` with its lines if it ends before it listens.
  init(encryptionKey: String, macKey: String) async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let keys = [folder.appending(path: "encryption"), folder.appending(path: "mac")]
    for (file, key) in zip(keys, [encryptionKey, macKey]) {
      try Data(key.utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }
    server = try RunningCommand(
      [
        "serve", "--documented", "--encryption-key", "@\(keys[0].path)", "--mac-key", "@\(keys[1].path)", "--listen",
        "127.0.0.1:0", "--state", folder.appending(path: "state").path, "--json",
      ], of: "latchkey-server", state: folder, errors: .nullDevice)
    _ = await server.wait(for: "\"event\":\"demo\"")
    let lines = server.lines
    let events = lines.compactMap { try? JSONDecoder().decode(Event.self, from: Data($0.utf8)) }
    guard let url = events.compactMap(\.url).first, let port = URL(string: url)?.port,
      let ca = events.compactMap(\.ca).first, let file = events.compactMap(\.passwordFile).first
    else {
      throw Failure(lines: lines)
    }
    self.port = port
    let pem = try String(contentsOfFile: ca, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("-") }
    root = Array(Data(base64Encoded: pem.joined()) ?? Data())
    password = try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .newlines)
  }

  /// Ends it if it has not ended.
  func end() { server.terminate() }

  deinit {
    end()
    try? FileManager.default.removeItem(at: folder)
  }

  private struct Event: Decodable {
    var url: String?
    var ca: String?
    var passwordFile: String?
  }
}
