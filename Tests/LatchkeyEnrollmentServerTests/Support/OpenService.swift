import Dispatch
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Synchronization

@testable import LatchkeyEnrollmentServer

/// A service whose closures are the test's: a signed route `/v1/trial` that writes a row and then decides, and `/v1/trial/rows`, which reads.
final class OpenService: DeviceService {
  private struct Closures {
    var prepare: @Sendable () throws -> Void = {}
    var decide: @Sendable (SignedTransaction) throws -> ServiceDecision = { _ in try .kept(201, json: ["kept"]) }
    var read: @Sendable (ServiceTransaction) throws -> ServiceAnswer = { try ServiceAnswer(json: try count($0)) }
  }

  let schema: ServiceSchema
  private let closures = Mutex(Closures())

  init() throws {
    schema = try ServiceSchema(
      name: "trial",
      steps: [{ ["CREATE TABLE trial_rows (name \($0.bytes) NOT NULL PRIMARY KEY)\($0.clustered)"] }])
  }

  func prepares(_ body: @escaping @Sendable () throws -> Void) { closures.withLock { $0.prepare = body } }
  func decides(_ body: @escaping @Sendable (SignedTransaction) throws -> ServiceDecision) {
    closures.withLock { $0.decide = body }
  }
  func reads(_ body: @escaping @Sendable (ServiceTransaction) throws -> ServiceAnswer) {
    closures.withLock { $0.read = body }
  }
  /// From now on it does as at first.
  func behaves() { closures.withLock { $0 = Closures() } }

  var routes: [ServiceRoute] {
    [
      .signed(ServiceOperation("POST", "/v1/trial", name: "try", summary: "Tries.", answers: [])) { [self] _ in
        let (id, closures) = (Identifier.random(), closures.withLock { $0 })
        try closures.prepare()
        return { store in
          try store.change("INSERT INTO trial_rows (name) VALUES ($1)", [.init(id)])
          return try closures.decide(store)
        }
      },
      .authenticated(ServiceOperation("GET", "/v1/trial/rows", name: "rows", summary: "Counts.", answers: [])) {
        [self] _, store in try closures.withLock { $0.read }(store)
      },
    ]
  }

  @Sendable static func count(_ store: ServiceTransaction) throws -> [Int64] {
    [try store.row("SELECT COUNT(*) FROM trial_rows")?.integer(0) ?? -1]
  }
}

/// A place where a closure waits, on its thread, until the test lets it go on.
final class Halt: Sendable {
  private let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
  private let gate = DispatchSemaphore(value: 0)

  /// Waits; from any thread.
  func wait() {
    arrival.yield()
    gate.wait()
  }
  /// Returns when a closure waits.
  func arrived() async { _ = await arrivals.first { true } }
  /// Lets one closure go on.
  func release() { gate.signal() }
}
