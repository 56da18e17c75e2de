import LatchkeyTestSupport
import Foundation

/// A folder of a test's own, gone with the object. It lies in memory where that can be, so that what is tortured is the
/// order of writes and not the machine's disk.
final class TortureFolder: Sendable {
  let path: String

  init() throws {
    let place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory()
    var template = Array((place + "/latchkey-torture-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil, let real = realpath(template, nil) else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    defer { free(real) }
    path = String(cString: real)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a file in it.
  func file(_ name: String) -> String { path + "/" + name }

  /// What files lie in it now. Not for files that SQLite has open: closing one drops the process's locks on it.
  func contents() throws -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      contents[name] = [UInt8](try Data(contentsOf: URL(filePath: file(name))))
    }
    return contents
  }

  /// Makes its contents these.
  func set(_ contents: [String: [UInt8]]) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      try FileManager.default.removeItem(atPath: file(name))
    }
    for (name, bytes) in contents {
      let descriptor = open(file(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      defer { close(descriptor) }
      guard bytes.isEmpty || write(descriptor, bytes, bytes.count) == bytes.count else {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      }
    }
  }
}
