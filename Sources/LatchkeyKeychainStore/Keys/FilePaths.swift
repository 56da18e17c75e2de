import Glibc
import LatchkeyKeychainModel

/// Paths and the system's answers about them.
enum FilePaths {
  /// The folder of a path: "." for a bare name.
  static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
  }

  /// The text in a buffer that the system filled, up to its zero.
  static func text(_ buffer: [CChar]) -> String {
    String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// How many bytes a file has; 0 if it is not there.
  static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// What the system's error number means for the keychain.
  static func error(_ code: CInt, at path: String) -> StoreError {
    switch code {
    case ENOSPC, EDQUOT: .diskFull(path: path)
    case EACCES, EPERM, EROFS: .readOnly(path: path)
    default: .inputOutput("\(path): \(String(cString: strerror(code)))")
    }
  }

  /// At most `maximum` bytes of an open file.
  static func readAll(_ file: CInt, maximum: Int, path: String) throws(StoreError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: maximum)
    var count = 0
    while count < maximum {
      let got = bytes.withUnsafeMutableBytes { buffer in
        buffer.baseAddress.map { Glibc.read(file, $0 + count, maximum - count) } ?? 0
      }
      if got < 0 {
        if errno == EINTR { continue }
        let code = errno
        bytes.wipe()
        throw .inputOutput("\(path) cannot be read: \(String(cString: strerror(code)))")
      }
      if got == 0 { break }
      count += got
    }
    bytes.removeLast(maximum - count)
    return bytes
  }
}
