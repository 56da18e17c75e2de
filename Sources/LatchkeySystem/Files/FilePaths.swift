import Glibc
import LatchkeyByteCoding

/// A call of the system failed with this number (errno(3)).
package struct SystemError: Error, Hashable, Sendable {
  package let code: CInt

  package init(code: CInt) { self.code = code }

  /// The C library's text for it.
  package var text: String { String(cString: strerror(code)) }
}

/// Paths and the system's answers about them.
package enum FilePaths {
  /// The folder of a path: "." for a bare name.
  package static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
  }

  /// The text in a buffer that the system filled, up to its zero.
  package static func text(_ buffer: [CChar]) -> String {
    String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// How many bytes a file has; 0 if it is not there.
  package static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// At most `maximum` bytes of an open file. What was read before a failure is overwritten.
  package static func readAll(_ file: CInt, maximum: Int) throws(SystemError) -> [UInt8] {
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
        throw SystemError(code: code)
      }
      if got == 0 { break }
      count += got
    }
    bytes.removeLast(maximum - count)
    return bytes
  }
}
