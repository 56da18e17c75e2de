#if TPM
  import CLatchkeyTSS2
  import Crypto
  import LatchkeyEnclaveKeys

  extension TPMConnection {
    /// Has the attestation key sign what the TPM knows of an object whose authorization value is set (Part 3, 18.2): its
    /// name, which is its public area's digest. `challenge` goes in as its SHA-256.
    ///
    /// The object's own authorization is proven by its value, also where its use asks for a policy: TPM2_Certify wants the
    /// role of its administrator, and that has no policy of its own here.
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

    /// An object's public area, as the TPM has it.
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
