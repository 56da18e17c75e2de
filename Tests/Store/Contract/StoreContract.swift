/// A rule that every store keeps. The tests of each store run all of them, each on a place of its own.
package struct StoreContract: Sendable, CustomStringConvertible {
  /// The rule, as a sentence.
  package let description: String
  /// Holds a store to it.
  package let hold: @Sendable (any StorePlace) async throws -> Void

  init(_ description: String, _ hold: @escaping @Sendable (any StorePlace) async throws -> Void) {
    self.description = description
    self.hold = hold
  }

  /// All rules.
  package static let all =
    users + tokens + enrollment + acme + devices + certificates + lists + revocations + challenges + nonces + answers
    + forgetting + accounts
    + services + bookings + transactions + sharing + audit + auditPruning + settings + limits + faults
}
