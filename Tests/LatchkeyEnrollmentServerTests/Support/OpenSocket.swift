import Glibc
import LatchkeyEnrollmentServer
import Testing

/// A socket that a test opens, as a service manager would; the server that takes it closes it.
enum OpenSocket {
  /// A socket that listens on a free port of loopback.
  static func listening() throws -> ListeningSocket { try ListeningSocket(descriptor: loopback(isListening: true)) }

  /// A TCP socket that is bound on loopback.
  static func loopback(isListening: Bool) throws -> CInt {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(bound == 0)
    if isListening { try #require(listen(descriptor, 64) == 0) }
    return descriptor
  }
}
