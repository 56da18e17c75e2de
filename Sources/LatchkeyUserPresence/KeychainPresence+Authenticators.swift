package import LatchkeyKeychainModel

extension KeychainPresence {
  /// The names of the accepted authenticators: root's list if it exists, else the keychain's; nil if neither names any. The
  /// keychain's names come first and in its order, so that the same enrollments yield the same digest.
  static func admitted(by stored: [String], _ machine: MachineAuthenticators) throws(StoreError) -> [String]? {
    guard let ofRoot = try machine.names() else { return stored.isEmpty ? nil : stored }
    return stored.filter(ofRoot.contains) + ofRoot.filter { !stored.contains($0) }
  }

  /// The accepted authenticators known to this process; none if they cannot be determined.
  var admitted: [String]? {
    do throws(StoreError) { return try Self.admitted(by: keychain?.knownAuthenticators ?? [], machine) } catch {
      return []
    }
  }

  /// Determines the accepted authenticators, and fixes them to the configured ones if none were stored yet. A keychain that
  /// predates the list gets it at the first use of an item that biometry guards. Never called inside a transaction.
  ///
  /// - Parameter isWanted: called if none were stored yet; returns whether there is an item for them to guard.
  /// - Throws: `.readOnly` for a keychain that cannot store them; `.damaged`, `.unsafeLocation`; errors of `isWanted`.
  func settleAuthenticators(
    if isWanted: () throws(StoreError) -> Bool = { () throws(StoreError) in true }
  ) throws(StoreError) {
    guard let keychain else { throw .inputOutput("the keychain was closed") }
    // An untrusted list of root's is reported before any prompt.
    let ofRoot = try machine.names()
    let stored = try keychain.currentAuthenticators()
    guard stored.isEmpty else { return }
    let configured = biometry.storedNames.filter { ofRoot?.contains($0) ?? true }
    if !configured.isEmpty, try isWanted() { _ = try keychain.fixAuthenticators(configured) }
  }

  /// Authenticates the user before the keychain gets its first passcode: otherwise a passcode set by an intruder could replace
  /// biometry, and change the accepted authenticators. Does not prompt if biometry guards nothing.
  ///
  /// - Throws: `.unavailable` if no accepted authenticator is configured; as ``authorize(_:for:consent:)``.
  package func confirmFirstPasscode() throws(StoreError) {
    guard let keychain else { return }
    let stored = try keychain.currentAuthenticators()
    if stored.isEmpty { return }
    if stored == [AuthenticatorList.nobody], try machine.names() == nil {
      throw .unavailable(
        "the header of this keychain was lost, and with it who may vouch for its user, who confirms a first passcode: let root "
          + "write the names into /etc/latchkey/presence.conf, or export the items to a new keychain")
    }
    guard biometry.isConfigured else { throw .unavailable(biometry.absence) }
    let session = KeychainPresence.Session(of: self)
    defer { session.invalidate() }
    _ = try session.obtain(
      PresenceRequest(requirement: Requirement(.biometry), usable: .biometry, admitted: admitted), mayAsk: true,
      reason: "to set the first passcode of a keychain")
  }
}
