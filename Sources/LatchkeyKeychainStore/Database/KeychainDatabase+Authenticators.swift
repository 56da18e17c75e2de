public import LatchkeyKeychainModel
import LatchkeyUserPresence
import Synchronization

/// Who may vouch for a keychain's user, beside the passcode. It is kept in the header, which is authenticated: the first
/// item or key that is guarded by biometry fixes it, to those who are configured then. From there on a program's configuration,
/// and the environment, choose among those and add nobody.
extension KeychainDatabase {
  /// The names of those who may vouch: as in `LATCHKEY_PRESENCE`, and "code:" with the name of what a program brought
  /// itself; none as long as nothing is guarded by biometry; "nobody" alone after a repair without the header. Root's list is not among them (``machineAuthenticators()``).
  ///
  /// - Throws: `.damaged`, `.inputOutput`.
  public func allowedAuthenticators() throws(StoreError) -> [String] { try soundHeader().state.authenticators }

  /// The names in root's `/etc/latchkey/presence.conf`, which count in the place of the keychain's; nil without that file.
  ///
  /// - Throws: `.unsafeLocation`, `.configuration`, `.inputOutput`.
  public func machineAuthenticators() throws(StoreError) -> [String]? { try configuration.presence.machine.names() }

  /// Changes who may vouch. What is guarded by `biometryCurrentSet` is lost by that, as it is when a finger is enrolled.
  ///
  /// - Parameters:
  ///   - names: as in `LATCHKEY_PRESENCE`, at most 16, at least one.
  ///   - passcode: the keychain's; it is not wanted where nobody was named yet, and where root's list has all of `names`.
  /// - Throws: `.configuration` for a name that there is not; `.unavailable` without a passcode to give;
  ///   `.wrongPasscode`, `.passcodeDelayed`; `.readOnly`.
  public func allowAuthenticators(_ names: [String], passcode: [UInt8]?) throws(StoreError) {
    guard !names.isEmpty, AuthenticatorList.isStorable(names) else {
      throw .configuration("1 to \(AuthenticatorList.maximumCount) names are possible, none twice")
    }
    for name in names {
      do throws(PresenceSettings.Source.Fault) {
        _ = try PresenceSettings.Source(name)
      } catch {
        throw .configuration("the list \(error.text): it has fprintd, pam:SERVICE and program:PATH")
      }
      guard !name.hasPrefix("program:") || name.hasPrefix("program:/") else {
        throw .configuration("\(name) has no absolute path: write it from / on")
      }
    }
    let before = try allowedAuthenticators()
    if before == names { return }
    let isRoots = try machineAuthenticators().map { Set(names).isSubset(of: $0) } ?? false
    if !before.isEmpty, !isRoots {
      guard isPasscodeSet else {
        throw .unavailable(
          "who may vouch was settled when the first item was guarded by it, and without a passcode only root changes it: "
            + "write the names into /etc/latchkey/presence.conf, or set a passcode and give it")
      }
      guard let passcode else {
        throw .presence(.credentialMissing("changing who may vouch wants the passcode: give it"))
      }
      _ = try tried(passcode, event: nil)
    }
    try writing { (transaction) throws(StoreError) in
      guard transaction.header.state.authenticators == before else { throw .busy(path: transaction.parts.path) }
      try transaction.allow(names)
    }
  }
}

extension KeychainDatabase {
  package var knownAuthenticators: [String] { verified.withLock { $0.header.state.authenticators } }

  package func currentAuthenticators() throws(StoreError) -> [String] { try allowedAuthenticators() }

  package func fixAuthenticators(_ names: [String]) throws(StoreError) -> [String] {
    guard AuthenticatorList.isStorable(names) else {
      throw .configuration(
        "a keychain keeps the names of those who may vouch, at most \(AuthenticatorList.maximumCount) of "
          + "\(AuthenticatorList.maximumName) bytes: name fewer, or give them shorter paths")
    }
    return try writing { (transaction) throws(StoreError) in
      if transaction.header.state.authenticators.isEmpty { try transaction.allow(names) }
      return transaction.header.state.authenticators
    }
  }
}

extension WriteTransaction {
  mutating func allow(_ names: [String]) throws(StoreError) {
    try raiseFormat()
    header.state.authenticators = names
    try log(.authenticatorsChanged)
  }
}
