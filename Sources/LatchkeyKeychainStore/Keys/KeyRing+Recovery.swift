import Crypto
package import LatchkeyAgeEncryption
import LatchkeyByteCoding
package import LatchkeyKeychainModel
import LatchkeySecretData
import Synchronization

// The recovery record: the user root, and with a passcode the presence key's private half, in an age file to recipients whose
// identities are stored elsewhere. The device root wraps the file, so an identity alone opens nothing. The device root suffices
// to write records, so a MAC under the user root proves that the user chose the recipients; otherwise the next rotation would
// seal the new keys to an attacker.
extension KeyRing {
  /// The limit of recipients in a record.
  package static let maximumRecoveryRecipients = KeyRecord.maximumParameters / 32 - 1

  /// The change that a rotation makes to the recovery record.
  enum RecoveryChange {
    case keep
    /// Sets these recipients; an empty array removes the record.
    case set([AgeRecipient])
  }

  /// The content that a recovery identity has opened.
  package struct Recovered: Sendable {
    let userRoot: SymmetricKey
    let presenceKey: Curve25519.KeyAgreement.PrivateKey?
    let record: KeyRecord
  }

  /// The recipients whose identities open the user root.
  package var recoveryRecipients: [AgeRecipient] {
    state.withLock { $0.records.recoveryRecord }?.recipients ?? []
  }

  /// Opens the recovery record.
  ///
  /// - Throws: `.unavailable` if there is none, or no given identity is a recipient; `.damaged`.
  package func recovered(by identities: [AgeIdentity]) throws(StoreError) -> Recovered {
    guard let record = state.withLock({ $0.records.recoveryRecord }) else {
      throw .unavailable("the keychain has no recovery recipient: `latchkey keychain recovery set` sets one")
    }
    let sealed = try RecoverySeal(record, under: deviceWrap, seal: seal)
    var secret = try sealed.open(identities)
    defer { secret.wipe() }
    var first = Array(secret.prefix(RootKey.byteCount))
    var rest = Array(secret.dropFirst(RootKey.byteCount))
    defer { rest.wipe() }
    let userRoot = SymmetricKey(consuming: &first)
    try sealed.verify(by: userRoot, storeUUID)
    let presence = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: rest)
    guard (presence == nil) == rest.isEmpty else { throw .damaged("the recovery record holds no presence key") }
    return Recovered(userRoot: userRoot, presenceKey: presence, record: record)
  }

  /// Unlocks with a recovery identity.
  ///
  /// - Throws: `.busy` if another process has changed the keys since.
  func unlock(after recovered: Recovered, path: String) throws(StoreError) {
    try state.withLock { (state) throws(StoreError) in
      guard state.records.recoveryRecord == recovered.record else { throw .busy(path: path) }
      var next = state
      try Self.unlock(&next, userRoot: recovered.userRoot, storeUUID: storeUUID, seal: seal)
      state = next
    }
  }

  /// Creates new keys under a new passcode, authorized by a recovery identity instead of the previous passcode.
  ///
  /// - Throws: `.passcodeRefused`; `.wrongPasscode` if another process has changed the keys since.
  package func resettingPasscode(_ new: [UInt8], after recovered: Recovered) throws(StoreError) -> KeyRotation {
    try PasscodeRule.validate(new, takesWeak: cost.takesWeakPasscodes)
    let before = state.withLock { $0 }
    guard before.records.recoveryRecord == recovered.record else { throw .wrongPasscode(attemptsBeforeDelay: 0) }
    let parameters = cost.newParameters()
    let key = try PasscodeKey(passcode: new, parameters: parameters, root: root, storeUUID: storeUUID)
    return try rotation(
      of: before, userRoot: recovered.userRoot, presence: recovered.presenceKey, to: .passcode(key, parameters))
  }

  /// Seals the recovery record of a rotation; nil if there are no recipients.
  ///
  /// - Throws: `.damaged` if the stored recipients are not authentic.
  func recoveryRecord(
    of state: State, userRoot old: SymmetricKey, _ change: RecoveryChange, _ new: RecoverySeal.Keys, epoch: UInt32,
    under device: SymmetricKey, seal newSeal: RecordSeal
  ) throws(StoreError) -> KeyRecord? {
    let recipients: [AgeRecipient]
    switch change {
    case .set(let chosen): recipients = chosen
    case .keep:
      guard let record = state.records.recoveryRecord else { return nil }
      try RecoverySeal(record, under: deviceWrap, seal: seal).verify(by: old, storeUUID)
      recipients = record.recipients
    }
    guard !recipients.isEmpty else { return nil }
    return try RecoverySeal.record(recipients, new, storeUUID, epoch: epoch, under: device, seal: newSeal)
  }
}

