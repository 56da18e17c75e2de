import Crypto
import Dispatch
import Foundation

/// A program of somebody else, run to its end with its input; it is ended if it does not end.
struct ForeignProgram: Sendable {
  let status: Int32
  let output: String

  /// - Parameter holdsInput: whether its input stays open until it ends by itself: for programs that hang up at the input's end.
  /// - Returns: nil where there is no such program.
  static func run(
    _ path: String, _ arguments: [String], input: String = "", holdsInput: Bool = false,
    environment: [String: String]? = nil
  ) async throws -> ForeignProgram? {
    guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
    return try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "foreign-program").async {
        continuation.resume(
          with: Result {
            let program = try SpawnedProgram(path, arguments, environment: environment)
            let watch = DispatchWorkItem { program.signal(SIGKILL) }
            DispatchQueue.global().asyncAfter(deadline: .now() + 120, execute: watch)
            defer { watch.cancel() }
            try? program.input.write(contentsOf: Data(input.utf8))
            if !holdsInput { try? program.input.close() }
            let output = try program.output.readToEnd() ?? Data()
            return ForeignProgram(status: program.wait(), output: String(decoding: output, as: UTF8.self))
          })
      }
    }
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
