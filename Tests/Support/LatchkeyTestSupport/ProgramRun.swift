package import Foundation
import Testing

/// The status and the output of a program that has run to its end.
package struct ProgramRun: Sendable {
  /// The exit status, or the signal that ended it.
  package let status: Int32
  /// Standard output.
  package let bytes: [UInt8]
  /// Standard error.
  package let errors: String
  /// Standard output as text.
  package var output: String { String(decoding: bytes, as: UTF8.self) }

  package init(status: Int32, output: String, errors: String) {
    self.init(status: status, bytes: Array(output.utf8), errors: errors)
  }

  private init(status: Int32, bytes: [UInt8], errors: String) {
    self.status = status
    self.bytes = bytes
    self.errors = errors
  }

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - program: its path.
  ///   - folder: the working directory; nil for this process's.
  ///   - environment: the whole environment; nil for this process's.
  ///   - output: where standard output goes, if it is not returned.
  ///   - joined: whether standard error is a part of the output.
  package init(
    _ program: String, _ arguments: [String], input: [UInt8] = [], folder: URL? = nil,
    environment: [String: String]? = nil, output: FileHandle? = nil, joined: Bool = false
  ) throws {
    let process = TestProcess()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    if let folder { process.currentDirectoryURL = folder }
    if let environment { process.environment = environment }
    // Files for the three streams: unlike pipes, they cannot fill up and block.
    let streams = try Folder()
    let standardInput = try streams.write("input", input)
    let files = [try streams.write("output", []), try streams.write("errors", [])].map { URL(fileURLWithPath: $0) }
    process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: standardInput))
    let standardOutput = try output ?? FileHandle(forWritingTo: files[0])
    process.standardOutput = standardOutput
    process.standardError = joined ? standardOutput : try FileHandle(forWritingTo: files[1])
    try process.start()
    process.waitUntilExit()
    self.init(
      status: process.terminationStatus, bytes: [UInt8](try Data(contentsOf: files[0])),
      errors: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self))
  }

  /// Does the same on a thread of its own, so that none of the few threads of tasks waits for the program.
  package static func finished(
    _ program: String, _ arguments: [String], input: [UInt8] = [], folder: URL? = nil,
    environment: [String: String]? = nil, joined: Bool = false
  ) async throws -> ProgramRun {
    try await onThread {
      try ProgramRun(program, arguments, input: input, folder: folder, environment: environment, joined: joined)
    }
  }
}

/// Where programs are.
package enum ProgramPath {
  /// A program of this build: it is beside the tests' bundle.
  package static func built(_ name: String) throws -> String {
    let bundle = CommandLine.arguments.map { URL(filePath: $0) }.first { $0.pathExtension == "xctest" }
    return try #require(bundle).deletingLastPathComponent().appending(path: name).path
  }

  /// A program of another implementation: the first in the folders of PATH; nil if it is not installed.
  package static func installed(_ name: String) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
    return (folders + ["/usr/bin", "/usr/local/bin"]).map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
