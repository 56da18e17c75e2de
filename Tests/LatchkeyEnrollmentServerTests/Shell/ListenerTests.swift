import Foundation
import Glibc
import LatchkeyEnrollmentProtocol
import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Testing

@testable import LatchkeyEnrollmentServer

/// Ports: addresses, open sockets, and what happens to them at the end.
@Suite(.timeLimit(.minutes(5))) struct ListenerTests {
  @Test("An open socket is served as an address is, and closed at the end", arguments: [false, true])
  func openSocket(http2: Bool) async throws {
    let (socket, admin) = (try OpenSocket.listening(), try OpenSocket.listening())
    let server = try await RunningServer {
      $0.listeningSocket = socket
      $0.operations = OperationsAddress(socket: admin)
    }
    #expect(server.port == socket.port)
    #expect(try await server.server.operationsPort == admin.port)
    let device = try await server.device()
    try await server.withClient(device, http2: http2) { client in
      let answer = try await client.request("GET", Routes.authority)
      #expect(answer.status == 200 && answer.isHTTP2 == http2)
      #expect(try await client.request("GET", Routes.live).status == 404)
    }
    let health = try await RawConnection(port: admin.port)
    try await health.send("GET \(Routes.live) HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
    #expect(try await health.untilClosed().hasPrefix("HTTP/1.1 200"))
    try await server.stop()
    await #expect(throws: (any Error).self) { try await RawConnection(port: socket.port) }
    await #expect(throws: (any Error).self) { try await RawConnection(port: admin.port) }
  }

  @Test("A connection that arrives between two servers of one socket waits for the second") func handedOn() async throws
  {
    let descriptor = try OpenSocket.loopback(isListening: true)
    let copies = try [dup(descriptor), dup(descriptor)].map { try ListeningSocket(descriptor: $0) }
    let first = try await RunningServer { $0.listeningSocket = copies[0] }
    try await first.stop()
    let early = try await RawConnection(port: copies[1].port)
    let second = try await RunningServer {
      $0.listeningSocket = copies[1]
    }
    try await early.send("not TLS")
    // The alert of TLS: somebody has accepted.
    #expect(try await !early.untilClosed().isEmpty)
    try await second.withClient { try await $0.expectLive() }
    try await second.stop()
    close(descriptor)
  }

  @Test("A task that serves HTTP/2 has ended before the server has") func tasksEnd() async throws {
    let server = try await RunningServer()
    try await server.withClient(http2: true) { client in
      try await client.expectLive()
      await server.beginToStop()
      try await server.stop()
      #expect(server.server.table.count == 0)
    }
  }

  @Test("What is no TCP socket that listens is refused, with the reason")
  func refused() throws {
    func reason(_ descriptor: CInt) -> ListeningSocketError.Reason? {
      do throws(ListeningSocketError) {
        _ = try ListeningSocket(descriptor: descriptor)
        return nil
      } catch {
        #expect(error.descriptor == descriptor)
        return error.reason
      }
    }
    #expect(reason(-1) == .closed)
    #expect(reason(CInt.max) == .closed)
    let file = open("/dev/null", O_RDWR)
    #expect(reason(file) == .noSocket)
    let datagrams = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
    #expect(reason(datagrams) == .noStream)
    let local = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    #expect(reason(local) == .noTCP)
    let bound = try OpenSocket.loopback(isListening: false)
    #expect(reason(bound) == .notListening)
    let listening = try OpenSocket.loopback(isListening: true)
    #expect(reason(listening) == nil)
    #expect(fcntl(listening, F_GETFD) & FD_CLOEXEC != 0)
    for descriptor in [file, datagrams, local, bound, listening] { close(descriptor) }
  }

  @Test("With no file descriptors left accepting pauses, and goes on when there are some again")
  func descriptorsRunOut() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-listener-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try SpawnedServer(
      "/bin/sh",
      [
        "-c", "ulimit -n 64; exec \"$0\" \"$@\"", try ServedProgram.path(), "serve", "--json", "--listen",
        "127.0.0.1:0",
        "--state", folder.path,
      ])
    defer { server.end() }
    let listening = try JSONDecoder().decode(ServedProgram.Listening.self, from: Data(await server.firstLine().utf8))
    let port = try #require(listening.url.port)
    var held: [RawConnection] = []
    for _ in 0..<96 { held.append(try await RawConnection(port: port)) }
    for connection in held { try await connection.close() }
    let later = try await RawConnection(port: port)
    try await later.send("not TLS")
    #expect(try await !later.untilClosed().isEmpty)
  }
}
