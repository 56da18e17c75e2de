import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

/// What the program tells a service manager (sd_notify(3)), which is this test.
@Suite(.timeLimit(.minutes(2))) struct ServiceManagerTests {
  /// A socket for messages, by a path or by an abstract name.
  private final class Manager: Sendable {
    let name: String
    private let file: Int32

    init(_ name: String) throws {
      self.name = name
      file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name.utf8) }
      if name.hasPrefix("@") { address.sun_path.0 = 0 }
      let count = socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count + (name.hasPrefix("@") ? 0 : 1))
      let bound = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(file, $0, count) }
      }
      try #require(bound == 0)
      // A message that is lost ends the wait.
      var time = timeval(tv_sec: 60, tv_usec: 0)
      setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(file) }

    /// The messages up to one that begins with `text`, for a minute at most.
    func messages(until text: String) async throws -> [String] {
      try await onThread { [self] in
        var all: [String] = []
        var bytes = [UInt8](repeating: 0, count: 4096)
        let end = ContinuousClock.now + .seconds(60)
        while all.last?.hasPrefix(text) != true, .now < end {
          let count = recv(file, &bytes, bytes.count, 0)
          guard count > 0 else { break }
          all.append(String(decoding: bytes[..<count], as: UTF8.self))
        }
        return all
      }
    }
  }

  @Test("It is told of the start, of life, of a reload and of the end", arguments: [false, true])
  func told(isAbstract: Bool) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-notify-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let manager = try Manager(isAbstract ? "@latchkey-\(UUID().uuidString)" : folder.appending(path: "notify").path)
    let process = TestProcess()
    process.executableURL = URL(fileURLWithPath: try ProgramPath.built("latchkey-server"))
    process.arguments = ["serve", "--listen", "127.0.0.1:0", "--state", folder.appending(path: "state").path]
    process.environment = ["PATH": "/usr/bin:/bin", "NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "100000"]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.start()
    defer { process.kill() }
    #expect(
      try await manager.messages(until: "READY=1").last?.contains("STATUS=Listening on https://localhost:") == true)
    #expect(try await manager.messages(until: "WATCHDOG=1").last == "WATCHDOG=1")
    kill(process.processIdentifier, SIGHUP)
    let reloading = try await manager.messages(until: "RELOADING=1").last
    #expect(reloading?.contains("\nMONOTONIC_USEC=") == true)
    #expect(try await manager.messages(until: "READY=1").last == "READY=1")
    kill(process.processIdentifier, SIGTERM)
    #expect(try await manager.messages(until: "STOPPING=1").last == "STOPPING=1")
    try await onThread { process.waitUntilExit() }
    #expect(process.terminationStatus == 0)
  }

  @Test("A manager that is not there changes nothing", arguments: ["/nowhere/notify", "relative", "@", "vsock:2:1"])
  func noManager(name: String) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-notify-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let process = TestProcess()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: try ProgramPath.built("latchkey-server"))
    process.arguments = ["serve", "--listen", "127.0.0.1:0", "--state", folder.path]
    process.environment = ["PATH": "/usr/bin:/bin", "NOTIFY_SOCKET": name]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.start()
    let text = try await onThread {
      let data = output.fileHandleForReading.availableData
      process.terminate()
      process.waitUntilExit()
      return String(decoding: data, as: UTF8.self)
    }
    #expect(text.hasPrefix("Listening on"))
    #expect(process.terminationStatus == 0)
  }
}
