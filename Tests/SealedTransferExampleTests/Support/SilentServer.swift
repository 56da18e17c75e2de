import Glibc
import Testing

/// A port of loopback that takes connections, and never says a word.
final class SilentServer: Sendable {
  let port: Int
  private let socket: CInt

  init() throws {
    socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let socket = socket
    let status = withUnsafeMutableBytes(of: &address) { bytes in
      guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return CInt(-1) }
      guard bind(socket, pointer, length) == 0, listen(socket, 16) == 0 else { return CInt(-1) }
      return getsockname(socket, pointer, &length)
    }
    try #require(status == 0)
    port = Int(UInt16(bigEndian: address.sin_port))
  }

  deinit { close(socket) }
}
