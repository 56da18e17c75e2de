import CertificateAuthority
import EnrollmentPostgres
import EnrollmentServer
import EnrollmentStore
import Foundation
import Logging
import ServiceLifecycle

/// The enrollment server with keys from a folder, and limits that no torture reaches.
struct TortureServer {
  /// The words that are needed.
  struct Usage: Error, CustomStringConvertible {
    var description: String { "usage: torture-server FOLDER PATH|postgres://… NODE" }
  }

  private let configuration: ServerConfiguration

  init(folder: String, place: String, node: String) throws {
    func file(_ name: String) throws -> [UInt8] {
      Array(try Data(contentsOf: URL(filePath: folder).appending(path: name)))
    }
    var logger = Logger(label: "torture-server") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .critical
    let authority = try CertificateAuthority(
      chain: [try file("authority.der")], key: FileAuthorityKey(fileContents: try file("authority.key")))
    var configuration = ServerConfiguration(
      certificateChain: [try file("server.der")], privateKey: try file("server.key"), authority: authority,
      answerKey: try FileAuthorityKey(fileContents: try file("answer.key")),
      store: try Self.store(at: place, node: node, logger), node: node, logger: logger)
    configuration.port = 0
    configuration.limits.loginsPerMinute = 100_000
    configuration.limits.requestsPerSecond = 100_000
    self.configuration = configuration
  }

  func run() async throws {
    let server = try EnrollmentServer(configuration)
    Task {
      let text = Array("\(try await server.port)\n".utf8)
      _ = write(STDOUT_FILENO, text, text.count)
    }
    try await ServiceGroup(configuration: .init(services: [.init(service: server)], logger: configuration.logger)).run()
  }

  private static func store(at place: String, node: String, _ logger: Logger) throws -> any EnrollmentStore {
    #if PostgreSQL
      if place.hasPrefix("postgres") {
        return try PostgresStore(PostgresAddress(url: place), node: node, logger: logger)
      }
    #endif
    return try SQLiteStore(path: place, node: node)
  }
}
