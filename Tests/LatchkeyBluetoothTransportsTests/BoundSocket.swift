import Glibc

@testable import LatchkeyBluetoothTransports

/// A socket that has an address and never listens: connections to it are refused.
///
/// A listener that was closed would not do: a program that another test starts meanwhile has its descriptor for a moment, and
/// then connections are accepted after the test has closed it.
final class BoundSocket {
  /// Where it is bound.
  let endpoint: StreamEndpoint
  private let descriptor: Int32

  /// At a free port of the loopback interface.
  init?() {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    endpoint = .tcp(host: "127.0.0.1", port: Int(UInt16(bigEndian: address.sin_port)))
    if !isBound { return nil }
  }

  /// At this path, where its file stays.
  init?(path: String) {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    endpoint = .unix(path: path)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let descriptor = descriptor
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    if !isBound { return nil }
  }

  deinit { close(descriptor) }
}
