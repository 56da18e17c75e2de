import Dispatch
import Foundation
package import Testing

/// A program of another implementation, or one of this build, that has run to its end. It is terminated after two minutes.
package struct ForeignProgram: Sendable {
  package let status: Int32
  package let output: String

  /// - Parameter holdsInput: whether its input stays open until it exits: for programs that disconnect at the input's end.
  /// - Returns: nil where there is no such program.
  package static func run(
    _ path: String, _ arguments: [String], input: String = "", holdsInput: Bool = false,
    environment: [String: String]? = nil
  ) async throws -> ForeignProgram? {
    guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
    let process = TestProcess()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    if let environment { process.environment = environment }
    let (stdin, stdout) = (Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = stdout
    return try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "foreign-program").async {
        do {
          try process.start()
          let watch = DispatchWorkItem { process.terminate() }
          DispatchQueue.global().asyncAfter(deadline: .now() + 120, execute: watch)
          try? stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
          if !holdsInput { try? stdin.fileHandleForWriting.close() }
          let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
          if holdsInput { try? stdin.fileHandleForWriting.close() }
          process.waitUntilExit()
          watch.cancel()
          continuation.resume(
            returning: ForeignProgram(
              status: process.terminationStatus, output: String(decoding: output, as: UTF8.self)))
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }
}

extension ForeignProgram {
  /// Runs a program for a part of a test; where the program is not installed, the part is skipped and the reason printed.
  package static func runOrSkip(
    _ path: String, _ arguments: [String], input: String = "", holdsInput: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> ForeignProgram? {
    let run = try await run(path, arguments, input: input, holdsInput: holdsInput)
    if run == nil { skipHere("\(path) is not there", sourceLocation: sourceLocation) }
    return run
  }
}
