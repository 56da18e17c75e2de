import Foundation
import Glibc
import Testing

/// The built `latchkey` on a pseudo-terminal: what it asks is answered as somebody types.
final class TerminalSession {
  /// All that stood on the screen.
  private(set) var screen = ""
  private let process = Process()
  private let master: FileHandle

  /// `TIOCSPTLCK` and `TIOCGPTN`.
  private static let setLock: UInt = 0x4004_5431
  private static let getNumber: UInt = 0x8004_5430

  init(_ arguments: [String], folder: URL, environment: [String: String]) throws {
    // What posix_openpt, unlockpt and ptsname do, which Swift does not see (ioctl_tty(2)).
    let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(descriptor >= 0)
    master = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var number: CInt = 0
    try #require(ioctl(descriptor, Self.setLock, &number) == 0 && ioctl(descriptor, Self.getNumber, &number) == 0)
    let terminal = FileHandle(fileDescriptor: open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC))
    try #require(terminal.fileDescriptor >= 0)
    process.executableURL = BuiltCommand.program
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = environment
    process.standardInput = terminal
    process.standardOutput = terminal
    process.standardError = terminal
    try process.run()
    try terminal.close()
  }

  deinit { if process.isRunning { process.terminate() } }

  /// Waits for `prompt`, then types `answer` and Return.
  func answer(_ prompt: String, with answer: String) throws {
    let seen = screen.count
    while !screen.dropFirst(seen).contains(prompt) { try #require(read(), "no \(prompt) on \(screen)") }
    try master.write(contentsOf: Data("\(answer)\n".utf8))
  }

  /// Reads to the end, and returns the exit status.
  func end() -> Int32 {
    while read() {}
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Reads what is there; false at the end, which a terminal whose last user has gone tells by an error.
  private func read() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(master.fileDescriptor, &bytes, bytes.count)
    guard count > 0 else { return false }
    screen += String(decoding: bytes[..<count], as: UTF8.self)
    return true
  }
}
