import ArgumentParser
import Foundation
import Glibc
import LatchkeyEnrollment
import LatchkeyTestSupport
import Testing

@testable import latchkey

/// `latchkey renew --daemon` beside other commands.
@Suite(.timeLimit(.minutes(5))) struct RenewalDaemonTests {
  @Test("It ends by itself when another command forgets the device, long before a renewal is due")
  func forgotten() async throws {
    let stage = try await enrolled()
    let running = try daemon(of: stage)
    try stage.play("forget --force")
    await #expect(throws: EnrollmentError.notEnrolled) { try await running.value }
    #expect(try await stage.stop() == 0)
  }

  @Test("A certificate that another command got is the one that it reports") func renewedElsewhere() async throws {
    let stage = try await enrolled()
    let manager = try NotificationReceiver()
    let running = try daemon(of: stage, notifying: manager.name)
    let before = await manager.next()
    #expect(before?.hasPrefix("READY=1\nSTATUS=certificate until ") == true)
    try stage.play("renew --force")
    let after = await manager.next()
    #expect(after?.hasPrefix("STATUS=certificate until ") == true)
    #expect(after != before?.replacing("READY=1\n", with: ""))
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    #expect(await manager.next() == "STOPPING=1")
    #expect(try await stage.stop() == 0)
  }

  @Test("A server that asks for an hour is asked again after it") func retryAfter() async throws {
    let stage = try await enrolled()
    // The server has issued enough then, and asks to come back in an hour.
    try stage.play("renew --force", until: 75)
    let manager = try NotificationReceiver()
    let offset = 20 * 3600.0
    let running = try daemon(of: stage, notifying: manager.name, ahead: offset)
    #expect(await manager.next()?.hasPrefix("READY=1") == true)
    let status = try #require(await manager.next())
    let received = Date()
    let time = try #require(status.firstMatch(of: /the next try is on (.+)$/)?.output.1)
    let wait = try Date(String(time), strategy: .iso8601).timeIntervalSince(received + offset)
    // The schedule's own would be half a minute. Up to a tenth is added, and sending took some time.
    #expect((3000...3961).contains(wait), "\(status)")
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    #expect(try await stage.stop() == 0)
  }

  @Test("A signal ends it with 0, and the service manager is told", arguments: [SIGTERM, SIGINT])
  func signaled(_ number: Int32) async throws {
    let stage = try await enrolled()
    let manager = try NotificationReceiver()
    let process = TestProcess()
    process.executableURL = BuiltCommand.program
    process.arguments = ["renew", "--daemon"]
    process.environment = stage.environment.merging(["NOTIFY_SOCKET": manager.name]) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.start()
    defer { process.kill() }
    #expect(await manager.next()?.hasPrefix("READY=1\nSTATUS=") == true)
    kill(process.processIdentifier, number)
    #expect(await manager.next() == "STOPPING=1")
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(try await stage.stop() == 0)
  }

  private func enrolled() async throws -> EnrollmentStage {
    let stage = try await EnrollmentStage(hasPasscode: false)
    try stage.play("enroll \(stage.url) --user demo --password @\(stage.password) --ca \(stage.ca)")
    return stage
  }

  /// The daemon in this process, which looks often at what other commands did.
  ///
  /// - Parameter seconds: how far its clock is ahead.
  private func daemon(
    of stage: EnrollmentStage, notifying socket: String? = nil, ahead seconds: TimeInterval = 0
  ) throws -> Task<Void, any Error> {
    let path = try #require(stage.environment["LATCHKEY_KEYCHAIN"])
    let options = try EnrollmentOptions.parse(["--keychain", path])
    return Task {
      let keychain = try OpenKeychain(path: path, keyFile: nil, passcode: nil, access: .findingItems)
      let daemon = RenewalDaemon(options, notifying: socket, tick: 0.05, clock: { Date() + seconds })
      try await keychain.use { try await daemon.run() }
    }
  }
}

/// A service manager's socket.
private final class NotificationReceiver {
  let name = "@latchkey-\(UUID().uuidString)"
  private let file: Int32

  init() throws {
    file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name.utf8) }
    address.sun_path.0 = 0
    let count = socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count)
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(file, $0, count) }
    }
    try #require(bound == 0)
    var patience = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(file) }

  /// The next message; nil if none comes within a minute. Waits on a thread of its own: with as many tests as there are cores nothing else
  /// would run, the daemon among it.
  func next() async -> String? {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { [file] in
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(file, &bytes, bytes.count, 0)
        continuation.resume(returning: count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil)
      }
    }
  }
}
