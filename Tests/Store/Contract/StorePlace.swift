internal import LatchkeyEnrollmentServer
package import LatchkeyEnrollmentStore
internal import LatchkeyLedger

/// A database that is empty at first, on which stores are opened as servers open them.
package protocol StorePlace: Sendable {
  /// A server's store.
  ///
  /// - Parameters:
  ///   - node: the server's name in the audit chain.
  ///   - faults: stands between the verbs and the database, for each connection that writes.
  func open(node: String, faults: FaultPlan?) async throws -> any EnrollmentStore

  /// A store as ``open(node:faults:)`` gives, with so few tries and so little patience that giving up is quick.
  func openImpatient(node: String, faults: FaultPlan) async throws -> any EnrollmentStore
}

extension StorePlace {
  /// A server's store, with the tables of the bank.
  func openBank(node: String) async throws -> any EnrollmentStore {
    let store = try await open(node: node, faults: nil)
    try await LedgerService().makeTables(in: store)
    return store
  }

  /// Opens a store, closing it after the body.
  func withStore<T>(
    node: String = "node", faults: FaultPlan? = nil, _ body: (any EnrollmentStore) async throws -> T
  ) async throws -> T {
    let store = try await open(node: node, faults: faults)
    do {
      try await LedgerService().makeTables(in: store)
      let value = try await body(store)
      await store.close()
      return value
    } catch {
      await store.close()
      throw error
    }
  }
}
