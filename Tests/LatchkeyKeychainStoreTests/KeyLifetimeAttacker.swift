import LatchkeyTestSupport
import Crypto
import Foundation
import LatchkeyByteCoding
import LatchkeyKeychainModel
import keychain_worker

@testable import LatchkeyKeychainStore

/// Somebody who has the files as they lie on the disk, the root key, and what was valid before: earlier key records, earlier root
/// keys and earlier passcodes. He reads bytes, no database.
struct KeyLifetimeAttacker {
  let storeUUID: [UInt8]
  var roots: [RootKey]
  var passcodes: [[UInt8]]
  /// Records that he has kept.
  var kept: [KeyRecord] = []
  /// Sealed columns of rows that he has kept.
  var rows: [ItemRow] = []
  /// Columns that were overwritten or deleted, which must be in no file any more.
  var gone: [[UInt8]] = []

  /// The files as they lie there, without SQLite.
  static func bytes(of folder: TortureFolder) throws -> [UInt8] {
    try folder.contents().filter { $0.key.hasPrefix("keychain.db") }.sorted { $0.key < $1.key }.flatMap(\.value)
  }

  /// Everything in `bytes` that reads as a key record, whether SQLite still counts it or not.
  static func records(in bytes: [UInt8]) -> [KeyRecord] {
    var found: [KeyRecord] = []
    for start in bytes.indices where (1...9).contains(bytes[start]) && bytes.count - start > 12 {
      let name = Int(bytes[start + 1])
      guard name < 8 else { continue }
      var end = start + 2 + name + 4
      guard end + 2 <= bytes.count else { continue }
      let parameters = Int(bytes[end]) | Int(bytes[end + 1]) << 8
      guard parameters <= KeyRecord.maximumParameters else { continue }
      end += 2 + parameters
      guard end + 2 <= bytes.count else { continue }
      let wrapped = Int(bytes[end]) | Int(bytes[end + 1]) << 8
      guard (60...KeyRecord.maximumWrapped).contains(wrapped), end + 2 + wrapped <= bytes.count else { continue }
      if let record = try? KeyRecord(encoded: Array(bytes[start..<(end + 2 + wrapped)])) { found.append(record) }
    }
    return found
  }

  /// All class keys and keys of the enclave that he gets at.
  func keys(in bytes: [UInt8]) -> [(accessibility: Accessibility, keys: ClassKeys)] {
    let records = Self.records(in: bytes) + kept
    var found: [(accessibility: Accessibility, keys: ClassKeys)] = []
    for root in roots {
      let seal = RecordSeal(root: root, storeUUID: storeUUID)
      let device = root.derive("device wrap", storeUUID: storeUUID)
      var wraps = [device]
      for record in records {
        switch record.kind {
        case .userRootByDevice:
          if let key = record.openUserRoot(under: device, seal: seal) { wraps.append(wrap(key)) }
        case .userRootByPasscode:
          guard let parameters = try? ScryptParameters(encoded: record.parameters, minimumRounds: 2) else { continue }
          for passcode in passcodes {
            let key = try? PasscodeKey(
              passcode: passcode, parameters: parameters, root: root, storeUUID: storeUUID)
            if let key, let opened = record.openUserRoot(under: key.wrapping, seal: seal) { wraps.append(wrap(opened)) }
          }
        default: break
        }
      }
      for record in records where record.kind == .classKeys || record.kind == .enclaveKeys {
        guard let accessibility = record.accessibility else { continue }
        for key in wraps {
          guard var opened = record.open(under: key, seal: seal),
            let keys = ClassKeys(consuming: &opened, epoch: record.epoch)
          else { continue }
          found.append((accessibility, keys))
        }
      }
    }
    return found
  }

  private func wrap(_ userRoot: SymmetricKey) -> SymmetricKey { userRoot.derive("class wrap", storeUUID: storeUUID) }

  /// How many of these rows he opens, attributes or secret, by what he finds in `bytes` or has kept. Items that need no passcode do
  /// not count.
  func opened(_ rows: [ItemRow], with bytes: [UInt8]) -> Int {
    let keys = keys(in: bytes)
    return rows.count(where: { row in
      guard let accessibility = StoredCodes.accessibility(row.accessibility), !accessibility.isUnderDeviceRoot else {
        return false
      }
      return roots.contains { root in
        let sealer = RowSealer(storeUUID: storeUUID, setHashKey: root.derive("set hash", storeUUID: storeUUID))
        return keys.contains {
          (try? sealer.openContent(row, keys: $0.keys)) != nil || (try? sealer.openData(row, keys: $0.keys)) != nil
        }
      }
    })
  }

  /// How many of the sealed columns that should be gone still stand somewhere.
  func remains(in bytes: [UInt8]) -> Int {
    let data = Data(bytes)
    return gone.count(where: { column in
      // Any sixteen bytes of it in a row are enough to be seen.
      stride(from: 0, to: max(1, column.count - 16), by: 16).contains { start in
        data.range(of: Data(column[start..<min(start + 16, column.count)])) != nil
      }
    })
  }
}
