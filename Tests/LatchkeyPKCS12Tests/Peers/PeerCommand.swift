import Foundation
import Testing

/// A program of another implementation, with a folder for its files that goes with it.
final class PeerCommand {
  /// Where the programs are; nil for those that are not there.
  static let openssl = program("openssl")
  static let keytool = program("keytool")
  /// A Python that has cryptography.
  static let python: String? = program("python3").flatMap { python in
    (try? PeerCommand(python).run(["-c", "import cryptography.hazmat.primitives.serialization.pkcs12"]).code) == 0
      ? python : nil
  }

  private let path: String
  private let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-pkcs12-\(UUID().uuidString)")

  init(_ path: String) throws {
    self.path = path
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  /// Writes a file and gives its path.
  func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    try Data(bytes).write(to: folder.appending(path: name))
    return path(name)
  }

  func read(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: folder.appending(path: name))) }

  /// Runs it; how it ended, and what it printed on both.
  @discardableResult
  func run(_ arguments: [String]) throws -> (code: Int32, text: String) {
    let output = folder.appending(path: "output-\(UUID().uuidString)")
    _ = FileManager.default.createFile(atPath: output.path, contents: nil)
    let handle = try FileHandle(forWritingTo: output)
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.standardOutput = handle
    process.standardError = handle
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try handle.close()
    return (process.terminationStatus, String(decoding: try Data(contentsOf: output), as: UTF8.self))
  }

  /// Of the folders of PATH, the first that has it.
  private static func program(_ name: String) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
    return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}

/// PEM blocks of DER.
func pem(_ label: String, _ der: [UInt8]) -> String {
  let text = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
  return "-----BEGIN \(label)-----\n\(text)\n-----END \(label)-----\n"
}