/// The content of a recovery record: a MAC under the user root, then an age file with the user root and the presence key.
struct RecoverySeal {
  private let record: KeyRecord
  private let mac: [UInt8]
  private let file: [UInt8]

  /// The keys in the file.
  struct Keys {
    let userRoot: SymmetricKey
    let presenceKey: Curve25519.KeyAgreement.PrivateKey?
  }

  /// - Throws: `.damaged`.
  init(_ record: KeyRecord, under device: SymmetricKey, seal: RecordSeal) throws(StoreError) {
    guard let opened = record.open(under: device, seal: seal), opened.count > 32 else {
      throw .damaged("the recovery record does not open")
    }
    self.record = record
    mac = Array(opened.prefix(32))
    file = Array(opened.dropFirst(32))
  }

  /// Decrypts the age file: 32 bytes of the user root, and 32 of the presence key if there is a passcode.
  ///
  /// - Throws: `.unavailable` if no identity opens it; `.damaged`.
  func open(_ identities: [AgeIdentity]) throws(StoreError) -> [UInt8] {
    let secret: [UInt8]
    do {
      secret = try AgeDecryptor.decrypt(file, .identities(identities))
    } catch .noMatch {
      throw .unavailable(
        "the identity is of none of the keychain's recovery recipients: `latchkey keychain recovery` names them")
    } catch {
      throw .damaged("the recovery record: \(error)")
    }
    guard secret.count == 32 || secret.count == 64 else { throw .damaged("the recovery record holds no keys") }
    return secret
  }

  /// - Throws: `.damaged` if the recipients were not authenticated by this user root.
  func verify(by userRoot: SymmetricKey, _ storeUUID: [UInt8]) throws(StoreError) {
    guard constantTimeEquals(mac, Self.mac(record.parameters, file, userRoot, storeUUID)) else {
      throw .damaged(
        "the recovery recipients were altered: set them again (latchkey keychain recovery set), or remove them")
    }
  }

  static func record(
    _ recipients: [AgeRecipient], _ keys: Keys, _ storeUUID: [UInt8], epoch: UInt32, under device: SymmetricKey,
    seal: RecordSeal
  ) throws(StoreError) -> KeyRecord {
    var secret = keys.userRoot.exposedBytes
    if let presence = keys.presenceKey {
      var bytes = presence.rawBytes
      secret += bytes
      bytes.wipe()
    }
    defer { secret.wipe() }
    let file: [UInt8]
    do {
      file = try AgeEncryptor.encrypt(secret, for: .recipients(recipients)) { count in
        SymmetricKey(size: SymmetricKeySize(bitCount: 8 * count)).exposedBytes
      }
    } catch {
      throw .invalidParameter("a recovery recipient takes no key: \(error)")
    }
    let parameters = recipients.flatMap(\.publicKey)
    return try KeyRecord.seal(
      mac(parameters, file, keys.userRoot, storeUUID) + file, kind: .recovery, epoch: epoch, parameters: parameters,
      under: device, seal: seal)
  }

  private static func mac(
    _ parameters: [UInt8], _ file: [UInt8], _ userRoot: SymmetricKey, _ storeUUID: [UInt8]
  ) -> [UInt8] {
    Array(
      HMAC<SHA256>.authenticationCode(
        for: Array(SHA256.hash(data: parameters)) + file,
        using: userRoot.derive("recovery recipients", storeUUID: storeUUID)))
  }
}

extension KeyRecord {
  /// The recipients of a recovery record.
  var recipients: [AgeRecipient] {
    stride(from: 0, to: parameters.count, by: 32).compactMap {
      try? AgeRecipient(publicKey: Array(parameters[$0..<min($0 + 32, parameters.count)]))
    }
  }
}
