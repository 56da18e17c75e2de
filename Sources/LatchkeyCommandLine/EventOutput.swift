import ArgumentParser
import Foundation
import Synchronization

/// How a command tells what happens: lines for people, or with `--json` one object a line.
package struct EventOptions: ParsableArguments {
  @Flag(help: "Print one JSON object a line.") package var json = false

  package init() {}

  /// A line on standard output: `line` for people, nothing for them if it is nil, else the event.
  package func tell(_ line: String?, _ event: String, _ fields: KeyValuePairs<String, JSONLine.Value> = [:]) {
    if json {
      StandardStreams.tell(JSONLine(event, fields).text)
    } else if let line {
      StandardStreams.tell(line)
    }
  }

  /// A step of long work: an event, and for people a line on standard error if that is a terminal.
  package func progress(_ line: String, _ event: String, _ fields: KeyValuePairs<String, JSONLine.Value> = [:]) {
    if json {
      tell(nil, event, fields)
    } else if isatty(STDERR_FILENO) == 1 {
      StandardStreams.remark(line)
    }
  }

  /// Runs `body`, which the signals cancel, and prints the last event: `done`, or `error`.
  ///
  /// - Throws: what `body` throws; `inputOutput` if a line was lost.
  package func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
    try await Interruption.cancelling {
      do {
        try await body()
      } catch let failure as CommandFailure where json {
        if let cause = failure.cause {
          tell(nil, "error", ["code": .text(failure.code), "message": .text(failure.message), "cause": .text(cause)])
        } else {
          tell(nil, "error", ["code": .text(failure.code), "message": .text(failure.message)])
        }
        throw failure
      }
      tell(nil, "done")
      try StandardStreams.checkTold()
    }
  }
}

extension StandardStreams {
  private static let hasLostLine = Atomic(false)

  /// Writes a line to standard output. A reader that has gone does not stop a server; ``checkTold()`` tells of it at the end.
  package static func tell(_ line: String) {
    do throws(CommandFailure) { try writeLine(line) } catch { hasLostLine.store(true, ordering: .relaxed) }
  }

  /// - Throws: `inputOutput` if a line was told that could not be written.
  package static func checkTold() throws(CommandFailure) {
    guard hasLostLine.load(ordering: .relaxed) else { return }
    throw CommandFailure(.inputOutput, "what was asked for is done, but standard output cannot be written")
  }

  /// Writes a line to standard error.
  package static func remark(_ line: String) {
    try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
  }
}
