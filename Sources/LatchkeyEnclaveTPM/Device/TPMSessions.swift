#if TPM
  import CLatchkeyTSS2

  /// The sessions of a connection, reused between commands: one for authorization values, and one for policies.
  ///
  /// Both are salted with the storage primary: a listener on the bus learns neither the values nor the parameters encrypted
  /// with them, and a changed command or response is detected (Part 1, 19.6).
  final class TPMSessions {
    private var hmac: UInt32?
    private var policy: UInt32?

    /// Returns the session for authorization values, with these attributes (and `continue`).
    func authorization(_ attributes: UInt8, on connection: TPMConnection) throws(TPMFailure) -> UInt32 {
      let session: UInt32
      if let hmac { session = hmac } else { session = try start(TPM2.SessionKind.hmac, on: connection) }
      hmac = session
      try set(attributes, of: session, on: connection)
      return session
    }

    /// Returns the policy session with these attributes. Its policy must be satisfied for each command: a TPM resets the
    /// session's policy once it has authorized one.
    func policy(_ attributes: UInt8, on connection: TPMConnection) throws(TPMFailure) -> UInt32 {
      let session: UInt32
      if let policy { session = policy } else { session = try start(TPM2.SessionKind.policy, on: connection) }
      policy = session
      try set(attributes, of: session, on: connection)
      return session
    }

    /// Returns the policy session after TPM2_PolicyAuthValue (Part 3, 23.17).
    func authorizationPolicy(_ attributes: UInt8, on connection: TPMConnection) throws(TPMFailure) -> UInt32 {
      let session = try policy(attributes, on: connection)
      try connection.call("TPM2_PolicyAuthValue") {
        Esys_PolicyAuthValue($0, session, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE)
      }
      return session
    }

    /// Flushes both sessions.
    func flushAll(_ connection: TPMConnection) {
      for handle in forget() { connection.flush(handle) }
    }

    /// Drops both sessions, and returns their handles.
    func forget() -> [UInt32] {
      defer { (hmac, policy) = (nil, nil) }
      return [hmac, policy].compactMap { $0 }
    }

    private func start(_ kind: UInt8, on connection: TPMConnection) throws(TPMFailure) -> UInt32 {
      let primary = try connection.slots.storagePrimary(on: connection)
      var symmetric = TPMT_SYM_DEF()
      symmetric.algorithm = TPM2.Algorithm.aes
      symmetric.keyBits.aes = 128
      symmetric.mode.aes = TPM2.Algorithm.cfb
      var session: UInt32 = ESYS_TR_NONE
      try connection.call("TPM2_StartAuthSession") {
        Esys_StartAuthSession(
          $0, primary, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, nil, kind, &symmetric,
          TPM2.Algorithm.sha256, &session)
      }
      return session
    }

    private func set(_ attributes: UInt8, of session: UInt32, on connection: TPMConnection) throws(TPMFailure) {
      try connection.local("Esys_TRSess_SetAttributes") {
        Esys_TRSess_SetAttributes($0, session, attributes | TPM2.Session.continue, 0xFF)
      }
    }
  }
#endif
