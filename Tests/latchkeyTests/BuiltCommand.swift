import Foundation

/// The built `latchkey`, which stands beside this test's resources.
enum BuiltCommand {
  struct Result {
    let output: String
    let errors: String
    let status: Int32
  }

  /// Where it is.
  static let program = Bundle.module.bundleURL.deletingLastPathComponent().appendingPathComponent("latchkey")

  /// Runs `program` in `folder`, with this environment alone if one is given. What it writes goes to `output` if that is given.
  static func run(
    _ arguments: [String], input: [UInt8], program: URL = BuiltCommand.program, folder: URL? = nil,
    environment: [String: String]? = nil, output: FileHandle? = nil
  ) throws -> Result {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    if let folder { process.currentDirectoryURL = folder }
    if let environment { process.environment = environment }
    let streams = try Streams(input: input)
    defer { streams.remove() }
    process.standardInput = try FileHandle(forReadingFrom: streams.input)
    process.standardOutput = try output ?? FileHandle(forWritingTo: streams.output)
    process.standardError = try FileHandle(forWritingTo: streams.errors)
    try process.run()
    process.waitUntilExit()
    return Result(
      output: String(decoding: try Data(contentsOf: streams.output), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: streams.errors), as: UTF8.self), status: process.terminationStatus)
  }

  /// Files for the three streams: unlike pipes, they cannot fill up and block.
  private struct Streams {
    private let folder: URL
    var input: URL { folder.appendingPathComponent("input") }
    var output: URL { folder.appendingPathComponent("output") }
    var errors: URL { folder.appendingPathComponent("errors") }

    init(input bytes: [UInt8]) throws {
      folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(bytes).write(to: input)
      try Data().write(to: output)
      try Data().write(to: errors)
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }
  }
}
