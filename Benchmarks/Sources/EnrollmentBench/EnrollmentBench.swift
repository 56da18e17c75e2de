internal import CPlainSQLite
internal import Foundation
internal import LatchkeyEnrollmentPostgres
internal import LatchkeyEnrollmentServer
internal import LatchkeyEnrollmentStore
internal import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import UnixSignals

/// A server with one enrolled device, and signed transfers to it, for `Benchmarks/Peers/enrollment_bench.py`.
@main
struct EnrollmentBench {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    func option(_ name: String) -> String? {
      arguments.firstIndex(of: name).flatMap { arguments.indices.contains($0 + 1) ? arguments[$0 + 1] : nil }
    }
    let store = option("--store")
    switch (arguments.first, arguments.count) {
    case ("prepare", 2...): try await Preparation(folder: arguments[1]).run(store: store)
    case ("serve", 3...):
      try await serve(arguments[1], port: arguments[2], store: store, workers: option("--workers").flatMap { Int($0) })
    case ("sign", 5):
      let transfers = try SignedTransfers(folder: arguments[1], port: arguments[2])
      try transfers.write(count: Int(arguments[3]) ?? 0, to: arguments[4])
    case ("split", 2):
      let parts = try await TransferSplit(folder: arguments[1]).run()
      print("{" + parts.map { "\"\($0.name)\": \($0.microseconds)" }.joined(separator: ", ") + "}")
    case ("inserts", 3): try inserts(arguments[1], seconds: Double(arguments[2]) ?? 1)
    default:
      FileHandle.standardError.write(Data("usage: enrollment-bench prepare|serve|sign|split|inserts …\n".utf8))
      exit(64)
    }
  }

  static func serve(_ folder: String, port: String, store: String?, workers: Int?) async throws {
    // As many as nginx has workers.
    if let workers { NIOSingletons.groupLoopCountSuggestion = workers }
    var logger = Logger(label: "enrollment-bench")
    logger.logLevel = .error
    var configuration = try await Preparation(folder: folder).configuration(store: store, logger: logger)
    configuration.port = Int(port) ?? 0
    // One device sends all requests: rate limits are not part of the measurement.
    configuration.limits.requestsPerSecond = 1_000_000
    configuration.limits.connections = 20_000
    configuration.limits.connectionsPerAddress = 20_000
    configuration.limits.anonymousRequestsPerSecond = 1_000_000
    let server = try EnrollmentServer(configuration)
    try await ServiceGroup(services: [server], gracefulShutdownSignals: [.sigterm], logger: logger).run()
  }

  /// One durable row after the other, each about as long as a transfer's.
  static func inserts(_ folder: String, seconds: Double) throws {
    let path = folder + "/plain-\(UUID()).db"
    guard let writer = plain_inserter_open(path) else { throw CocoaError(.fileWriteUnknown) }
    defer {
      plain_inserter_close(writer)
      for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + ending) }
    }
    let row = [UInt8](repeating: 7, count: 100)
    let begin = ContinuousClock.now
    var count = 0
    while ContinuousClock.now - begin < .seconds(seconds) {
      for _ in 0..<16 {
        guard plain_inserter_add(writer, row, Int32(row.count)) == 0 else { throw CocoaError(.fileWriteUnknown) }
      }
      count += 16
    }
    let took = (ContinuousClock.now - begin) / .seconds(1)
    print(#"{"measure":"inserts","value":\#(Double(count) / took),"unit":"1/s"}"#)
  }
}
