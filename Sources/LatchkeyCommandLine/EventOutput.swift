import ArgumentParser
import Foundation
import Synchronization

/// How a command reports events: lines for people, or with `--json` one object a line.
package struct EventOptions: ParsableArguments {
  @Flag(help: "Print one JSON object a line.") package var json = false

  package init() {}

  /// A line on standard output: `line` for people, nothing for them if it is nil, else the event.
  package func emit(_ line: String?, _ event: String, _ fields: KeyValuePairs<String, JSONLine.Value> = [:]) {
    if json {
      StandardStreams.emit(JSONLine(event, fields).text)
    } else if let line {
      StandardStreams.emit(line)
    }
  }

  /// The same for an event whose fields are known only when it happens.
  package func emit(_ line: String?, _ event: String, fields: [(key: String, value: JSONLine.Value)]) {
    if json {
      StandardStreams.emit(JSONLine(event, fields: fields).text)
    } else if let line {
      StandardStreams.emit(line)
    }
  }

  /// A step of long work: an event, and for people a line on standard error if that is a terminal.
  package func progress(_ line: String, _ event: String, _ fields: KeyValuePairs<String, JSONLine.Value> = [:]) {
    if json {
      emit(nil, event, fields)
    } else if isatty(STDERR_FILENO) == 1 {
      StandardStreams.writeErrorLine(line)
    }
  }

  /// Runs `body`, which the signals cancel, and prints the last event: `done`, or `error`.
  ///
  /// - Parameter endsBySignal: whether a signal is how the command ends when all is well.
  /// - Throws: what `body` throws; `inputOutput` if a line was lost.
  package func run(endsBySignal: Bool = false, _ body: @escaping @Sendable () async throws -> Void) async throws {
    try await Interruption.cancelling(isFailure: !endsBySignal) {
      do {
        try await body()
      } catch let failure as CommandFailure where json {
        if let cause = failure.cause {
          emit(nil, "error", ["code": .text(failure.code), "message": .text(failure.message), "cause": .text(cause)])
        } else {
          emit(nil, "error", ["code": .text(failure.code), "message": .text(failure.message)])
        }
        throw failure
      }
      emit(nil, "done")
      try StandardStreams.checkLostLines()
    }
  }
}

extension StandardStreams {
  private static let hasLostLine = Atomic(false)

  /// Writes a line to standard output. A reader that has gone does not stop a server; ``checkLostLines()`` reports it at the end.
  package static func emit(_ line: String) {
    do throws(CommandFailure) { try writeLine(line) } catch { hasLostLine.store(true, ordering: .relaxed) }
  }

  /// - Throws: `inputOutput` if a line could not be written.
  package static func checkLostLines() throws(CommandFailure) {
    guard hasLostLine.load(ordering: .relaxed) else { return }
    throw CommandFailure(.inputOutput, "the command is done, but standard output cannot be written")
  }

  /// - Parameter consequence: what that means for the output so far, and what to do.
  /// - Throws: `inputOutput` if a line could not be written: for output so long that the rest of it is worth nothing then.
  package static func requireWhole(_ consequence: String? = nil) throws(CommandFailure) {
    guard hasLostLine.load(ordering: .relaxed) else { return }
    throw CommandFailure(
      .inputOutput, ["standard output cannot be written", consequence].compactMap { $0 }.joined(separator: ": "))
  }

  /// Writes a line to standard error.
  package static func writeErrorLine(_ line: String) {
    aside { try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8)) }
  }
}
