package import LatchkeyEnclaveKeys
package import LatchkeyKeychainModel

/// The store's interface to user presence.
package protocol PresenceAuthority: PresenceService {
  /// Prepares the protection of a new item under `control`. Never prompts.
  ///
  /// - Throws: `.unavailable`, naming `LATCHKEY_PRESENCE`, for a constraint that nothing here can meet; `.presence`, with the
  ///   cause, if only biometry meets it and no authenticator is available: the keychain then stores no authenticator either;
  ///   `.passcodeNotSet`; `.presence(.credentialMissing)` if the consent lacks a required application password.
  func prepare(_ control: AccessControl, consent: Consent) throws(StoreError) -> PreparedControl

  /// Obtains the factors that `control` requires, by a prompt unless the consent's session has them already. Never called
  /// inside a transaction.
  ///
  /// - Throws: `.invalidated`, `.unavailable`, `.presence`, `.passcodeNotSet`, `.wrongPasscode`, `.passcodeDelayed`.
  func authorize(
    _ control: StoredControl, for operation: PresenceOperation, consent: Consent
  ) throws(StoreError) -> Authorization

  /// Whether ``authorize(_:for:consent:)`` would have to prompt.
  func needsInteraction(_ control: StoredControl, consent: Consent) -> Bool

  /// Whether the consent given in the consent's session is still valid for `control`, considering the accepted authenticators
  /// and the enrollment. Never prompts.
  ///
  /// - Throws: `.invalidated` if the enrollment has changed; `.presence` if it cannot be determined; `.unavailable`.
  func stillCounts(_ control: StoredControl, consent: Consent) throws(StoreError) -> Bool

  /// Drops a wrong application password that the user has typed, so that the next use prompts again. One that the program has
  /// set in the session stays.
  func forgetApplicationPassword(_ consent: Consent)

  /// Drops the content of all sessions, because the keychain was locked.
  func lock()
}

/// A session that holds keys for use until it is invalidated, the keychain is locked, or the keys have been unused for 10 s.
package protocol KeyHoldingSession: PresenceSession {
  /// Returns the held key with this ID, which counts as use.
  func held(_ id: [UInt8]) -> (any LoadedKey)?
  /// Drops the key with this ID.
  func drop(_ id: [UInt8])
  /// Holds a key to which the user has consented in this session; beyond 64 keys, the least recently used one is dropped.
  func hold(_ key: any LoadedKey, id: [UInt8])
}
