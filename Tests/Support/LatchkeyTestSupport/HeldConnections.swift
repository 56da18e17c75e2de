import Foundation
import Glibc
import Synchronization

/// A proxy on a port of loopback. It forwards all bytes. On connections made after ``hold(after:)`` it drops everything that the server
/// sends after so many flights of the client: the second flight is the end of the handshake, the third the request.
package final class HeldConnections: Sendable {
  package var port: Int { listener.port }
  private let listener: LoopbackListener
  private let shared: Shared

  /// - Parameter server: the port that the bytes go to.
  package init(before server: Int) throws {
    listener = try LoopbackListener()
    let shared = Shared(server)
    self.shared = shared
    Thread.detachNewThread { [listener = listener.descriptor] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        shared.join(client)
      }
    }
  }

  deinit { end() }

  /// Holds new connections after so many flights of the client.
  package func hold(after flights: Int = 3) { shared.state.withLock { $0.flights = flights } }

  /// Ends all connections, and accepts no more.
  package func end() {
    shutdown(listener.descriptor, CInt(SHUT_RDWR))
    for file in shared.state.withLock({ $0.files }) { shutdown(file, CInt(SHUT_RDWR)) }
  }

  private final class Shared: Sendable {
    let server: Int
    let state = Mutex<(flights: Int, files: [CInt])>((.max, []))

    init(_ server: Int) { self.server = server }

    func join(_ client: CInt) {
      let upstream = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
      var address = LoopbackListener.address(port: server)
      let status = withUnsafeBytes(of: &address) { bytes in
        bytes.baseAddress.map {
          connect(upstream, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        } ?? -1
      }
      // These stay open until the process exits: a new descriptor must not get their numbers meanwhile.
      let limit = state.withLock { state in
        state.files += [client, upstream]
        return state.flights
      }
      guard status == 0 else {
        shutdown(client, CInt(SHUT_RDWR))
        return
      }
      // How often the client has sent after the server, or first.
      let flights = Flights()
      Thread.detachNewThread { Self.copy(from: client, to: upstream) { flights.clientSends() } }
      Thread.detachNewThread { Self.copy(from: upstream, to: client) { flights.serverSends() < limit } }
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

    func clientSends() -> Bool {
      state.withLock { state in
        if !state.isClients { state.count += 1 }
        state.isClients = true
        return true
      }
    }

    func serverSends() -> Int {
      state.withLock { state in
        state.isClients = false
        return state.count
      }
    }
  }
}
