#if TPM
  import CLatchkeyTSS2

  /// The sessions of a connection, kept from one command to the next: one that authorizes by authorization values, and one
  /// that does so under a policy.
  ///
  /// Both are salted with the storage primary: anyone who listens on the bus learns neither the values, nor what is encrypted
  /// with them, and anyone who changes a command or an answer is noticed (Part 1, 19.6).
  final class TPMSessions {
    private var hmac: UInt32?
    private var policy: UInt32?

    /// The session for authorization values, with these attributes (beside `continue`).
    func authorization(_ attributes: UInt8, on connection: TPMConnection) throws(TPMFailure) -> UInt32 {
      let session: UInt32
      if let hmac { session = hmac } else { session = try start(TPM2.SessionKind.hmac, on: connection) }
      hmac = session
      try set(attributes, of: session, on: connection)
      return session
    }

    /// The policy session with these attributes. What the policy asks for is to be given each time: a TPM forgets it once
    /// the session has authorized a command.
    func policy(_ attributes: UInt8, on connection: TPMConnection) throws(TPMFailure) -> UInt32 {
      let session: UInt32
      if let policy { session = policy } else { session = try start(TPM2.SessionKind.policy, on: connection) }
      policy = session
      try set(attributes, of: session, on: connection)
      return session
    }

    /// The policy session in which the authorization value will be asked for (Part 3, 23.17).
    func authorizationPolicy(_ attributes: UInt8, on connection: TPMConnection) throws(TPMFailure) -> UInt32 {
      let session = try policy(attributes, on: connection)
      try connection.call("TPM2_PolicyAuthValue") {
        Esys_PolicyAuthValue($0, session, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE)
      }
      return session
    }

    /// Ends them.
    func flushAll(_ connection: TPMConnection) {
      for handle in forget() { connection.flush(handle) }
    }

    /// Forgets them, and returns what they were.
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
