import ArgumentParser
import Foundation
import Glibc
import LatchkeyBluetoothTransports
import LatchkeyCommandLine

/// The button of a device that runs here: a socket that takes the line `press`.
struct DeviceButton: Sendable {
  private let server: LineServer

  init(press: @escaping @Sendable () -> Void) {
    server = LineServer { line in
      guard line == "press" else { return ["error: the only line is press"] }
      press()
      return ["ok"]
    }
  }

  /// Listens until the task ends that `body` is.
  func listening<Value: Sendable>(
    at place: String, _ body: @Sendable (ListenSpecification) async throws -> Value
  ) async throws -> Value {
    // Anyone who may use the socket can press: no network may.
    guard place.hasPrefix("unix-server:") else {
      throw CommandFailure(.usage, "--button: type unix-server:PATH")
    }
    let specification = try RadioCommand.place(place, "--button")
    let listening = try await RadioCommand.start { () throws(RadioServerError) in
      try await server.start(at: specification)
    }
    do {
      let value = try await body(listening)
      await server.shutDown()
      return value
    } catch {
      await server.shutDown()
      throw error
    }
  }
}

/// `latchkey device press`: presses the button of a device that runs on this machine.
struct PressDeviceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "press",
    abstract: "Press the button of a device that runs on this machine.",
    discussion: """
      The device was started with --button unix-server:PATH. Its weaker protocols are open for two minutes then, and tries \
      with a wrong code are counted from zero. Anyone who may use the socket can press the button: it lies where its folder's \
      permissions say.
      """,
    examples: ["latchkey device press /tmp/lamp-button"], statuses: [.unavailable])

  @Argument(help: ArgumentHelp("The button's Unix socket.", valueName: "path")) var path: String

  func run() throws {
    let answer = try Self.exchange("press\n", at: path)
    guard answer == "ok\n" else {
      throw CommandFailure(.unavailable, "\(path) is no device's button, or too many press it at the same time")
    }
  }

  /// Sends a line to a Unix socket, and returns the line that answers it.
  private static func exchange(_ line: String, at path: String) throws(CommandFailure) -> String {
    func failure() -> CommandFailure {
      CommandFailure(.unavailable, "no device can be reached at \(path): \(String(cString: strerror(errno)))")
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard 1..<MemoryLayout.size(ofValue: address.sun_path) ~= bytes.count, !bytes.contains(0) else {
      throw CommandFailure(.usage, "the path of a socket has 1 to 107 bytes")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { throw failure() }
    defer { close(socket) }
    // A program that is no device's button may never answer.
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard connected == 0, send(socket, line, line.utf8.count, Int32(MSG_NOSIGNAL)) == line.utf8.count else {
      throw failure()
    }
    var answer: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 64)
    while answer.last != UInt8(ascii: "\n"), answer.count < 256 {
      let count = recv(socket, &part, part.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      answer += part[..<count]
    }
    return String(decoding: answer, as: UTF8.self)
  }
}
