import LatchkeyByteCoding
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
internal import LatchkeySystem
import LatchkeyUserPresence

/// A keychain's enclave: an engine that creates and uses the keys, the keychain's keys that seal their secrets, and user
/// presence, which is checked before use.
///
/// No lock is held during a prompt or an engine's work, so calls block one another only in those.
final class KeychainEnclave: Enclave {
  /// The components of an enclave.
  struct Parts: Sendable {
    /// The keychain's keys and their lock.
    var ring: KeyRing
    /// Checks presence; nil: no prompt is possible, and keys with constraints are `.unavailable`.
    var presence: (any PresenceAuthority)?
    /// The engines that create and use keys.
    var engines: EngineSet
    /// Returns an item's stored representation, nil if the item was deleted.
    var stored: @Sendable (PersistentReference) throws(StoreError) -> [UInt8]?
  }

  /// The size limit of an attestation challenge, in bytes.
  static let maximumChallenge = 1024

  private let parts: Parts
  private let seal: RepresentationSeal
  private let sealer: ConstraintSealer

  init(_ parts: Parts) {
    self.parts = parts
    seal = RepresentationSeal(ring: parts.ring)
    sealer = ConstraintSealer(ring: parts.ring, purpose: .enclave)
  }

  var backend: EnclaveBackend { parts.engines.backend }

  // MARK: Making keys

  func create(_ control: AccessControl, consent: Consent) throws(StoreError) -> EnclaveKey {
    guard control.protection.isThisDeviceOnly else {
      throw .invalidParameter(
        "a key of the enclave stays on this device: its protection must be one of the ThisDeviceOnly ones")
    }
    guard control.flags.isConsistent else {
      throw .invalidParameter("the flags of this access control contradict one another")
    }
    // Fail before any key is created.
    _ = try parts.ring.classKeys(for: control.protection)
    var prepared = try prepare(control, consent)
    defer { prepared.applicationPassword?.wipe() }
    let engine = try parts.engines.engine(for: backend)
    var made = try engine.create(control)
    defer { made.secret.wipe() }
    var representation = KeyRepresentation(
      backend: engine.backend, storeUUID: seal.storeUUID, keyID: RandomBytes.fresh(KeyRepresentation.nameSize),
      stored: prepared.stored, publicKey: made.publicKey, blob: made.blob)
    representation.sealedSecret = try sealer.seal(made.secret, under: prepared, binding: representation.binding)
    // Reopen the result, so that no unreadable key is returned.
    return try key(representation: seal.close(representation))
  }

  private func prepare(_ control: AccessControl, _ consent: Consent) throws(StoreError) -> PreparedControl {
    if let session = consent.session, session.isInvalidated { throw .presence(.invalidContext) }
    if let presence = parts.presence { return try presence.prepare(control, consent: consent) }
    guard !control.isConstrained else { throw Self.nobody }
    return PreparedControl(stored: StoredControl(control: control))
  }

  func key(representation: [UInt8]) throws(StoreError) -> EnclaveKey {
    EnclaveKey(try seal.open(representation), bytes: representation)
  }

  // MARK: Using them

  func sign(digest: [UInt8], with key: EnclaveKey, consent: Consent) throws(StoreError) -> [UInt8] {
    try loaded(key, for: .sign, consent).sign(digest: digest)
  }

  func sharedSecret(
    with peer: [UInt8], by key: EnclaveKey, for operation: PresenceOperation, consent: Consent
  ) throws(StoreError) -> [UInt8] {
    try loaded(key, for: operation, consent).sharedSecret(with: peer)
  }

  func attest(_ key: EnclaveKey, challenge: [UInt8], consent: Consent) throws(StoreError) -> [UInt8] {
    guard (1...Self.maximumChallenge).contains(challenge.count) else {
      throw .invalidParameter("a challenge has 1 to \(Self.maximumChallenge) bytes")
    }
    guard let statement = try loaded(key, for: .sign, consent).attest(challenge: challenge) else {
      throw .unimplemented("the engine \(key.backend.rawValue) makes no statements about its keys")
    }
    return statement
  }

