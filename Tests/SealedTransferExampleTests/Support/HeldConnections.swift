import Glibc
import Synchronization
import Testing

/// A port of loopback before another: it hands on all bytes, or, of connections made since it was told to hold, nothing of what the
/// server says after one of the client's flights: the second is the end of its handshake, the third its request.
///
/// Other test targets take this file in by a symbolic link.
final class HeldConnections: Sendable {
  let port: Int
  private let listener: CInt
  private let shared: Shared

  /// - Parameter server: the port that is handed on to.
  init(before server: Int) throws {
    listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = Shared.loopback(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let status = withUnsafeMutableBytes(of: &address) { bytes in
      guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return CInt(-1) }
      guard bind(listener, pointer, length) == 0, listen(listener, 16) == 0 else { return CInt(-1) }
      return getsockname(listener, pointer, &length)
    }
    try #require(status == 0)
    port = Int(UInt16(bigEndian: address.sin_port))
    let shared = Shared(server)
    self.shared = shared
    start { [listener] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        shared.join(client)
      }
    }
  }

  deinit { end() }

  /// From now on connections are held after so many flights of the client.
  func hold(after flights: Int = 3) { shared.state.withLock { $0.flights = flights } }

  /// Ends all connections, and takes no more.
  func end() {
    shutdown(listener, CInt(SHUT_RDWR))
    for file in shared.state.withLock({ $0.files }) { shutdown(file, CInt(SHUT_RDWR)) }
  }

  private final class Shared: Sendable {
    let server: Int
    let state = Mutex<(flights: Int, files: [CInt])>((.max, []))

    init(_ server: Int) { self.server = server }

    static func loopback(_ port: Int) -> sockaddr_in {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
      address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
      return address
    }

    func join(_ client: CInt) {
      let upstream = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
      var address = Self.loopback(server)
      let status = withUnsafeBytes(of: &address) { bytes in
        bytes.baseAddress.map {
          connect(upstream, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        } ?? -1
      }
      // They are closed with the process: another descriptor must not take their numbers meanwhile.
      let limit = state.withLock { state in
        state.files += [client, upstream]
        return state.flights
      }
      guard status == 0 else {
        shutdown(client, CInt(SHUT_RDWR))
        return
      }
      // How often the client has spoken after the server, or first.
      let flights = Flights()
      start { Self.copy(from: client, to: upstream) { flights.clientSpeaks() } }
      start { Self.copy(from: upstream, to: client) { flights.serverSpeaks() < limit } }
    }

    private static func copy(from source: CInt, to target: CInt, _ mayPass: () -> Bool) {
      var bytes = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = recv(source, &bytes, bytes.count, 0)
        guard count > 0 else { break }
        guard mayPass() else { continue }
        guard send(target, bytes, count, CInt(MSG_NOSIGNAL)) == count else { break }
      }
      shutdown(target, CInt(SHUT_WR))
    }
  }

  private final class Flights: Sendable {
    private let state = Mutex<(count: Int, isClients: Bool)>((0, false))

    func clientSpeaks() -> Bool {
      state.withLock { state in
        if !state.isClients { state.count += 1 }
        state.isClients = true
        return true
      }
    }

    func serverSpeaks() -> Int {
      state.withLock { state in
        state.isClients = false
        return state.count
      }
    }
  }
}

/// Runs `body` on a thread of its own.
private func start(_ body: @escaping @Sendable () -> Void) {
  let box = Unmanaged.passRetained(Work(body))
  var thread = pthread_t()
  pthread_create(
    &thread, nil,
    { pointer in
      guard let pointer else { return nil }
      Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
      return nil
    }, box.toOpaque())
  pthread_detach(thread)
}

private final class Work: Sendable {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
