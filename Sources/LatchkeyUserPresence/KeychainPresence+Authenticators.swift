package import LatchkeyKeychainModel

extension KeychainPresence {
  /// Who may vouch: root's list where there is one, else the keychain's; nil as long as neither names anybody. What the
  /// keychain names comes first and in its order, so that what is enrolled with the same ones gives the same digest.
  static func admitted(by stored: [String], _ machine: MachineAuthenticators) throws(StoreError) -> [String]? {
    guard let ofRoot = try machine.names() else { return stored.isEmpty ? nil : stored }
    return stored.filter(ofRoot.contains) + ofRoot.filter { !stored.contains($0) }
  }

  /// The same as this process knows it; nobody where it cannot be told.
  var admitted: [String]? {
    do throws(StoreError) { return try Self.admitted(by: keychain?.knownAuthenticators ?? [], machine) } catch {
      return []
    }
  }

  /// Looks who may vouch, and settles it where nobody was named yet: from here on it is those who are configured now. A
  /// keychain from before there was such a list gets it at the first use of something that biometry guards. Never called
  /// inside a transaction.
  ///
  /// - Parameter isWanted: asked where nobody was named yet: whether something is there for them to guard.
  /// - Throws: `.readOnly` for a keychain that cannot keep it; `.damaged`, `.unsafeLocation`; what `isWanted` throws.
  func settleAuthenticators(
    if isWanted: () throws(StoreError) -> Bool = { () throws(StoreError) in true }
  ) throws(StoreError) {
    guard let keychain else { throw .inputOutput("the keychain was closed") }
    // A list of root's that must not be believed is told before anybody is asked.
    let ofRoot = try machine.names()
    let stored = try keychain.currentAuthenticators()
    guard stored.isEmpty else { return }
    let configured = biometry.storedNames.filter { ofRoot?.contains($0) ?? true }
    if !configured.isEmpty, try isWanted() { _ = try keychain.fixAuthenticators(configured) }
  }

  /// Asks those who may vouch before the keychain gets its first passcode: a passcode that somebody else has set would else
  /// stand in for biometry, and change who may vouch. Nobody is asked where nothing is guarded by biometry.
  ///
  /// - Throws: `.unavailable` if nobody who may is configured; as ``authorize(_:for:consent:)``.
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
      Wish(requirement: Requirement(.biometry), usable: .biometry, admitted: admitted), mayAsk: true,
      reason: "to set the first passcode of a keychain")
  }
}
