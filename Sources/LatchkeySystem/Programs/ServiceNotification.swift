import Glibc

/// Messages to the service manager (sd_notify(3)): one datagram to the socket that `NOTIFY_SOCKET` names.
package struct ServiceNotification: Sendable {
  private let path: [UInt8]

  /// - Parameter socket: the value of `NOTIFY_SOCKET`: a path, or a name that begins with `@`.
  /// - Returns: nil if there is none, or it names no socket of this family.
  package init?(socket: String?) {
    guard let socket, let first = socket.utf8.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@"),
      (2...107).contains(socket.utf8.count)
    else { return nil }
    path = Array(socket.utf8)
  }

  /// Sends assignments, `READY=1` say, one a line. A manager that does not listen is no failure of the service, and one that does not read
  /// holds it up for two seconds at most.
  package func send(_ message: String) {
    let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    // The receiver's queue holds a few datagrams, and the system's own limit of a send is never.
    var patience = timeval(tv_sec: 2, tv_usec: 0)
    _ = setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    // An abstract name begins with a zero, and its length is part of it.
    if path.first == UInt8(ascii: "@") { withUnsafeMutableBytes(of: &address.sun_path) { $0[0] = 0 } }
    let length = socklen_t(MemoryLayout.offset(of: \sockaddr_un.sun_path).map { $0 + path.count } ?? 0)
    let bytes = Array(message.utf8)
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL), $0, length)
      }
    }
  }
}
