import LatchkeyKeychainModel
import LatchkeyUserPresence

/// The consent to one call: each access control is asked for once, however many items have it.
struct ConsentGate {
  let authority: any PresenceAuthority
  let consent: Consent
  private var given: [StoredControl: Authorization] = [:]
  private var left: [StoredControl: Bool] = [:]

  init(authority: any PresenceAuthority, consent: Consent) {
    self.authority = authority
    self.consent = consent
  }

  /// The guard of an item that gets `control` now; nil without constraints. No user is asked.
  func prepare(_ control: AccessControl) throws(StoreError) -> PreparedControl? {
    guard control.isConstrained else { return nil }
    return try authority.prepare(control, consent: consent)
  }

  /// Whether items of this control are left out, because somebody would have to be asked and the caller wants to skip
  /// those.
  mutating func leavesOut(_ control: StoredControl) -> Bool {
    guard consent.interaction == .skipped else { return false }
    if let known = left[control] { return known }
    let isLeft = authority.needsInteraction(control, consent: consent)
    left[control] = isLeft
    return isLeft
  }

  /// Runs `body` with the decision which items are left out; nil where none are.
  mutating func collecting<Value>(
    _ body: (((StoredControl) -> Bool)?) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    guard consent.interaction == .skipped else { return try body(nil) }
    let box = LeftOut(gate: self)
    return try body { (control) in box.gate.leavesOut(control) }
  }

  /// Keeps what was found out while a search runs.
  private final class LeftOut {
    var gate: ConsentGate
    init(gate: ConsentGate) { self.gate = gate }
  }

  /// Asks, unless it was given in this call before. Never called inside a transaction.
  mutating func authorize(_ control: StoredControl) throws(StoreError) -> Authorization {
    if let known = given[control] { return known }
    if consent.interaction == .refused, authority.needsInteraction(control, consent: consent) {
      throw .presence(.notInteractive("the item wants its user's consent, and the call says that nobody may be asked"))
    }
    let authorization = try authority.authorize(control, for: .useItem, consent: consent)
    given[control] = authorization
    return authorization
  }
}

extension ConsentGate {
  /// Opens the data of those matches that wait for consent: first everybody is asked, then all is opened.
  mutating func open(_ matches: inout [Match], _ parts: StoreParts) throws(StoreError) {
    for match in matches where match.isSealed { _ = try authorize(try match.row.control) }
    for index in matches.indices where matches[index].isSealed {
      matches[index].data = try open(matches[index].row, parts)
    }
  }

  /// The data of one constrained row.
  mutating func open(_ row: ItemRow, _ parts: StoreParts) throws(StoreError) -> [UInt8]? {
    let control = try row.control
    let authorization = try authorize(control)
    do throws(StoreError) {
      return try parts.sealer.openData(row, under: control, with: authorization, by: parts.constraints)
    } catch {
      if case .presence(.authenticationFailed) = error {
        given[control] = nil
        authority.forgetApplicationPassword(consent)
      }
      throw error
    }
  }
}

extension KeychainDatabase {
  /// The authenticators that one call asks.
  func gate(_ consent: Consent) -> ConsentGate {
    ConsentGate(authority: presenceAuthority, consent: consent)
  }
}
