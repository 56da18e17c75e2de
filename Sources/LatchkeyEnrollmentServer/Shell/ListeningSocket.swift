internal import Glibc

/// A TCP socket that listens already, such as one from a service manager (socket activation).
///
/// It belongs to the server that takes it, and is closed at the server's end.
public struct ListeningSocket: Sendable, Hashable {
  /// The file descriptor.
  public let descriptor: Int32
  /// The address that it listens on, numeric, without brackets.
  public let host: String
  /// The port that it listens on.
  public let port: Int

  /// Takes a descriptor; it is not passed on to programs that this process starts.
  ///
  /// - Throws: if it is closed, no socket, or no TCP socket that listens.
  public init(descriptor: Int32) throws(ListeningSocketError) {
    func fail(_ reason: ListeningSocketError.Reason) -> ListeningSocketError {
      ListeningSocketError(descriptor: descriptor, reason: reason)
    }
    guard descriptor >= 0, fcntl(descriptor, F_GETFD) >= 0 else { throw fail(.closed) }
    guard let kind = Self.option(SO_TYPE, of: descriptor) else { throw fail(.noSocket) }
    guard kind == Int32(SOCK_STREAM.rawValue) else { throw fail(.noStream) }
    guard let (host, port) = Self.address(of: descriptor) else { throw fail(.noTCP) }
    guard Self.option(SO_ACCEPTCONN, of: descriptor) == 1 else { throw fail(.notListening) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    (self.descriptor, self.host, self.port) = (descriptor, host, port)
  }

  private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
  }

  /// The bound address; nil if it is neither IPv4 nor IPv6.
  private static func address(of descriptor: Int32) -> (host: String, port: Int)? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard getsockname(descriptor, address, &size) == 0,
          [AF_INET, AF_INET6].contains(Int32(address.pointee.sa_family))
        else { return nil }
        var (host, port) = ([CChar](repeating: 0, count: Int(NI_MAXHOST)), [CChar](repeating: 0, count: 16))
        guard
          getnameinfo(
            address, size, &host, socklen_t(host.count), &port, socklen_t(port.count), NI_NUMERICHOST | NI_NUMERICSERV)
            == 0
        else { return nil }
        return (Self.text(host), Int(Self.text(port)) ?? 0)
      }
    }
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// A descriptor is no TCP socket that listens.
public struct ListeningSocketError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong with a descriptor.
  public enum Reason: Hashable, Sendable {
    /// No file is open there.
    case closed
    /// It is another kind of file.
    case noSocket
    /// It is a socket for datagrams or sequenced packets.
    case noStream
    /// It is a socket of another family than IPv4 and IPv6.
    case noTCP
    /// It does not listen: connected, or not yet told to.
    case notListening
  }

  /// The descriptor.
  public let descriptor: Int32
  /// What is wrong with it.
  public let reason: Reason

  /// The reason in words.
  public var description: String {
    switch reason {
    case .closed: "descriptor \(descriptor) is not open"
    case .noSocket: "descriptor \(descriptor) is no socket"
    case .noStream: "descriptor \(descriptor) is no stream socket: use ListenStream= in the socket unit"
    case .noTCP:
      "descriptor \(descriptor) is no TCP socket: give ListenStream= in the socket unit an address and a port"
    case .notListening: "descriptor \(descriptor) does not listen: use Accept=no in the socket unit"
    }
  }
}
