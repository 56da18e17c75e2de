import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel

/// How a command on the keychain prints its result: as macOS's `security`, or with `--json` one object a line.
struct KeychainOutput: ParsableArguments {
  @Flag(help: "Print one JSON object a line.") var json = false

  /// Lines on standard output: `lines` for people, else the event. A secret that could not be written is a failure.
  func emit(
    _ lines: [String], _ event: String, _ fields: [(key: String, value: JSONLine.Value)] = []
  ) throws(CommandFailure) {
    for line in json ? [JSONLine(event, fields: fields).text] : lines { try StandardStreams.writeLine(line) }
  }

  /// Runs `body`, and prints the last event: `done`, or `error`.
  ///
  /// - Throws: the failure that a `StoreError` stands for, or what else `body` throws.
  func run(_ body: () throws -> Void) throws {
    do {
      do {
        try body()
      } catch let error as StoreError {
        throw error.failure
      } catch let error as KeyError {
        throw CommandFailure(.badData, "\(error)")
      }
    } catch let failure as CommandFailure where json {
      let line = JSONLine("error", ["code": .text(failure.code), "message": .text(failure.message)])
      try? StandardStreams.writeLine(line.text)
      throw failure
    }
    if json { try StandardStreams.writeLine(JSONLine("done").text) }
  }
}
