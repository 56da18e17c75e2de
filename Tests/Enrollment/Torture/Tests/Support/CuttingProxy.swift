import Foundation
import Synchronization

/// Stands between clients and servers on loopback: each connection goes to one of the servers that are there, and can be cut
/// at any byte.
final class CuttingProxy: Sendable {
  private struct State {
    var ports: [Int] = []
    var connections: [Int: (client: CInt, server: CInt)] = [:]
    var next = 0
  }

  /// Where clients connect.
  let port: Int
  private let listener: CInt
  private let state = Mutex(State())

  init() throws {
    let accepting = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = Self.loopback(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(accepting, $0, size) == 0 && listen(accepting, 64) == 0 && getsockname(accepting, $0, &size) == 0
      }
    }
    guard isBound else { throw TortureFailure("no port for the proxy") }
    port = Int(UInt16(bigEndian: address.sin_port))
    listener = accepting
    Thread.detachNewThread { [weak self] in
      while true {
        let client = accept(accepting, nil, nil)
        guard client >= 0 else { return }
        // A server that is started in between has it, too: it is shut down all the same, for everybody.
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        guard let self else {
          close(client)
          return
        }
        self.take(client)
      }
    }
  }

  deinit {
    shutdown(listener, CInt(SHUT_RDWR))
    close(listener)
  }

  /// The servers that are there now.
  func setPorts(_ ports: [Int]) { state.withLock { $0.ports = ports } }

  /// Cuts one of the connections; false if there is none.
  func cutOne() -> Bool {
    state.withLock { state in
      guard let (client, server) = state.connections.values.randomElement() else { return false }
      shutdown(client, CInt(SHUT_RDWR))
      shutdown(server, CInt(SHUT_RDWR))
      return true
    }
  }

  private func take(_ client: CInt) {
    guard let port = state.withLock({ $0.ports.randomElement() }), let server = Self.connected(to: port) else {
      close(client)
      return
    }
    let number = state.withLock { state in
      state.next += 1
      state.connections[state.next] = (client, server)
      return state.next
    }
    let ends = Ends()
    for (from, to) in [(client, server), (server, client)] {
      Thread.detachNewThread {
        var bytes = [UInt8](repeating: 0, count: 16_384)
        while true {
          let count = recv(from, &bytes, bytes.count, 0)
          guard count > 0, send(to, bytes, count, CInt(MSG_NOSIGNAL)) == count else { break }
        }
        shutdown(from, CInt(SHUT_RDWR))
        shutdown(to, CInt(SHUT_RDWR))
        // The second of the two closes: until then the numbers are this connection's.
        guard ends.count.add(1, ordering: .acquiringAndReleasing).newValue == 2 else { return }
        self.state.withLock { _ = $0.connections.removeValue(forKey: number) }
        close(client)
        close(server)
      }
    }
  }

  private final class Ends: Sendable {
    let count = Atomic<Int>(0)
  }

  private static func connected(to port: Int) -> CInt? {
    let server = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = loopback(port)
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(server, $0, size) == 0 }
    }
    if isConnected { return server }
    close(server)
    return nil
  }

  private static func loopback(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(clamping: port).bigEndian
    address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
    return address
  }
}
