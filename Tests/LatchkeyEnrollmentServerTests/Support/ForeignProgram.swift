import Crypto
import Dispatch
import Foundation
import Synchronization
import Testing

/// Foundation's `Process` starts one at a time: two at once have read past each other's memory.
private let starting = Mutex<Void>(())

/// A program of somebody else, run to its end with its input; it is ended if it does not end.
struct ForeignProgram: Sendable {
  let status: Int32
  let output: String

  /// Starts a process, one at a time.
  static func start(_ process: Process) throws { try starting.withLock { _ in try process.run() } }

  /// - Parameter holdsInput: whether its input stays open until it ends by itself: for programs that hang up at the input's end.
  /// - Returns: nil where there is no such program.
  static func run(
    _ path: String, _ arguments: [String], input: String = "", holdsInput: Bool = false,
    environment: [String: String]? = nil
  ) async throws -> ForeignProgram? {
    guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
    let process = Process()
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
          try start(process)
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
  /// Runs a program for a part of a test, which is skipped where the program is not there, and says so.
  static func runOrSkip(
    _ path: String, _ arguments: [String], input: String = "", holdsInput: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> ForeignProgram? {
    let run = try await run(path, arguments, input: input, holdsInput: holdsInput)
    if run == nil { skipHere("\(path) is not there", sourceLocation: sourceLocation) }
    return run
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test, with its reason, where a program of somebody else is not there; where nothing may be skipped, it fails for lack of it.
  static func needs(_ programs: String...) -> Self {
    let missing = programs.filter { !FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }
    return .enabled(if: missing.isEmpty || nothingMaySkip, "needs /usr/bin/\(missing.joined(separator: ", "))")
  }
}

extension RunningServer {
  /// Writes the authority's certificate, and a device's with its key, in PEM beside the store.
  func files(of device: TestDevice? = nil) throws -> (ca: String, certificate: String, key: String) {
    func write(_ name: String, _ text: String) throws -> String {
      let file = folder.appendingPathComponent(name)
      try Data(text.utf8).write(to: file)
      return file.path
    }
    func pem(_ bytes: [UInt8]) -> String {
      let lines = Data(bytes).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
      return "-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n"
    }
    return (
      try write("ca.pem", pem(root)), try write("device.pem", device.map { pem($0.certificate) } ?? ""),
      try write("device-key.pem", device?.key.pemRepresentation ?? "")
    )
  }
}
