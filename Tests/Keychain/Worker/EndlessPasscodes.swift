import LatchkeyKeychainModel
import LatchkeyKeychainStore

/// Sets, changes and removes the passcode, and makes new keys under it. Among the keys of a worker's lines it is ``passcodeKey``, its number the version.
package struct EndlessPasscodes {
  /// Stands for the passcode among keys.
  package static let passcodeKey = -1
  /// The key of an item that is there only while a passcode is.
  package static let dependentKey = 1_000

  /// The passcode of this number.
  package static func passcode(_ version: Int) -> [UInt8] { Array("battery staple \(version)".utf8) }

  let database: KeychainDatabase
  let caller: Entitlements
  var version: Int

  mutating func makeOne() throws {
    let next = version + 1
    let old = version == 0 ? nil : Self.passcode(version)
    // New keys under the same passcode change nothing that can be seen.
    if next % 3 == 0 { try database.rotateKeys(passcode: old) }
    // Every fourth removes the passcode; no number is used twice.
    if let old, next % 4 == 0 {
      WorkerLine.begin(2 * next, [Self.passcodeKey: nil, Self.dependentKey: nil]).write()
      try database.removePasscode(current: old)
      WorkerLine.done(2 * next).write()
      WorkerLine.begin(2 * next + 1, [Self.passcodeKey: next]).write()
      try database.setPasscode(Self.passcode(next), current: nil)
      WorkerLine.done(2 * next + 1).write()
    } else {
      WorkerLine.begin(2 * next, [Self.passcodeKey: next]).write()
      try database.setPasscode(Self.passcode(next), current: old)
      WorkerLine.done(2 * next).write()
      guard try TortureItem.all(in: database, as: caller)[Self.dependentKey] == nil else {
        version = next
        return
      }
      WorkerLine.begin(2 * next + 1, [Self.dependentKey: next]).write()
      try database.add(
        TortureItem.new(Self.dependentKey, version: next, accessibility: .whenPasscodeSetThisDeviceOnly), as: caller)
      WorkerLine.done(2 * next + 1).write()
    }
    version = next
  }
}
