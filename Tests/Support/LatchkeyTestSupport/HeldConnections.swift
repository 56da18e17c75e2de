import Foundation
import Glibc
import Synchronization

/// A port of loopback before another one. It forwards all bytes. Of connections made after ``hold(after:)`` it forwards nothing that
/// the server sends after one of the client's flights: the second is the end of its handshake, the third its request.
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

  /// From now on connections are held after so many flights of the client.
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
      Thread.detachNewThread { Self.copy(from: client, to: upstream) { flights.clientSpeaks() } }
      Thread.detachNewThread { Self.copy(from: upstream, to: client) { flights.serverSpeaks() < limit } }
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
