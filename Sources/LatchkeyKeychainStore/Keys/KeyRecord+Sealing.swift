import Crypto
import Foundation
import LatchkeyByteCoding
import LatchkeyKeychainModel
import LatchkeySecretData

extension KeyRecord {
  /// A digest of all records, independent of their order, to which a keychain's header is bound.
  package static func digest(of records: [KeyRecord]) -> [UInt8] {
    var hash = SHA256()
    let encodings = records.map(\.encoded).sorted { $0.lexicographicallyPrecedes($1) }
    for encoding in encodings {
      hash.update(data: SHA256.hash(data: encoding).withUnsafeBytes { Array($0) })
    }
    return Array(hash.finalize())
  }

  /// Seals a key. The caller wipes `secret`.
  ///
  /// Two layers: AES-256-GCM under `key`, and an HMAC under the device root over the whole record, so that an altered record is
  /// distinguished from a wrong passcode before any passcode is tried.
  static func seal(
    _ secret: [UInt8], kind: Kind, accessibility: Accessibility? = nil, epoch: UInt32, parameters: [UInt8] = [],
    under key: SymmetricKey, seal: RecordSeal
  ) throws(StoreError) -> KeyRecord {
    var record = KeyRecord(
      kind: kind, accessibility: accessibility, epoch: epoch, parameters: parameters, wrapped: [])
    let bound = seal.bound(record)
    guard let box = try? AES.GCM.seal(secret, using: key, authenticating: bound), let bytes = box.combined else {
      throw .inputOutput("the system could not encrypt a key")
    }
    record.wrapped = Array(bytes)
    record.wrapped += seal.mac(record)
    return record
  }

  /// Opens the key; nil if `key` did not seal it, or the record was altered.
  func open(under key: SymmetricKey, seal: RecordSeal) -> [UInt8]? {
    guard wrapped.count > RecordSeal.macByteCount,
      let box = try? AES.GCM.SealedBox(combined: wrapped.dropLast(RecordSeal.macByteCount)),
      var opened = try? AES.GCM.open(box, using: key, authenticating: seal.bound(self))
    else { return nil }
    return opened.movedOut()
  }
}

/// Binds the records of one keychain to that keychain and its device root.
struct RecordSeal: Sendable {
  static let macByteCount = 32
  private let storeUUID: [UInt8]
  private let key: SymmetricKey

  init(root: RootKey, storeUUID: [UInt8]) {
    self.storeUUID = storeUUID
    key = root.derive("records", storeUUID: storeUUID)
  }

  /// The additional data of a record's encryption: format, keychain, and every field except the key.
  func bound(_ record: KeyRecord) -> [UInt8] {
    Array("KC1".utf8) + storeUUID + record.unwrappedPart
  }

  /// The MAC of a record whose `wrapped` does not include one yet.
  func mac(_ record: KeyRecord) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: bound(record) + record.wrapped, using: key))
  }

  /// Whether a record was written, unaltered, by a keychain with this device root.
  func isAuthentic(_ record: KeyRecord) -> Bool {
    guard record.wrapped.count > Self.macByteCount, record.wrapped.count <= KeyRecord.maximumWrapped,
      record.parameters.count <= KeyRecord.maximumParameters
    else { return false }
    var bare = record
    bare.wrapped.removeLast(Self.macByteCount)
    return constantTimeEquals(mac(bare), Array(record.wrapped.suffix(Self.macByteCount)))
  }
}

extension KeyRecord {
  /// Opens the user root in this record.
  func openUserRoot(under key: SymmetricKey, seal: RecordSeal) -> SymmetricKey? {
    guard var bytes = open(under: key, seal: seal), bytes.count == RootKey.byteCount else { return nil }
    return SymmetricKey(consuming: &bytes)
  }
}

extension SymmetricKey {
  /// Seals this user root into a record.
  func sealed(
    as kind: KeyRecord.Kind, epoch: UInt32 = 1, parameters: [UInt8] = [], under key: SymmetricKey, seal: RecordSeal
  ) throws(StoreError) -> KeyRecord {
    var bytes = exposedBytes
    defer { bytes.wipe() }
    return try KeyRecord.seal(bytes, kind: kind, epoch: epoch, parameters: parameters, under: key, seal: seal)
  }
}

extension ClassKeys {
  /// Seals the keys of an accessibility into a record.
  func sealed(
    as kind: KeyRecord.Kind = .classKeys, for accessibility: Accessibility, under key: SymmetricKey, seal: RecordSeal
  ) throws(StoreError) -> KeyRecord {
    var bytes = exposedBytes
    defer { bytes.wipe() }
    return try KeyRecord.seal(
      bytes, kind: kind, accessibility: accessibility, epoch: epoch, under: key, seal: seal)
  }
}
