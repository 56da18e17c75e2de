package import Crypto
import Foundation
package import KeychainModel
import Synchronization

// The presence key: what only the passcode opens is sealed to its public half, which anybody may have. The private half is
// handed to whoever brings the passcode, and never kept here.
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
    let (userRoot, presence) = try passcodeRecords(
      opened.userRoot, passcode.parameters.encoded, Curve25519.KeyAgreement.PrivateKey(), under: opened.key)
    return (
      [userRoot, presence] + before.records.all.filter { $0.kind == .classKeys },
      PasscodeAttempt(mark: attempt.mark, opened: opened, record: userRoot)
    )
  }

  /// The two records that a passcode's keys wrap.
  func passcodeRecords(
    _ userRoot: SymmetricKey, _ parameters: [UInt8], _ presence: Curve25519.KeyAgreement.PrivateKey,
    under key: PasscodeKey
  ) throws(StoreError) -> (userRoot: KeyRecord, presence: KeyRecord) {
    var bytes = presence.rawBytes
    defer { bytes.wipe() }
    return (
      try userRoot.sealed(
        as: .userRootByPasscode, epoch: KeyRecord.withPresenceKey, parameters: parameters, under: key.wrapping,
        seal: seal),
      try KeyRecord.seal(
        bytes, kind: .presenceKey, epoch: 1, parameters: Array(presence.publicKey.rawRepresentation),
        under: key.presenceWrapping, seal: seal)
    )
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
  /// The 32 bytes, to be wrapped and wiped.
  var rawBytes: [UInt8] {
    var data = rawRepresentation
    defer { data.resetBytes(in: data.indices) }
    return Array(data)
  }
}
