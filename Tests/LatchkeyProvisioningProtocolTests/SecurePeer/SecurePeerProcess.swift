import Foundation
import LatchkeyByteCoding
import LatchkeyTestSupport
import Testing

/// `secure_peer.py` in one of its roles: a line goes in, and its answer comes out.
final class SecurePeerProcess {
  /// The Python that has the peer's packages: `Tests/Interop/secure_machines` names it.
  static let python = ProcessInfo.processInfo.environment["LATCHKEY_SECURE_PEER_PYTHON"]

  private let process = TestProcess()
  private let input = Pipe()
  private let output = Pipe()
  private var unread: [UInt8] = []

  init(_ arguments: [String]) throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Interop/secure_peer.py")
    process.executableURL = URL(filePath: try #require(Self.python))
    process.arguments = [script.path] + arguments
    process.standardInput = input
    process.standardOutput = output
    try process.start()
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.terminate()
  }

  /// The lines of the answer.
  func answer(to line: String) throws -> [String] {
    try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    return try answer()
  }

  /// The lines up to the next dot.
  func answer() throws -> [String] {
    var lines: [String] = []
    while true {
      while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: unread[..<end], as: UTF8.self)
        unread.removeSubrange(...end)
        if line == "." { return lines }
        lines.append(line)
      }
      let part = output.fileHandleForReading.availableData
      try #require(!part.isEmpty, "the peer has ended")
      unread += part
    }
  }

  /// The bytes behind a word in the lines: `n` for values that were notified, say.
  static func bytes(_ word: String, in lines: [String]) throws -> [[UInt8]] {
    try lines.filter { $0.hasPrefix("\(word) ") }.map { try Hexadecimal.decode($0.dropFirst(word.count + 1)) }
  }
}
