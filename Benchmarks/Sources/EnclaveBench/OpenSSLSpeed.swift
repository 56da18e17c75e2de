import Foundation

/// The rate of signatures that `openssl speed` reports, by its own CPU time.
enum OpenSSLSpeed {
  static func version() throws -> String { try run(["version"]).trimmingCharacters(in: .newlines) }

  /// ECDSA signatures on P-256 in a second of CPU time, measured over at least so many seconds; whole ones, since it
  /// counts no others.
  static func signaturesPerSecond(_ seconds: Double) throws -> Double {
    let output = try run(["speed", "-mr", "-seconds", "\(max(1, Int(seconds)))", "ecdsap256"])
    // +F4:number:bits:signatures:verifications
    for line in output.split(separator: "\n") where line.hasPrefix("+F4:") {
      let fields = line.split(separator: ":")
      if fields.count == 5, let rate = Double(fields[3]), rate > 1 { return rate }
    }
    throw BenchFailure.peerRefused("openssl speed printed no figure of ECDSA")
  }

  private static func run(_ arguments: [String]) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw BenchFailure.peerRefused("openssl \(arguments[0]) failed") }
    return String(decoding: text, as: UTF8.self)
  }
}
