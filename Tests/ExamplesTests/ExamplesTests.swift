import Foundation
import LatchkeyTestSupport
import Testing

/// The programs of `Examples/`, built here, as `Examples/run` plays them against each other.
@Suite("The examples' programs", .timeLimit(.minutes(10)))
struct ExamplesTests {
  private static let script = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(path: "Examples/run")

  /// Where the programs were built.
  private func programs() throws -> String {
    URL(filePath: try ProgramPath.built("latchkey")).deletingLastPathComponent().path
  }

  private func run(_ arguments: [String]) async throws -> (status: Int32, output: String) {
    let run = try await ProgramRun.finished(Self.script.path, arguments, joined: true)
    return (run.status, run.output)
  }

  @Test("They print the output that their pages show", arguments: ["000", "001", "002", "003", "004", "005", "006"])
  func programs(example: String) async throws {
    let folder = try programs()
    let (status, output) = try await run(["--programs", folder, "--latchkey", folder, example])
    #expect(status == 0 && output == "Examples/run: \(example) ran\n", "\(output)")
  }

  @Test("a program that is not there ends the run with one line that names it")
  func missing() async throws {
    let folder = try programs()
    let (status, output) = try await run(["--programs", "/nowhere", "--latchkey", folder, "003"])
    #expect(status == 1)
    #expect(output == "Examples/run: /nowhere/keychain-manager is missing: build it first\n")
  }

  @Test("Unknown arguments print the usage, with status 64", arguments: [["007"], ["--programs"], ["--nothing"]])
  func usage(arguments: [String]) async throws {
    let (status, output) = try await run(arguments)
    #expect(status == 64 && output.hasPrefix("usage: Examples/run "))
  }
}
