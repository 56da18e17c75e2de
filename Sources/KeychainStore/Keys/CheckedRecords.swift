import Crypto
import KeychainModel

/// The key records of a keychain, known to be authentic and a whole: one user root, and the keys of each accessibility
/// once, those of WhenPasscodeSet exactly when there is a passcode, and with a passcode at most one presence key.
struct CheckedRecords: Sendable {
  /// All of them.
  let all: [KeyRecord]
  /// The one with the user root.
  let userRootRecord: KeyRecord
  /// The same, and how the passcode becomes its key, if there is a passcode.
  let passcodeRecord: (record: KeyRecord, parameters: ScryptParameters)?
  /// The presence key's, if there is one: a keychain of format 1 has none before its passcode is given the next time.
  let presenceRecord: (record: KeyRecord, publicKey: Curve25519.KeyAgreement.PublicKey)?
  /// The class keys.
  let classRecords: [Accessibility: KeyRecord]

  /// - Throws: `.rootKeyUnavailable` if not one is authentic under this root key, `.damaged` for anything less.
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
    var classRecords: [Accessibility: KeyRecord] = [:]
    for record in records where record.kind == .classKeys {
      guard let accessibility = record.accessibility, classRecords.updateValue(record, forKey: accessibility) == nil
      else { throw .damaged("the keys of an accessibility are there twice, or of none") }
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
    all = records
    userRootRecord = userRoot
    self.classRecords = classRecords
  }

  private static func presence(
    _ records: [KeyRecord], _ userRoot: KeyRecord
  ) throws(StoreError) -> (record: KeyRecord, publicKey: Curve25519.KeyAgreement.PublicKey)? {
    let found = records.filter { $0.kind == .presenceKey }
    let isWanted = userRoot.kind == .userRootByPasscode && userRoot.epoch == KeyRecord.withPresenceKey
    guard found.count == (isWanted ? 1 : 0) else {
      throw .damaged("the presence key is missing, or there without a passcode, or there twice")
    }
    guard let record = found.first else { return nil }
    guard let publicKey = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: record.parameters) else {
      throw .damaged("the presence key's public half is none")
    }
    return (record, publicKey)
  }
}
