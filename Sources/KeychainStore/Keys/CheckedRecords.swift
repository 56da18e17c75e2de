import KeychainModel

/// The key records of a keychain, known to be authentic and a whole: one user root, and the keys of each accessibility
/// once, those of WhenPasscodeSet exactly when there is a passcode.
struct CheckedRecords: Sendable {
  /// All of them.
  let all: [KeyRecord]
  /// The one with the user root.
  let userRootRecord: KeyRecord
  /// The same, and how the passcode becomes its key, if there is a passcode.
  let passcodeRecord: (record: KeyRecord, parameters: ScryptParameters)?
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
    let roots = records.filter { $0.kind != .classKeys }
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
    all = records
    userRootRecord = userRoot
    self.classRecords = classRecords
  }
}
