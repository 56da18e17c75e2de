#if TPM
  import CLatchkeyTSS2
  import LatchkeyByteCoding
  public import LatchkeyEnclaveKeys
  public import LatchkeyKeychainModel

  /// An engine whose keys are generated in a TPM 2.0 and never leave it.
  ///
  /// The stored form of a key is its blob, encrypted by the TPM, and a random authorization value, which the keychain seals
  /// under the key's access control. Each use sends the value to the TPM through a salted session. For a key with constraints
  /// the TPM itself counts wrong values and locks itself.
  public final class TPMEngine: KeyEngine {
    /// The TPM.
    public let device: TPMDevice
    /// The path of a PEM file with the attestation key's certificates, its own first; nil: attestations contain none.
    public let attestationChainPath: String?

    /// `.tpm2`.
    public var backend: EnclaveBackend { .tpm2 }

    /// Creates an engine over a TPM, without sending a command.
    public init(device: TPMDevice, attestationChainPath: String? = nil) {
      self.device = device
      self.attestationChainPath = attestationChainPath
    }

    /// Creates an engine over the TPM at `tcti`, in tpm2-tss's form.
    public convenience init(tcti: String = TPMDevice.defaultTCTI, attestationChainPath: String? = nil) {
      self.init(device: TPMDevice(tcti: tcti), attestationChainPath: attestationChainPath)
    }

    /// Generates a key; the TPM stores nothing.
    ///
    /// - Throws: `.hardware`.
    public func create(_ control: AccessControl) throws(StoreError) -> CreatedKey {
      do throws(TPMFailure) {
        return try device.perform { (connection) throws(TPMFailure) in
          // The TPM's manufacturer could know a value of the TPM's source alone, so both sources contribute.
          var secret = try connection.random(32)
          var generator = SystemRandomNumberGenerator()
          for index in secret.indices { secret[index] ^= UInt8.random(in: 0...255, using: &generator) }
          defer { secret.wipe() }
          let (blob, area) = try connection.create(
            TPMTemplate.key(isConstrained: control.isConstrained), authorization: secret, data: [])
          guard let point = area.point else { throw .nothing("TPM2_Create") }
          return CreatedKey(publicKey: point, blob: blob.bytes, secret: Array(secret))
        }
      } catch {
        throw StoreError(error)
      }
    }

    /// Loads a key. After a TPM reset or a lost connection it is loaded again automatically.
    ///
    /// - Throws: `.foreignKey` for a blob of another TPM, or of this one before it was cleared; `.damaged`; `.hardware`.
    public func load(
      publicKey: [UInt8], blob: [UInt8], secret: [UInt8], control: AccessControl
    ) throws(StoreError) -> any LoadedKey {
      let parts: TPMBlob
      do {
        parts = try TPMBlob(bytes: blob)
      } catch {
        throw .damaged("a TPM's blob is malformed: \(error)")
      }
      do throws(TPMFailure) {
        let area = try TPMMarshalling.publicArea(parts.publicArea)
        guard area.point == publicKey else { throw .store(.damaged("a TPM's blob is of another key")) }
        let asksForPolicy = area.publicArea.objectAttributes & TPM2.Object.userWithAuth == 0
        guard asksForPolicy == control.isConstrained else {
          throw .store(.damaged("what a TPM's blob asks for is not what its key's access control does"))
        }
        let key = TPMLoadedKey(
          engine: self, number: device.nextNumber(), parts: parts, publicArea: area, secret: secret,
          asksForPolicy: asksForPolicy)
        try device.perform { (connection) throws(TPMFailure) in
          try key.withHandle(on: connection) { (_) throws(TPMFailure) in }
        }
        return key
      } catch {
        throw StoreError(error)
      }
    }
  }

  extension TPMConnection {
    /// Creates an object under the storage primary, without loading it.
    func create(
      _ template: TPM2B_PUBLIC, authorization: [UInt8], data: [UInt8], extra: [UInt8] = []
    ) throws(TPMFailure) -> (blob: TPMBlob, publicArea: TPM2B_PUBLIC) {
      var sensitive = TPM2B_SENSITIVE_CREATE()
      defer { wipeBits(of: &sensitive) }
      guard TPMBuffer.fill(&sensitive.sensitive.userAuth, with: authorization),
        TPMBuffer.fill(&sensitive.sensitive.data, with: data)
      else { throw .store(.invalidParameter("a TPM seals at most 128 bytes")) }
      let session = try sessions.authorization(TPM2.Session.decrypt, on: self)
      return try slots.withStoragePrimary(on: self) { (parent) throws(TPMFailure) in
        try slots.makeRoom(on: self)
        var template = template
        var outside = TPM2B_DATA()
        var registers = TPML_PCR_SELECTION()
        var made: (UnsafeMutablePointer<TPM2B_PRIVATE>?, UnsafeMutablePointer<TPM2B_PUBLIC>?)
        try call("TPM2_Create") {
          Esys_Create(
            $0, parent, session, ESYS_TR_NONE, ESYS_TR_NONE, &sensitive, &template, &outside, &registers, &made.0,
            &made.1,
            nil, nil, nil)
        }
        guard let privateArea = TPMAnswer(made.0), let publicArea = TPMAnswer(made.1) else {
          throw .nothing("TPM2_Create")
        }
        let blob = TPMBlob(
          parentName: try name(of: parent), publicArea: try TPMMarshalling.bytes(of: publicArea.value),
          privateArea: try TPMMarshalling.bytes(of: privateArea.value), extra: extra)
        return (blob, publicArea.value)
      }
    }

    /// Loads such an object, and returns its handle.
    ///
    /// - Throws: `.foreignKey` if this TPM did not create it.
    func load(_ blob: TPMBlob) throws(TPMFailure) -> UInt32 {
      var publicArea = try TPMMarshalling.publicArea(blob.publicArea)
      var privateArea = try TPMMarshalling.privateArea(blob.privateArea)
      return try slots.withStoragePrimary(on: self) { (parent) throws(TPMFailure) in
        guard try name(of: parent) == blob.parentName else {
          throw .store(
            .foreignKey(
              "the key was made in another TPM, or in this one before it was cleared: it can be used nowhere else; make a "
                + "new one"))
        }
        try slots.makeRoom(on: self)
        var handle: UInt32 = ESYS_TR_NONE
        // The primary's authorization value is empty and no parameter is secret, so a session has no benefit.
        try call("TPM2_Load") {
          Esys_Load($0, parent, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, &privateArea, &publicArea, &handle)
        }
        return handle
      }
    }
  }
#endif
