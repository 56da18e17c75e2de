import Foundation
import HTTPTypes
import Hummingbird
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Synchronization
import Testing

@testable import LatchkeyEnrollmentServer

/// A statement that a list ran, with its arguments.
struct ListStatement: Hashable, Sendable {
  let text: String
  let arguments: [SQLValue]

  /// The text on one line.
  static func line(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}

/// Notes what is read through sessions.
final class ListRecorder: Sendable {
  private let noted = Mutex<[ListStatement]>([])

  func wrap(_ session: any SQLSession) -> any SQLSession { RecordingSession(session, self) }

  func note(_ statement: StaticString, _ arguments: [SQLValue]) {
    noted.withLock { $0.append(ListStatement(text: ListStatement.line(statement.description), arguments: arguments)) }
  }

  /// What was noted since.
  func take() -> [ListStatement] {
    noted.withLock { noted in
      defer { noted = [] }
      return noted
    }
  }

  private final class RecordingSession: SQLSession {
    private let session: any SQLSession
    private let recorder: ListRecorder

    init(_ session: any SQLSession, _ recorder: ListRecorder) { (self.session, self.recorder) = (session, recorder) }

    var dialect: SQLDialect { session.dialect }
    func define(_ text: String) throws { try session.define(text) }
    func rows(_ statement: StaticString, _ arguments: [SQLValue]) throws -> [[SQLValue]] {
      recorder.note(statement, arguments)
      return try session.rows(statement, arguments)
    }
    func change(_ statement: StaticString, _ arguments: [SQLValue]) throws -> Int {
      try session.change(statement, arguments)
    }
    func beginChange(_ statement: StaticString, _ arguments: [SQLValue]) throws -> SQLLater<Int> {
      try session.beginChange(statement, arguments)
    }
    func settle() throws { try session.settle() }
  }
}

/// Every way to ask the admin listener for something that it reads: each operation that reads, with each choice of its parameters.
struct ListCalls {
  /// Values of parameters that are texts. Names and events are ones with which nothing begins; the user has all devices, the device
  /// half of the certificates.
  private static let samples = [
    "prefix": "nothing begins so", "user": "fleet", "device": String(repeating: "30", count: 16),
    "serial": String(repeating: "30", count: 12) + "37393139", "node": "node", "event": "nothing begins so",
    "value": "nobody",
    "since": "4000000000",
  ]

  let operation: AdministrationOperation
  let query: [String: String]

  var name: String {
    operation.path + query.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
  }

  static func all() throws -> [ListCalls] {
    try AdministrationOperations.all.filter { $0.method == .get }.flatMap { operation in
      var queries: [[String: String]] = [[:]]
      for parameter in operation.parameters where parameter.name != "limit" && parameter.name != "cursor" {
        let values = try choices(of: parameter)
        queries = queries.flatMap { query in
          (parameter.isRequired ? [] : [query]) + values.map { query.merging([parameter.name: $0]) { $1 } }
        }
      }
      return queries.map { ListCalls(operation: operation, query: $0) }
    }
  }

  private static func choices(of parameter: AdministrationOperation.Parameter) throws -> [String] {
    let schema = try JSONDecoder().decode(Schema.self, from: Data(parameter.schema.text.utf8))
    if let words = schema.enum { return words }
    return [try #require(samples[parameter.name], "give \(parameter.name) a value in ListCalls.samples")]
  }

  private struct Schema: Decodable { let `enum`: [String]? }

  /// Asks, and gives what was read for the answer. What is not there is read, too.
  func statements(from services: Services, _ recorder: ListRecorder) async throws -> [ListStatement] {
    let administrator = AdministratorRecord(
      name: "ada", role: .owner, created: 0, tokenHash: [1], fingerprint: nil)
    let request = Request(
      head: HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: operation.fullPath),
      body: RequestBody(buffer: ByteBuffer()))
    _ = recorder.take()
    do {
      _ = try await operation.run(
        AdministrationCall(services: services, administrator: administrator, request: request, query: query))
    } catch OperatorError.notFound {}
    return recorder.take()
  }
}
