package import Foundation
import Glibc
import Testing

/// A folder for one test, which only its owner can enter. It is removed with the object.
package final class Folder: Sendable {
  /// Where it is, without symbolic links.
  package let path: String
  /// The same as a URL.
  package var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

  package init() throws {
    var template = Array("/tmp/latchkey-test-XXXXXX".utf8CString)
    path = try #require(mkdtemp(&template).map { String(cString: $0) })
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a file in it, which need not exist.
  package func path(_ name: String) -> String { "\(path)/\(name)" }

  /// The names of what is in it, sorted.
  package func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }

  /// Writes a file and returns its path.
  @discardableResult
  package func write(_ name: String, _ bytes: [UInt8], mode: mode_t = 0o600) throws -> String {
    let path = path(name)
    let file = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, mode)
    try #require(file >= 0)
    defer { close(file) }
    try #require(bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) } == bytes.count)
    try #require(fchmod(file, mode) == 0)
    return path
  }

  /// The content of a file.
  package func read(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name))))
  }

  /// The permissions of a file.
  package func mode(_ name: String) throws -> mode_t {
    var status = stat()
    try #require(stat(path(name), &status) == 0)
    return status.st_mode & 0o7777
  }
}
