import EnclaveKeys
import Foundation
import ProcessEnvironment

/// Where a server keeps what it made for itself: authority, keys, database. Files with secrets are for their owner alone.
struct StateFolder: Sendable {
  let url: URL
  /// Whether it is gone after the next start of the machine.
  let isTemporary: Bool

  /// `path`, else `$XDG_STATE_HOME/latchkey/server`, else below the home folder; else a temporary one.
  init(_ path: String?) throws(CommandFailure) {
    let environment = Environment.variables
    let fixed: String? =
      if let path {
        path
      } else if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
        state + "/latchkey/server"
      } else if let home = environment["HOME"], home.hasPrefix("/") {
        home + "/.local/state/latchkey/server"
      } else {
        nil
      }
    if let fixed, (try? Self.make(fixed)) != nil {
      url = URL(fileURLWithPath: fixed, isDirectory: true)
      isTemporary = false
      return
    }
    guard path == nil else { throw CommandFailure(.inputOutput, "the folder \(path ?? "") cannot be made") }
    let temporary = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-server-\(getuid())")
    do { try Self.make(temporary.path) } catch {
      throw CommandFailure(.inputOutput, "no folder for the server's state: give --state FOLDER")
    }
    url = temporary
    isTemporary = true
  }

  private static func make(_ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    guard access(path, W_OK) == 0 else { throw CocoaError(.fileWriteNoPermission) }
  }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// A file's bytes; nil if there is no such file.
  func read(_ name: String) throws(CommandFailure) -> [UInt8]? {
    guard FileManager.default.fileExists(atPath: path(name)) else { return nil }
    return try ServerFile.read(path(name))
  }

  /// Writes a file that only its owner can read, whole or not at all.
  func write(_ name: String, _ text: String) throws(CommandFailure) {
    let new = path(".\(name).\(getpid())")
    let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw CommandFailure(.inputOutput, "\(path(name)) cannot be written") }
    let bytes = Array(text.utf8)
    let written = Glibc.write(file, bytes, bytes.count)
    let isThere = written == bytes.count && fsync(file) == 0
    Glibc.close(file)
    guard isThere, rename(new, path(name)) == 0 else {
      unlink(new)
      throw CommandFailure(.inputOutput, "\(path(name)) cannot be written")
    }
  }
}

/// Files that a server reads: certificates and keys.
enum ServerFile {
  private static let limit = 256 * 1024

  static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
    let bytes: Data
    do {
      bytes = try FileHandle(forReadingFrom: URL(fileURLWithPath: path)).read(upToCount: limit + 1) ?? Data()
    } catch {
      throw CommandFailure(.inputOutput, "\(path) cannot be read")
    }
    guard bytes.count <= limit else { throw CommandFailure(.badData, "\(path) has more than \(limit) bytes") }
    return Array(bytes)
  }

  /// The certificates of a file, DER: PEM with any number, or one in DER.
  static func certificates(_ path: String) throws(CommandFailure) -> [[UInt8]] {
    try certificates(read(path), of: path)
  }

  static func certificates(_ bytes: [UInt8], of path: String) throws(CommandFailure) -> [[UInt8]] {
    if bytes.first == 0x30 { return [bytes] }
    let blocks: [PEMDocument]
    do throws(KeyError) {
      blocks = try PEMDocument.decode(String(decoding: bytes, as: UTF8.self))
    } catch {
      throw CommandFailure(.badData, "\(path): \(error)")
    }
    let certificates = blocks.filter { $0.label == "CERTIFICATE" }.map(\.bytes)
    guard !certificates.isEmpty else { throw CommandFailure(.badData, "\(path) holds no certificate") }
    return certificates
  }

  static func pem(_ certificate: [UInt8]) -> String { PEMDocument(label: "CERTIFICATE", bytes: certificate).text }
}