  /// Returns the key loaded for use: the session's held one, or one loaded after the user consents.
  private func loaded(
    _ key: EnclaveKey, for operation: PresenceOperation, _ consent: Consent
  ) throws(StoreError) -> any LoadedKey {
    let session = consent.session as? any KeyHoldingSession
    if let session, let held = session.held(key.id) {
      if try isGood(held, key, consent, session) { return held }
    }
    if let session = consent.session, session.isInvalidated { throw .presence(.invalidContext) }
    let representation = try representation(of: key)
    guard representation.control.flags.contains(.privateKeyUsage) else {
      throw .keyUsage("this key may not be used: its access control lacks the flag privateKeyUsage")
    }
    // Fail before the prompt if the key would stay unavailable.
    _ = try parts.ring.classKeys(for: representation.control.protection)
    let loaded = LockBoundKey(
      try load(representation, operation, consent), control: representation.stored, ring: parts.ring)
    session?.hold(loaded, id: key.id)
    return loaded
  }

  /// Whether a held key may still be used: its item exists, and the consent is still valid. Otherwise the session drops it.
  private func isGood(
    _ held: any LoadedKey, _ key: EnclaveKey, _ consent: Consent, _ session: any KeyHoldingSession
  ) throws(StoreError) -> Bool {
    do throws(StoreError) {
      if let reference = key.reference, try parts.stored(reference) == nil { throw .itemNotFound }
      guard let guarded = held as? LockBoundKey,
        try parts.presence?.stillCounts(guarded.control, consent: consent) ?? true
      else {
        session.drop(key.id)
        return false
      }
      return true
    } catch {
      session.drop(key.id)
      throw error
    }
  }

  private func authorize(
    _ control: StoredControl, _ operation: PresenceOperation, _ consent: Consent
  ) throws(StoreError) -> Authorization {
    if !control.isConstrained { return .none }
    guard let presence = parts.presence else { throw Self.nobody }
    return try presence.authorize(control, for: operation, consent: consent)
  }

  private func load(
    _ representation: KeyRepresentation, _ operation: PresenceOperation, _ consent: Consent
  ) throws(StoreError) -> any LoadedKey {
    let engine = try parts.engines.engine(for: representation.backend)
    var authorization = try authorize(representation.stored, operation, consent)
    defer { authorization.applicationPassword?.wipe() }
    var secret = try open(representation, authorization, consent)
    defer { secret.wipe() }
    return try engine.load(
      publicKey: representation.publicKey, blob: representation.blob, secret: secret, control: representation.control)
  }

  private func open(
    _ representation: KeyRepresentation, _ authorization: Authorization, _ consent: Consent
  ) throws(StoreError) -> [UInt8] {
    do throws(StoreError) {
      return try sealer.open(
        representation.sealedSecret, under: representation.stored, with: authorization,
        binding: representation.binding)
    } catch {
      // The password was wrong, so the next use prompts for it again.
      if case .presence(.authenticationFailed) = error { parts.presence?.forgetApplicationPassword(consent) }
      throw error
    }
  }

  /// Reads the stored representation of a key. The caller's value must agree with it.
  private func representation(of key: EnclaveKey) throws(StoreError) -> KeyRepresentation {
    let bytes: [UInt8]
    if let reference = key.reference {
      guard let stored = try parts.stored(reference) else { throw .itemNotFound }
      bytes = stored
    } else {
      bytes = key.representation
    }
    let representation = try seal.open(bytes)
    guard representation.keyID == key.id, representation.publicKey == key.publicKey,
      representation.control == key.control, representation.backend == key.backend
    else { throw .damaged("a key of the enclave is not the one that it was") }
    return representation
  }

  func isInvalidated(_ key: EnclaveKey) throws(StoreError) -> Bool {
    try parts.presence?.isLost(try representation(of: key).stored) ?? false
  }

  private static let nobody = StoreError.unavailable(
    "the key's access control has constraints, and nobody can be asked here: set LATCHKEY_PRESENCE")
}

extension EnclaveKey {
  /// Creates the public value of a key from its verified representation.
  init(_ representation: KeyRepresentation, bytes: [UInt8]) {
    self.init(
      id: representation.keyID, publicKey: representation.publicKey, control: representation.control,
      backend: representation.backend, representation: bytes)
  }
}
