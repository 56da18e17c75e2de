import Foundation
import LatchkeyTestSupport

/// The built `latchkey`.
enum BuiltCommand {
  typealias Result = ProgramRun

  /// Where it is: beside this test's resources.
  static let program = Bundle.module.bundleURL.deletingLastPathComponent().appendingPathComponent("latchkey")

  /// Runs `program` in `folder`, with this environment alone if one is given. Its output goes to `output` if that is given.
  static func run(
    _ arguments: [String], input: [UInt8], program: URL = BuiltCommand.program, folder: URL? = nil,
    environment: [String: String]? = nil, output: FileHandle? = nil
  ) throws -> Result {
    try ProgramRun(
      program.path, arguments, input: input, folder: folder, environment: environment, output: output)
  }
}
