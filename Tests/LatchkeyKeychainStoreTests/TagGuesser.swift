import LatchkeyTestSupport
import Crypto
import Foundation
import LatchkeyKeychainModel

/// Somebody who has the key file, the database and its log, and a list of names. The derivation is the documented one, in words of
/// its own: nothing of the keychain's code makes these tags.
struct TagGuesser {
  private let key: SymmetricKey
  private let folder: StoreFolder

  init(_ folder: StoreFolder) throws {
    self.folder = folder
    let root = try Data(contentsOf: URL(fileURLWithPath: folder.key))
    let uuids: [Data] = try folder.ask("SELECT uuid FROM header WHERE id = 1")
    key = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: root), salt: uuids[0], info: Data("latchkey/1/index".utf8),
      outputByteCount: 32)
  }

  private func tag(_ message: [UInt8]) -> Data {
    Data(HMAC<SHA256>.authenticationCode(for: message, using: key).prefix(16))
  }

  private func littleEndian(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  /// The tag of a generic password's attribute, by its four letters.
  func attribute(_ name: String, _ value: String) -> Data {
    let code = name.utf8.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return tag([1, 1] + littleEndian(code) + [0] + Array(value.utf8))
  }

  func group(_ name: String) -> Data { tag([3] + Array(name.utf8)) }

  /// The tag of a generic password's primary key.
  func primaryKey(_ account: String, _ service: String, group name: String) -> Data {
    var values: [UInt8] = []
    for value in [account, service] {
      values += littleEndian(UInt32(value.utf8.count + 1)) + [0]
      values += Array(value.utf8)
    }
    return tag([2, 1, 0] + Array(group(name)) + values)
  }

  /// All bytes of the files, free pages and the log with them.
  func bytes() throws -> Data {
    try ["", "-wal"].reduce(into: Data()) { bytes, suffix in
      let path = folder.database + suffix
      if FileManager.default.fileExists(atPath: path) { bytes += try Data(contentsOf: URL(fileURLWithPath: path)) }
    }
  }

  /// What of a generic password of this account is confirmed by the files.
  func confirmed(_ account: String, _ service: String = "service", group name: String = "mine") throws -> Set<String> {
    let bytes = try bytes()
    let guesses = [
      "account": attribute("acct", account), "label": attribute("labl", "label of \(account)"),
      "primary key": primaryKey(account, service, group: name),
    ]
    return Set(guesses.filter { bytes.range(of: $0.value) != nil }.keys)
  }

  /// Whether an access group's name is confirmed.
  func confirms(group name: String) throws -> Bool { try bytes().range(of: group(name)) != nil }
}
