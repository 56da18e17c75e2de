#if TPM
  import CLatchkeyTSS2
  import Crypto
  import LatchkeyByteCoding
  import LatchkeyEnclaveKeys
  import LatchkeyKeychainModel

  /// A loaded key: its blob and its authorization value. It stays in the TPM until another object needs the slot, and is then
  /// loaded again on use.
  final class TPMLoadedKey: LoadedKey {
    private let engine: TPMEngine
    private let number: UInt64
    private let parts: TPMBlob
    private let publicArea: TPM2B_PUBLIC
    private let asksForPolicy: Bool
    /// Written again only at the end, to wipe it.
    private nonisolated(unsafe) var secret: [UInt8]

    init(
      engine: TPMEngine, number: UInt64, parts: TPMBlob, publicArea: TPM2B_PUBLIC, secret: [UInt8], asksForPolicy: Bool
    ) {
      self.engine = engine
      self.number = number
      self.parts = parts
      self.publicArea = publicArea
      self.asksForPolicy = asksForPolicy
      // A separate array, so that wiping reaches it.
      self.secret = secret.map { $0 }
    }

    deinit {
      secret.wipe()
      let identity = TPMSlots.Identity.key(number)
      engine.device.performLater { (connection) throws(TPMFailure) in
        connection.slots.discard(identity, on: connection)
      }
    }

    func sign(digest: [UInt8]) throws(StoreError) -> [UInt8] {
      guard (1...64).contains(digest.count) else {
        throw .invalidParameter("a digest has 1 to 64 bytes, not \(digest.count)")
      }
      // ECDSA uses the first bits of a longer digest, and a shorter one is a smaller number (FIPS 186-4 6.4). The TPM requires
      // as many bytes as the scheme's hash has.
      let number = TPMBuffer.number(Array(digest.prefix(32)))
      return try perform { (connection, handle) throws(TPMFailure) in
        let session = try self.session(TPM2.Session.decrypt, on: connection)
        var value = TPM2B_DIGEST()
        _ = TPMBuffer.fill(&value, with: number)
        var scheme = TPMT_SIG_SCHEME()
        scheme.scheme = TPM2.Algorithm.ecdsa
        scheme.details.ecdsa.hashAlg = TPM2.Algorithm.sha256
        var validation = TPMT_TK_HASHCHECK()
        validation.tag = TPM2.hashCheckTag
        validation.hierarchy = TPM2.Handle.null
        var signature: UnsafeMutablePointer<TPMT_SIGNATURE>?
        try connection.call("TPM2_Sign") {
          Esys_Sign($0, handle, session, ESYS_TR_NONE, ESYS_TR_NONE, &value, &scheme, &validation, &signature)
        }
        guard let answer = TPMAnswer(signature), answer.value.sigAlg == TPM2.Algorithm.ecdsa else {
          throw .nothing("TPM2_Sign")
        }
        let ecdsa = answer.value.signature.ecdsa
        return TPMBuffer.number(TPMBuffer.bytes(of: ecdsa.signatureR))
          + TPMBuffer.number(TPMBuffer.bytes(of: ecdsa.signatureS))
      }
    }

    func sharedSecret(with peer: [UInt8]) throws(StoreError) -> [UInt8] {
      // The TPM checks, too; but an invalid point need not wait in the queue.
      guard peer.count == 65, (try? P256.KeyAgreement.PublicKey(x963Representation: peer)) != nil else {
        throw .invalidParameter("the other side's key is no point of P-256 in X9.63 form")
      }
      return try perform { (connection, handle) throws(TPMFailure) in
        let session = try self.session(TPM2.Session.decrypt | TPM2.Session.encrypt, on: connection)
        var point = TPM2B_ECC_POINT()
        _ = TPMBuffer.fill(&point.point.x, with: Array(peer[1..<33]))
        _ = TPMBuffer.fill(&point.point.y, with: Array(peer[33..<65]))
        var shared: UnsafeMutablePointer<TPM2B_ECC_POINT>?
        do throws(TPMFailure) {
          try connection.call("TPM2_ECDH_ZGen") {
            Esys_ECDH_ZGen($0, handle, session, ESYS_TR_NONE, ESYS_TR_NONE, &point, &shared)
          }
        } catch {
          guard error.kind == TPM2.Code.eccPoint else { throw error }
          throw .store(.invalidParameter("the TPM says that the other side's key is no point of P-256"))
        }
        guard let answer = TPMAnswer(shared) else { throw .nothing("TPM2_ECDH_ZGen") }
        var x = TPMBuffer.bytes(of: answer.value.point.x)
        defer { x.wipe() }
        return TPMBuffer.number(x)
      }
    }

    func attest(challenge: [UInt8]) throws(StoreError) -> [UInt8]? {
      let chain = try engine.attestationChainPath.map { path throws(StoreError) in try TPMAttestationChain(path: path) }
      return try perform { (connection, handle) throws(TPMFailure) in
        let statement = try connection.certify(
          handle, publicArea: Array(parts.publicArea.dropFirst(2)), challenge: challenge, chain: chain)
        return statement.object.encoded
      }
    }

    /// Runs `body` with the key's handle and its authorization value set.
    func perform<Value>(
      _ body: (TPMConnection, UInt32) throws(TPMFailure) -> Value
    ) throws(StoreError) -> Value {
      do throws(TPMFailure) {
        return try engine.device.perform { (connection) throws(TPMFailure) in
          try withHandle(on: connection) { (handle) throws(TPMFailure) in
            try connection.withAuthorization(secret, of: handle) { () throws(TPMFailure) in
              try body(connection, handle)
            }
          }
        }
      } catch {
        throw StoreError(error)
      }
    }

    /// Runs `body` with the key's handle.
    func withHandle<Value>(
      on connection: TPMConnection, _ body: (UInt32) throws(TPMFailure) -> Value
    ) throws(TPMFailure) -> Value {
      try connection.slots.with(.key(number), on: connection) { () throws(TPMFailure) in
        try connection.load(parts)
      } _: { (handle) throws(TPMFailure) in
        try body(handle)
      }
    }

    /// Returns the session for the key's use: under its policy, if it has one.
    private func session(_ attributes: UInt8, on connection: TPMConnection) throws(TPMFailure) -> UInt32 {
      asksForPolicy
        ? try connection.sessions.authorizationPolicy(attributes, on: connection)
        : try connection.sessions.authorization(attributes, on: connection)
    }
  }
#endif
