import Crypto
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Synchronization

@testable import LatchkeyEnrollmentServer

/// A service of two routes, `/v1/trial` and `/v1/again`, that writes a row and an audit entry, and then decides as the test says.
final class TrialService: DeviceService {
  /// What it decides.
  typealias Decide = @Sendable (SignedTransaction) throws -> ServiceDecision

  let schema: ServiceSchema
  private let decision = Mutex<Decide> { _ in .refused(Problem(.notPermitted)) }

  init() throws {
    schema = try ServiceSchema(
      name: "trial",
      steps: [{ ["CREATE TABLE trial_rows (name \($0.bytes) NOT NULL PRIMARY KEY)\($0.clustered)"] }])
  }

  /// From now on it decides so.
  func decides(_ decide: @escaping Decide) { decision.withLock { $0 = decide } }

  var routes: [ServiceRoute] {
    ["/v1/trial", "/v1/again"].map { path in
      .signed(ServiceOperation("POST", path, name: "try", summary: "Tries.", answers: [])) { [self] _ in
        let (id, decide) = (Identifier.random(), decision.withLock { $0 })
        return { store in
          try store.beginChange("INSERT INTO trial_rows (name) VALUES ($1)", [.init(id)])
          try store.audit("tried", ["row": id.description])
          return try decide(store)
        }
      }
    }
  }

  /// How many rows and audit entries there are.
  static func written(in store: any EnrollmentStore) async throws -> [Int64] {
    try await store.read { store in
      let rows = try store.row("SELECT COUNT(*) FROM trial_rows")?.integer(0) ?? -1
      let entries = try store.row("SELECT COUNT(*) FROM audit_entries WHERE event = $1", [.text("trial.tried")])
      return [rows, try entries?.integer(0) ?? -1]
    }
  }
}
