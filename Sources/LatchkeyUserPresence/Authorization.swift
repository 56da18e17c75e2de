package import LatchkeyEnclaveKeys
package import LatchkeyKeychainModel

/// What the store asks of its presence.
package protocol PresenceAuthority: PresenceService {
  /// How an item that is made now under `control` will be guarded. Nobody is asked.
  ///
  /// - Throws: `.unavailable`, naming `LATCHKEY_PRESENCE`, for a constraint that nothing here can meet; `.presence`, with what is
  ///   missing, where only biometry meets it and no authenticator is available: the keychain then stores no authenticator either;
  ///   `.passcodeNotSet`; `.presence(.credentialMissing)` for an application password that the consent does not bring.
  func prepare(_ control: AccessControl, consent: Consent) throws(StoreError) -> PreparedControl

  /// Asks for what `control` wants, unless the consent's session has it already. Never called inside a transaction.
  ///
  /// - Throws: `.invalidated`, `.unavailable`, `.presence`, `.passcodeNotSet`, `.wrongPasscode`, `.passcodeDelayed`.
  func authorize(
    _ control: StoredControl, for operation: PresenceOperation, consent: Consent
  ) throws(StoreError) -> Authorization

  /// Whether ``authorize(_:for:consent:)`` would have to ask somebody.
  func needsInteraction(_ control: StoredControl, consent: Consent) -> Bool

  /// Whether what was consented to in the consent's session still counts for `control`: who may vouch, and what is
  /// enrolled. Nobody is asked.
  ///
  /// - Throws: `.invalidated` if what is enrolled has changed; `.presence` if that cannot be told; `.unavailable`.
  func stillCounts(_ control: StoredControl, consent: Consent) throws(StoreError) -> Bool

  /// Forgets an application password that the user has typed: it proved wrong, and is asked for again. One that the program
  /// has given the session itself stays.
  func forgetApplicationPassword(_ consent: Consent)

  /// Forgets what all sessions hold: the keychain was locked.
  func lock()
}

/// A session that keeps keys for use: until it is invalidated, the keychain is locked, or nobody has used them for 10 s.
package protocol KeyHoldingSession: PresenceSession {
  /// The key of this name, if it is held; asking counts as use.
  func held(_ id: [UInt8]) -> (any LoadedKey)?
  /// Lets go of the key of this name.
  func drop(_ id: [UInt8])
  /// Keeps a key that was consented to in this session; the longest unused one goes where there are 64.
  func hold(_ key: any LoadedKey, id: [UInt8])
}
