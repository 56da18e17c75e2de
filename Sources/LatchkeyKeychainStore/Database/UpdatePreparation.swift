import Crypto
import LatchkeyKeychainModel
import LatchkeyUserPresence

/// What an update of constrained items needs before its transaction: the user who must consent is asked outside of it, and what
/// takes time is done there.
struct UpdatePreparation {
  /// So often it is tried again when items that need consent came or changed meanwhile.
  static let attempts = 16

  let changes: ItemChanges
  private var gate: ConsentGate
  /// The rows that were consented to.
  private(set) var consented = UpdateOperation.Consented()

  init(changes: ItemChanges, gate: ConsentGate) {
    self.changes = changes
    self.gate = gate
  }

  /// The seal under the new access control, if the update sets one with constraints. No user is asked.
  func sealing(_ parts: StoreParts) throws(StoreError) -> ConstraintSealer.Sealing? {
    guard let asked = changes.accessControl, asked.isConstrained else { return nil }
    // Contradictions are reported before constraints that cannot be met.
    _ = try ItemRules.accessControl(
      asked, changes.accessibility, otherwise: asked, synchronizable: changes.isSynchronizable ?? false)
    guard let prepared = try gate.prepare(asked) else { return nil }
    return try parts.constraints.sealing(under: prepared)
  }

  /// Has the constrained ones of `matches` consented to, and opens them.
  mutating func consent(to matches: [Match], _ parts: StoreParts) throws(StoreError) {
    var consented = UpdateOperation.Consented()
    var asked: [ItemRow] = []
    for match in matches {
      let control = try match.row.control
      guard control.guardsData else { continue }
      // A forbidden change fails before a user is asked.
      try EnclaveKeyItems.check(changes, keepsKey: false)
      if gate.leavesOut(control) {
        consented.leftOut.insert(control)
      } else {
        asked.append(match.row)
      }
    }
    for row in asked { _ = try gate.authorize(try row.control) }
    var sealings: [StoredControl: ConstraintSealer.Sealing] = [:]
    for row in asked {
      let control = try row.control
      var known = UpdateOperation.Known(mark: row.mark)
      if row.data != nil { known.data = try gate.open(row, parts) }
      if changes.accessControl == nil, changes.accessibility == nil {
        if sealings[control] == nil { sealings[control] = try sealing(again: control, parts) }
        known.sealing = sealings[control]
      }
      consented.rows[row.uuid] = known
    }
    self.consented = consented
  }

  /// The seal under the control that an item has already, as it was stored.
  private mutating func sealing(
    again control: StoredControl, _ parts: StoreParts
  ) throws(StoreError) -> ConstraintSealer.Sealing {
    let authorization = try gate.authorize(control)
    return try parts.constraints.sealing(
      under: PreparedControl(
        stored: control, presencePublicKey: control.isBoundToPasscode ? authorization.presenceKey?.publicKey : nil,
        applicationPassword: authorization.applicationPassword))
  }
}
