package import ArgumentParser
import Foundation

extension ParsableCommand {
  /// Ends the process as the parser does at `error`. Help, a version and completions that cannot be written end with 74.
  package static func end(at error: any Error) -> Never {
    guard exitCode(for: error) == .success else { exit(withError: error) }
    let text = fullMessage(for: error)
    do throws(CommandFailure) {
      if !text.isEmpty { try StandardStreams.writeLine(text) }
    } catch {
      end(by: error)
    }
    Foundation.exit(0)
  }

  /// Emits an error of the command line as the event `error`, too, where the command line asks for JSON.
  package static func reportUsage(
    _ message: String, code: String = "\(ExitStatus.usage)", of arguments: some Collection<String>
  ) {
    guard arguments.prefix(while: { $0 != "--" }).contains("--json") else { return }
    StandardStreams.emit(JSONLine("error", ["code": .text(code), "message": .text(message)]).text)
  }

  /// Ends the process with a line on standard error and the failure's status.
  package static func end(by failure: CommandFailure) -> Never {
    StandardStreams.reportError(failure.message)
    Foundation.exit(failure.status.rawValue)
  }
}
