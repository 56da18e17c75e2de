import Crypto
import LatchkeyKeychainModel

/// The verified key records of a keychain, authentic and complete: one user root, the keys of each accessibility once, those of
/// WhenPasscodeSet exactly if a passcode is set, and with a passcode at most one presence key.
struct CheckedRecords: Sendable {
  /// All records.
  let all: [KeyRecord]
  /// The record of the user root.
  let userRootRecord: KeyRecord
  /// The record of the user root and its scrypt parameters, if a passcode is set.
  let passcodeRecord: (record: KeyRecord, parameters: ScryptParameters)?
  /// The record of the presence key, if there is one: a keychain of format 1 has none until its passcode is next entered.
  let presenceRecord: (record: KeyRecord, publicKey: Curve25519.KeyAgreement.PublicKey)?
  /// The class keys.
  let classRecords: [Accessibility: KeyRecord]
  /// The keys that seal the secrets of enclave keys, if they differ from the class's secret key.
  let enclaveRecords: [Accessibility: KeyRecord]
  /// Earlier presence keys, the newest last; their parameters hold their public halves.
  let retiredRecords: [KeyRecord]
  /// The keys that are preserved when the device root changes.
  let deviceRecord: KeyRecord?
  /// The index key of the rows under the user root, if they have their own.
  let indexRecord: KeyRecord?
  /// The record that recovery identities open, if there is one.
  let recoveryRecord: KeyRecord?

  /// - Throws: `.rootKeyUnavailable` if none is authentic under this root key, `.damaged` for any other defect.
  init(_ records: [KeyRecord], seal: RecordSeal, minimumRounds: Int) throws(StoreError) {
    guard !records.isEmpty, records.count <= KeyRecord.maximumCount else {
      throw .damaged("it has \(records.count) key records")
    }
    let authentic = records.count(where: { seal.isAuthentic($0) })
    guard authentic > 0 else {
      throw .rootKeyUnavailable(
        "the root key does not open this keychain: it belongs to another one, give the one it was made with")
    }
    guard authentic == records.count else {
      throw .damaged("\(records.count - authentic) of \(records.count) key records are not authentic")
    }
    let roots = records.filter { $0.kind == .userRootByDevice || $0.kind == .userRootByPasscode }
    guard roots.count == 1, let userRoot = roots.first else { throw .damaged("it has \(roots.count) user roots") }
    let classRecords = try Self.byAccessibility(records, .classKeys)
    enclaveRecords = try Self.byAccessibility(records, .enclaveKeys)
    retiredRecords = records.filter { $0.kind == .retiredPresenceKey }
    let ofDevice = records.filter { $0.kind == .deviceKeys }
    guard ofDevice.count <= 1 else { throw .damaged("the keys that outlive the root key are there twice") }
    deviceRecord = ofDevice.first
    indexRecord = try Self.index(records, userRoot)
    recoveryRecord = try Self.recovery(records, userRoot)
    try Self.validateEpochs(classRecords, userRoot)
    let isOfOneGeneration = userRoot.epoch >= KeyRecord.ofOneGeneration
    guard Set(enclaveRecords.keys) == (isOfOneGeneration ? Set(classRecords.keys.filter(\.isThisDeviceOnly)) : [])
    else {
      throw .damaged("the keys of the enclave are missing, or are there twice")
    }
    let hasPasscode = userRoot.kind == .userRootByPasscode
    guard classRecords.count == Accessibility.allCases.count - (hasPasscode ? 0 : 1),
      hasPasscode == (classRecords[.whenPasscodeSetThisDeviceOnly] != nil)
    else { throw .damaged("the keys of an accessibility are missing, or are there without a passcode") }
    if hasPasscode {
      do {
        passcodeRecord = (
          userRoot, try ScryptParameters(encoded: userRoot.parameters, minimumRounds: minimumRounds)
        )
      } catch {
        throw .damaged("the passcode's derivation: \(error)")
      }
    } else {
      passcodeRecord = nil
    }
    presenceRecord = try Self.presence(records, userRoot)
    guard retiredRecords.isEmpty || presenceRecord != nil, retiredRecords.count <= KeyRecord.maximumRetired else {
      throw .damaged("earlier presence keys are there without a present one, or too many")
    }
    all = records
    userRootRecord = userRoot
    self.classRecords = classRecords
  }

  private static func recovery(_ records: [KeyRecord], _ userRoot: KeyRecord) throws(StoreError) -> KeyRecord? {
    let found = records.filter { $0.kind == .recovery }
    guard let record = found.first else { return nil }
    guard found.count == 1, record.epoch == userRoot.epoch, record.parameters.count % 32 == 0,
      (1...KeyRing.maximumRecoveryRecipients).contains(record.recipients.count)
    else { throw .damaged("the recovery record is there twice, of another generation, or for nobody") }
    return record
  }

  private static func byAccessibility(
    _ records: [KeyRecord], _ kind: KeyRecord.Kind
  ) throws(StoreError) -> [Accessibility: KeyRecord] {
    var found: [Accessibility: KeyRecord] = [:]
    for record in records where record.kind == kind {
      guard let accessibility = record.accessibility, found.updateValue(record, forKey: accessibility) == nil
      else { throw .damaged("the keys of an accessibility are there twice, or of none") }
    }
    return found
  }

  /// Verifies that all records are of one generation: authentic records of two generations do not form a valid set.
  private static func validateEpochs(
    _ classRecords: [Accessibility: KeyRecord], _ userRoot: KeyRecord
  ) throws(StoreError) {
    let epoch = userRoot.epoch >= KeyRecord.ofOneGeneration ? userRoot.epoch : 1
    guard classRecords.values.allSatisfy({ $0.epoch == epoch }) else {
      throw .damaged("the keys of the accessibilities are not of the user root's generation")
    }
  }

  /// Whether the keys under the user root are equal in both, regardless of how the user root is wrapped.
  func hasSameUserKeys(as other: CheckedRecords) -> Bool {
    func ofUser(_ records: [Accessibility: KeyRecord]) -> [Accessibility: KeyRecord] {
      records.filter { !$0.key.isUnderDeviceRoot }
    }
    return ofUser(classRecords) == ofUser(other.classRecords) && ofUser(enclaveRecords) == ofUser(other.enclaveRecords)
      && indexRecord == other.indexRecord
  }

  private static func index(_ records: [KeyRecord], _ userRoot: KeyRecord) throws(StoreError) -> KeyRecord? {
    let found = records.filter { $0.kind == .indexKey }
    guard let record = found.first else { return nil }
    guard found.count == 1, userRoot.kind == .userRootByPasscode, record.epoch == userRoot.epoch else {
      throw .damaged("the index key is there without a passcode, or twice, or of another generation")
    }
    return record
  }

  private static func presence(
    _ records: [KeyRecord], _ userRoot: KeyRecord
  ) throws(StoreError) -> (record: KeyRecord, publicKey: Curve25519.KeyAgreement.PublicKey)? {
    let found = records.filter { $0.kind == .presenceKey }
    let isWanted = userRoot.kind == .userRootByPasscode && userRoot.epoch >= KeyRecord.withPresenceKey
    let epoch = userRoot.epoch >= KeyRecord.ofOneGeneration ? userRoot.epoch : 1
    guard found.count == (isWanted ? 1 : 0), found.allSatisfy({ $0.epoch == epoch }) else {
      throw .damaged("the presence key is missing, or there without a passcode, or there twice")
    }
    guard let record = found.first else { return nil }
    guard let publicKey = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: record.parameters) else {
      throw .damaged("the presence key's public half is none")
    }
    return (record, publicKey)
  }
}
