import Glibc
import Testing

/// A socket that listens on a free port of loopback; it is closed with the object.
final class LoopbackListener: Sendable {
  let port: Int
  let descriptor: CInt

  init() throws {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    self.descriptor = descriptor
    var address = Self.address(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutableBytes(of: &address) { bytes in
      guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return CInt(-1) }
      guard bind(descriptor, pointer, length) == 0, listen(descriptor, 16) == 0 else { return CInt(-1) }
      return getsockname(descriptor, pointer, &length)
    }
    port = Int(UInt16(bigEndian: address.sin_port))
    try #require(status == 0)
  }

  deinit { close(descriptor) }

  /// A port of loopback as the system has it.
  static func address(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
    return address
  }
}
