import Foundation
import LatchkeySystem
import Synchronization

/// Standard input, output and error, as bytes and lines.
package enum StandardStreams {
  /// All of standard input.
  ///
  /// - Throws: `badData` when more than `limit` bytes come, `inputOutput` when reading fails.
  package static func read(atMost limit: Int) throws(CommandFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    do {
      while let chunk = try FileHandle.standardInput.read(upToCount: 65_536), !chunk.isEmpty {
        bytes += chunk
        guard bytes.count <= limit else {
          throw CommandFailure(.badData, "standard input has more than \(limit) bytes")
        }
      }
      return bytes
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure(.inputOutput, "standard input cannot be read")
    }
  }

  /// Writes bytes to standard output.
  package static func write(_ bytes: some Sequence<UInt8>) throws(CommandFailure) {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(bytes))
    } catch {
      throw unwritable
    }
  }

  /// The failure of a command whose output cannot be written.
  package static let unwritable = CommandFailure(.inputOutput, "standard output cannot be written")

  /// Writes a line to standard output.
  package static func writeLine(_ line: String) throws(CommandFailure) {
    var failure: CommandFailure?
    aside {
      do throws(CommandFailure) { try write(Array("\(line)\n".utf8)) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Writes a message to standard error, escaped for a terminal: a file or a peer may have supplied parts of it. A failure to write
  /// is ignored.
  package static func reportError(_ message: String) {
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false).map {
      PrintableText.message(String($0))
    }
    aside {
      try? FileHandle.standardError.write(contentsOf: Data("latchkey: \(lines.joined(separator: "\n"))\n".utf8))
    }
  }

  /// What surrounds the writing of a line: a prompt that is taken away before it, and put back behind it.
  package typealias Surrounding = @Sendable (_ write: () -> Void) -> Void

  private static let surrounding = Mutex<Surrounding?>(nil)

  /// Has each line written within `surrounding` from now on; nil: by itself.
  package static func surround(with surrounding: Surrounding?) { Self.surrounding.withLock { $0 = surrounding } }

  static func aside(_ write: () -> Void) {
    if let surrounding = surrounding.withLock({ $0 }) { surrounding(write) } else { write() }
  }

  /// Reserves standard output for the caller: other output goes to standard error from now on.
  ///
  /// - Returns: the path under which it is opened.
  package static func yieldOutput() throws(CommandFailure) -> String {
    let output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    guard output >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) == STDOUT_FILENO else {
      throw unwritable
    }
    return "/dev/fd/\(output)"
  }

  /// Whether standard output is a terminal.
  package static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
}
