import Foundation

/// OpenSSL's command as the judge, and a folder for its files that goes with it.
final class OpenSSLCommand {
  private static let command = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }
  static var isThere: Bool { command != nil }

  private let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-openssl-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  /// Writes a file and gives its path.
  func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    try Data(bytes).write(to: folder.appending(path: name))
    return path(name)
  }

  func read(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: folder.appending(path: name))) }

  /// Writes certificates, each DER, as one file of PEM.
  func writePEM(_ name: String, _ certificates: [[UInt8]]) throws -> String {
    let texts = certificates.map {
      "-----BEGIN CERTIFICATE-----\n\(Data($0).base64EncodedString(options: .lineLength64Characters))\n"
        + "-----END CERTIFICATE-----\n"
    }
    return try write(name, Array(texts.joined().utf8))
  }

  /// Runs a subcommand; its exit code, and all that it printed.
  func run(_ arguments: String...) throws -> (code: Int32, text: String) { try run(arguments) }

  func run(_ arguments: [String]) throws -> (code: Int32, text: String) {
    let process = Process()
    let output = folder.appending(path: "output-\(UUID().uuidString)")
    _ = FileManager.default.createFile(atPath: output.path, contents: nil)
    let handle = try FileHandle(forWritingTo: output)
    process.executableURL = URL(filePath: Self.command ?? "/usr/bin/openssl")
    process.arguments = arguments
    process.standardOutput = handle
    process.standardError = handle
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try handle.close()
    return (process.terminationStatus, String(decoding: try Data(contentsOf: output), as: UTF8.self))
  }
}
