#if TPM
  import CLatchkeyTSS2
  package import LatchkeyKeychainModel

  /// A key of the TPM in the form that a certificate authority needs.
  package struct TPMPublicKey: Hashable, Sendable {
    /// The point in X9.63 form: 65 bytes.
    package var publicKey: [UInt8]
    /// TPM2B_PUBLIC with its length; without its first two bytes it is TPMT_PUBLIC.
    package var publicArea: [UInt8]
    /// The name: 00 0B and SHA-256 of TPMT_PUBLIC.
    package var name: [UInt8]
  }

  /// The TPM's endorsement key and the manufacturer's certificates.
  package struct TPMEndorsement: Hashable, Sendable {
    /// The endorsement key on P-256.
    package var key: TPMPublicKey
    /// Its certificate in DER, if the manufacturer stored one (NV index 0x01C0000A).
    package var certificate: [UInt8]?
    /// The certificate of the TPM's RSA endorsement key, if the manufacturer stored one (NV index 0x01C00002).
    package var certificateRSA: [UInt8]?
  }

  extension TPMEngine {
    /// Returns the attestation key, the same each time. A verifier without its certificates must pin it.
    package func attestationKey() throws(StoreError) -> TPMPublicKey {
      try onDevice { (connection) throws(TPMFailure) in
        try connection.slots.withAttestationKey(on: connection) { (handle) throws(TPMFailure) in
          try connection.publicKey(handle)
        }
      }
    }

    /// Returns the endorsement key and the manufacturer's certificates.
    package func endorsement() throws(StoreError) -> TPMEndorsement {
      try onDevice { (connection) throws(TPMFailure) in
        let key = try connection.slots.withEndorsementKey(on: connection) { (handle) throws(TPMFailure) in
          try connection.publicKey(handle)
        }
        return TPMEndorsement(
          key: key, certificate: try connection.certificate(0x01C0_000A),
          certificateRSA: try connection.certificate(0x01C0_0002))
      }
    }

    /// Opens a credential that a certificate authority encrypted to the endorsement key for the attestation key's name (Part 3,
    /// 12.5). Success proves that both keys are in one TPM.
    ///
    /// - Parameters:
    ///   - credential: TPM2B_ID_OBJECT without its length.
    ///   - secret: TPM2B_ENCRYPTED_SECRET without its length.
    /// - Throws: `.invalidParameter` for an input that is too long; `.foreignKey` for a credential of another TPM or key;
    ///   `.hardware`.
    package func activate(credential: [UInt8], secret: [UInt8]) throws(StoreError) -> [UInt8] {
      var identity = TPM2B_ID_OBJECT()
      var encrypted = TPM2B_ENCRYPTED_SECRET()
      guard TPMBuffer.fill(&identity, with: credential), TPMBuffer.fill(&encrypted, with: secret) else {
        throw .invalidParameter("a credential of this length is none")
      }
      return try onDevice { (connection) throws(TPMFailure) in
        let session = try connection.sessions.policy(TPM2.Session.encrypt, on: connection)
        return try connection.slots.withAttestationKey(on: connection) { (attestation) throws(TPMFailure) in
          try connection.slots.withEndorsementKey(on: connection) { (endorsement) throws(TPMFailure) in
            try connection.call("TPM2_PolicySecret") {
              Esys_PolicySecret(
                $0, ESYS_TR_RH_ENDORSEMENT, session, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, nil, nil, nil, 0,
                nil,
                nil)
            }
            var opened: UnsafeMutablePointer<TPM2B_DIGEST>?
            var identity = identity
            var encrypted = encrypted
            try connection.call(TPM2.activateCredential) {
              Esys_ActivateCredential(
                $0, attestation, endorsement, ESYS_TR_PASSWORD, session, ESYS_TR_NONE, &identity, &encrypted, &opened)
            }
            guard let answer = TPMAnswer(opened) else { throw .nothing(TPM2.activateCredential) }
            return TPMBuffer.bytes(of: answer.value)
          }
        }
      }
    }

    private func onDevice<Value>(
      _ body: (TPMConnection) throws(TPMFailure) -> Value
    ) throws(StoreError) -> Value {
      do throws(TPMFailure) {
        return try device.perform(body)
      } catch {
        throw StoreError(error)
      }
    }
  }

  extension TPMConnection {
    fileprivate func publicKey(_ handle: UInt32) throws(TPMFailure) -> TPMPublicKey {
      let area = try readPublic(handle)
      guard let point = area.point else { throw .nothing("TPM2_ReadPublic") }
      return TPMPublicKey(
        publicKey: point, publicArea: try TPMMarshalling.bytes(of: area), name: try name(of: handle))
    }

    /// Reads an NV index of the manufacturer; nil if it does not exist. Reading needs no authorization.
    fileprivate func certificate(_ index: UInt32) throws(TPMFailure) -> [UInt8]? {
      try withNVIndex(index) { (handle) throws(TPMFailure) in
        guard let handle else { return nil }
        var area: UnsafeMutablePointer<TPM2B_NV_PUBLIC>?
        try call("TPM2_NV_ReadPublic") {
          Esys_NV_ReadPublic($0, handle, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &area, nil)
        }
        guard let answer = TPMAnswer(area) else { throw .nothing("TPM2_NV_ReadPublic") }
        let size = Int(answer.value.nvPublic.dataSize)
        var bytes: [UInt8] = []
        while bytes.count < size {
          var part = try readNV(handle, ESYS_TR_PASSWORD, min(512, size - bytes.count), at: bytes.count)
          guard !part.isEmpty else { throw .nothing("TPM2_NV_Read") }
          part = Array(part.prefix(size - bytes.count))
          bytes += part
        }
        return bytes
      }
    }
  }
#endif
