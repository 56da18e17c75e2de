package import Crypto
import Foundation
import LatchkeyByteCoding
package import LatchkeyKeychainModel
import Synchronization

// The presence key. Secrets that only the passcode opens are sealed to its public half, which is not secret. The private half
// is returned to the caller that has the passcode, and is never stored in the ring.
extension KeyRing {
  /// Returns the private half after a successful attempt.
  ///
  /// - Throws: `.wrongPasscode` if the attempt failed, or another process has changed the passcode since; `.damaged` if the
  ///   presence key is missing, or its record is another key's.
  package func presenceKey(
    after attempt: PasscodeAttempt
  ) throws(StoreError) -> Curve25519.KeyAgreement.PrivateKey {
    guard let key = try presenceKey(of: state.withLock { $0 }, by: attempt) else {
      throw .damaged("the presence key is missing")
    }
    return key
  }

  /// Adds a presence key after a successful attempt in a keychain that lacks one. Returns the records, and the attempt in the
  /// form that is valid once they are adopted; nil if the key exists already, or the attempt is no longer valid.
  package func addingPresenceKey(
    after attempt: PasscodeAttempt
  ) throws(StoreError) -> (records: [KeyRecord], attempt: PasscodeAttempt)? {
    let before = state.withLock { $0 }
    guard let passcode = before.records.passcodeRecord, passcode.record == attempt.record,
      before.records.presenceRecord == nil, let opened = attempt.opened
    else { return nil }
    let (userRoot, presence) = try Self.passcodeRecords(
      opened.userRoot, passcode.parameters.encoded, Curve25519.KeyAgreement.PrivateKey(),
      epoch: KeyRecord.withPresenceKey, under: opened.key, seal: seal)
    return (
      [userRoot, presence] + before.records.all.filter { $0.kind == .classKeys },
      PasscodeAttempt(mark: attempt.mark, opened: opened, record: userRoot)
    )
  }

  /// Seals the two records under a passcode's keys.
  static func passcodeRecords(
    _ userRoot: SymmetricKey, _ parameters: [UInt8], _ presence: Curve25519.KeyAgreement.PrivateKey, epoch: UInt32,
    under key: PasscodeKey, seal: RecordSeal
  ) throws(StoreError) -> (userRoot: KeyRecord, presence: KeyRecord) {
    var bytes = presence.rawBytes
    defer { bytes.wipe() }
    return (
      try userRoot.sealed(
        as: .userRootByPasscode, epoch: epoch, parameters: parameters, under: key.wrapping, seal: seal),
      try KeyRecord.seal(
        bytes, kind: .presenceKey, epoch: epoch >= KeyRecord.ofOneGeneration ? epoch : 1,
        parameters: Array(presence.publicKey.rawRepresentation),
        under: key.presenceWrapping, seal: seal)
    )
  }

  /// Whether this public half belongs to the presence key, or to an earlier one that the passcode still opens.
  func knowsPresenceKey(_ publicKey: [UInt8]) -> Bool {
    state.withLock { state in
      state.records.presenceRecord?.record.parameters == publicKey
        || state.records.retiredRecords.contains { $0.parameters == publicKey }
    }
  }

  /// Returns the private half for `publicKey`, given the current private half: the current or an earlier presence key; nil if
  /// the keychain has no such key.
  func presenceKey(
    for publicKey: [UInt8], by present: Curve25519.KeyAgreement.PrivateKey
  ) -> Curve25519.KeyAgreement.PrivateKey? {
    if Array(present.publicKey.rawRepresentation) == publicKey { return present }
    let record = state.withLock { $0.records.retiredRecords.first { $0.parameters == publicKey } }
    guard let record, var bytes = record.open(under: present.retiring(storeUUID), seal: seal) else { return nil }
    defer { bytes.wipe() }
    return try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes)
  }

  /// Seals the most recent earlier presence keys, and the one that is being replaced, under a new one.
  func retired(
    of state: State, _ last: Curve25519.KeyAgreement.PrivateKey?, under new: Curve25519.KeyAgreement.PrivateKey,
    epoch: UInt32, seal newSeal: RecordSeal
  ) throws(StoreError) -> [KeyRecord] {
    guard let last else { return [] }
    var records: [KeyRecord] = []
    let keys = state.records.retiredRecords.compactMap { presenceKey(for: $0.parameters, by: last) } + [last]
    for key in keys.suffix(KeyRecord.maximumRetired) {
      var bytes = key.rawBytes
      defer { bytes.wipe() }
      records.append(
        try KeyRecord.seal(
          bytes, kind: .retiredPresenceKey, epoch: epoch, parameters: Array(key.publicKey.rawRepresentation),
          under: new.retiring(storeUUID), seal: newSeal))
    }
    return records
  }

  /// Opens the private half in `state`; nil if it has none.
  func presenceKey(
    of state: State, by attempt: PasscodeAttempt?
  ) throws(StoreError) -> Curve25519.KeyAgreement.PrivateKey? {
    guard let passcode = state.records.passcodeRecord else { return nil }
    guard let attempt, attempt.record == passcode.record, let opened = attempt.opened else {
      throw .wrongPasscode(attemptsBeforeDelay: 0)
    }
    guard let presence = state.records.presenceRecord else { return nil }
    guard var bytes = presence.record.open(under: opened.key.presenceWrapping, seal: seal) else {
      throw .damaged("the presence key does not open: its record is of another passcode")
    }
    defer { bytes.wipe() }
    guard let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes),
      key.publicKey.rawRepresentation == presence.publicKey.rawRepresentation
    else { throw .damaged("the halves of the presence key do not belong together") }
    return key
  }
}

extension Curve25519.KeyAgreement.PrivateKey {
  /// Derives the key that wraps earlier presence keys.
  fileprivate func retiring(_ storeUUID: [UInt8]) -> SymmetricKey {
    var bytes = rawBytes
    return SymmetricKey(consuming: &bytes).derive("retired presence", storeUUID: storeUUID)
  }

  /// The 32 bytes; the caller wraps and wipes them.
  var rawBytes: [UInt8] {
    // The data shares the key's own storage, which is wiped with it: overwriting the data would overwrite the key.
    rawRepresentation.withUnsafeBytes { Array($0) }
  }
}
