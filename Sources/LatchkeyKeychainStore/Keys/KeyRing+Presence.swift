package import Crypto
import Foundation
import LatchkeyByteCoding
package import LatchkeyKeychainModel
import Synchronization

// The presence key: what only the passcode opens is sealed to its public half, which anybody may have. The private half is
// handed to the caller that brings the passcode, and never kept here.
extension KeyRing {
  /// The private half, after an attempt that was right.
  ///
  /// - Throws: `.wrongPasscode` if it was not, or another process has changed the passcode since; `.damaged` if there is no
  ///   presence key, or another one's record stands in its place.
  package func presenceKey(
    after attempt: PasscodeAttempt
  ) throws(StoreError) -> Curve25519.KeyAgreement.PrivateKey {
    guard let key = try presenceKey(of: state.withLock { $0 }, by: attempt) else {
      throw .damaged("the presence key is missing")
    }
    return key
  }

  /// The records with a presence key, after a right attempt in a keychain that lacks one, and the attempt as it counts once
  /// they are adopted; nil if there is one already, or the attempt is not right any more.
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

  /// The two records that a passcode's keys wrap.
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

  /// Whether a public half is that of the presence key, or of an earlier one that the passcode still opens.
  func knowsPresenceKey(_ publicKey: [UInt8]) -> Bool {
    state.withLock { state in
      state.records.presenceRecord?.record.parameters == publicKey
        || state.records.retiredRecords.contains { $0.parameters == publicKey }
    }
  }

  /// The private half that belongs to `publicKey`, for a caller that has the present one: that one, or an earlier one; nil if the
  /// keychain keeps none such.
  func presenceKey(
    for publicKey: [UInt8], by present: Curve25519.KeyAgreement.PrivateKey
  ) -> Curve25519.KeyAgreement.PrivateKey? {
    if Array(present.publicKey.rawRepresentation) == publicKey { return present }
    let record = state.withLock { $0.records.retiredRecords.first { $0.parameters == publicKey } }
    guard let record, var bytes = record.open(under: present.retiring(storeUUID), seal: seal) else { return nil }
    defer { bytes.wipe() }
    return try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes)
  }

  /// The records of the earlier presence keys, and of the one that is an earlier one from now on, for a new one: the last few
  /// of them.
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

  /// The private half as a state has it; nil if it has none.
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
  /// What wraps earlier presence keys.
  fileprivate func retiring(_ storeUUID: [UInt8]) -> SymmetricKey {
    var bytes = rawBytes
    return SymmetricKey(consuming: &bytes).derive("retired presence", storeUUID: storeUUID)
  }

  /// The 32 bytes, to be wrapped and wiped.
  var rawBytes: [UInt8] {
    // The data shares the key's own storage, which is wiped with it: to overwrite it would be to overwrite the key.
    rawRepresentation.withUnsafeBytes { Array($0) }
  }
}
