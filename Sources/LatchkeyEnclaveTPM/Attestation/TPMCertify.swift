#if TPM
  import CLatchkeyTSS2
  import Crypto
  import LatchkeyEnclaveKeys

  extension TPMConnection {
    /// Certifies a loaded object, whose authorization value is set, with the attestation key (Part 3, 18.2): the key signs the
    /// object's name, which is its public area's digest. The qualifying data is `challenge`'s SHA-256.
    ///
    /// The object's authorization value authorizes the command, even if its use requires a policy: TPM2_Certify requires the
    /// administrator role, which has no policy of its own here.
    func certify(
      _ object: UInt32, publicArea: [UInt8], challenge: [UInt8], chain: TPMAttestationChain?
    ) throws(TPMFailure) -> TPMStatement {
      let session = try sessions.authorization(TPM2.Session.decrypt | TPM2.Session.encrypt, on: self)
      return try slots.withAttestationKey(on: self) { (signer) throws(TPMFailure) in
        let certificates: [[UInt8]]
        if let chain { certificates = try chain.certificates(for: try readPublic(signer)) } else { certificates = [] }
        var qualifying = TPM2B_DATA()
        _ = TPMBuffer.fill(&qualifying, with: Array(SHA256.hash(data: challenge)))
        var scheme = TPMT_SIG_SCHEME()
        scheme.scheme = TPM2.Algorithm.null
        var answers: (UnsafeMutablePointer<TPM2B_ATTEST>?, UnsafeMutablePointer<TPMT_SIGNATURE>?)
        try call("TPM2_Certify") {
          Esys_Certify(
            $0, object, signer, session, ESYS_TR_PASSWORD, ESYS_TR_NONE, &qualifying, &scheme, &answers.0, &answers.1)
        }
        guard let info = TPMAnswer(answers.0), let signature = TPMAnswer(answers.1) else {
          throw .nothing("TPM2_Certify")
        }
        return TPMStatement(
          algorithm: -7, certificates: certificates, signature: try TPMMarshalling.bytes(of: signature.value),
          certifyInfo: TPMBuffer.bytes(of: info.value), publicArea: publicArea)
      }
    }

    /// Reads an object's public area from the TPM.
    func readPublic(_ handle: UInt32) throws(TPMFailure) -> TPM2B_PUBLIC {
      var area: UnsafeMutablePointer<TPM2B_PUBLIC>?
      try call("TPM2_ReadPublic") {
        Esys_ReadPublic($0, handle, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &area, nil, nil)
      }
      guard let answer = TPMAnswer(area) else { throw .nothing("TPM2_ReadPublic") }
      return answer.value
    }
  }
#endif
