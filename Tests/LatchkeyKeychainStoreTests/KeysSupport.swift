import Foundation
import Glibc
import LatchkeyKeychainModel
import Testing

@testable import LatchkeyKeychainStore

/// A keychain's keys at a cost that a debug build can bear.
struct RingFixture {
  static let cost = PasscodeCost(rounds: 16)
  static let passcode = Array("correct horse".utf8)
  let uuid = [UInt8](repeating: 0x5A, count: 16)
  let root: RootKey
  var records: [KeyRecord]

  init(passcode: [UInt8]? = nil) throws {
    root = RootKey()
    let (ring, records) = try KeyRing.create(storeUUID: uuid, root: root, cost: Self.cost)
    self.records = try passcode.map { try ring.settingPasscode($0, current: nil).records } ?? records
  }

  /// The records of a keychain of format 1, whose passcode has no presence key beside it.
  func recordsOfFirstFormat(_ passcode: [UInt8]) throws -> [KeyRecord] {
    let ring = try ring()
    let attempt = try ring.attempt(passcode)
    let opened = try #require(attempt.opened)
    let userRoot = try opened.userRoot.sealed(
      as: .userRootByPasscode, parameters: attempt.record.parameters, under: opened.key.wrapping, seal: ring.seal)
    let wrap = opened.userRoot.derive("class wrap", storeUUID: uuid)
    let classes = try records.filter { $0.kind == .classKeys }.map { record in
      let accessibility = try #require(record.accessibility)
      let key = accessibility.isUnderDeviceRoot ? ring.deviceWrap : wrap
      var bytes = try #require(record.open(under: key, seal: ring.seal))
      let keys = try #require(ClassKeys(consuming: &bytes, epoch: 1))
      return try keys.sealed(for: accessibility, under: key, seal: ring.seal)
    }
    return [userRoot] + classes
  }

  func ring(_ records: [KeyRecord]? = nil, root: RootKey? = nil, cost: PasscodeCost = cost) throws(StoreError)
    -> KeyRing
  {
    try KeyRing(records: records ?? self.records, storeUUID: uuid, root: root ?? self.root, cost: cost)
  }
}

extension RootKey {
  /// The same bytes every time.
  static func of(_ byte: UInt8) throws -> RootKey {
    var bytes = [UInt8](repeating: byte, count: 32)
    return try #require(RootKey(consuming: &bytes))
  }
}

/// The error that `body` throws, if it is one of the store.
func storeError(_ body: () throws -> some Any) -> StoreError? {
  do {
    _ = try body()
    return nil
  } catch {
    return error as? StoreError
  }
}

extension StoreError? {
  var isDamaged: Bool { if case .damaged = self { true } else { false } }
  var isRootKeyUnavailable: Bool { if case .rootKeyUnavailable = self { true } else { false } }
  var isUnsafeLocation: Bool { if case .unsafeLocation = self { true } else { false } }
  var isPasscodeRefused: Bool { if case .passcodeRefused = self { true } else { false } }
  var isWrongPasscode: Bool { if case .wrongPasscode = self { true } else { false } }
  var isConfiguration: Bool { if case .configuration = self { true } else { false } }
}
