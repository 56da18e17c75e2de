package import LatchkeyByteCoding
package import LatchkeyKeychainModel

/// The stored form of an enclave key: everything that its keychain loads it from, and useless to any other keychain. The
/// keychain authenticates it, and its secrets are sealed.
///
/// "EN1", `UInt8` backend (1 software, 2 TPM), the keychain's UUID (16 bytes), the key's name (16), `UInt8` length and
/// letters of the protection, `UInt64` flags, `UInt8` length of the enrollment (0: none) and its bytes, `UInt8` whether the
/// passcode binds it (0 or 1), the public key (65), `UInt16` length and bytes of the engine's blob, `UInt16` length and
/// bytes of the sealed secret, and a MAC (32) of everything before it. Least significant byte first. One key has one
/// encoding; anything else is refused.
package struct KeyRepresentation: Hashable, Sendable {
  /// The place of the key.
  package var backend: EnclaveBackend
  /// The UUID of the key's keychain.
  package var storeUUID: [UInt8]
  /// The key's name.
  package var keyID: [UInt8]
  /// The key's access control, with the enrollment at the key's creation.
  package var stored: StoredControl
  /// The public key in X9.63 form.
  package var publicKey: [UInt8]
  /// The engine's data for loading the key, besides the secret.
  package var blob: [UInt8]
  /// The secret, sealed under the control.
  package var sealedSecret: [UInt8] = []
  /// The keychain's MAC over everything before it.
  package var mac: [UInt8] = []

  /// The size of an uncompressed point of P-256, in bytes.
  package static let publicKeySize = 65
  /// The size of the names of keychains and keys, in bytes.
  package static let nameSize = 16
  /// The size of a MAC, in bytes.
  package static let macSize = 32
  /// The maximum sizes in bytes of an enrollment, an engine's blob, and a sealed secret.
  package static let maximumEnrollment = 64
  /// See ``maximumEnrollment``.
  package static let maximumBlob = 2048
  /// See ``maximumEnrollment``.
  package static let maximumSealedSecret = 1024

  private static let magic = Array("EN1".utf8)

  /// Creates a representation whose secret is not sealed yet.
  package init(
    backend: EnclaveBackend, storeUUID: [UInt8], keyID: [UInt8], stored: StoredControl, publicKey: [UInt8],
    blob: [UInt8]
  ) {
    self.backend = backend
    self.storeUUID = storeUUID
    self.keyID = keyID
    self.stored = stored
    self.publicKey = publicKey
    self.blob = blob
  }

  /// The key's access control.
  package var control: AccessControl { stored.control }

  /// Everything before the sealed secret: the associated data of its sealing.
  package var binding: [UInt8] {
    var writer = ByteWriter(capacity: 256 + blob.count + sealedSecret.count)
    writeBinding(&writer)
    return writer.bytes
  }

  /// Everything before the MAC.
  package var authenticated: [UInt8] {
    var writer = ByteWriter(capacity: 256 + blob.count + sealedSecret.count)
    writeBinding(&writer)
    writer.uint16(UInt16(clamping: sealedSecret.count))
    writer.append(sealedSecret)
    return writer.bytes
  }

  /// The bytes.
  package var encoded: [UInt8] { authenticated + mac }

  private func writeBinding(_ writer: inout ByteWriter) {
    writer.append(Self.magic)
    writer.uint8(backend.code)
    writer.append(storeUUID)
    writer.append(keyID)
    let protection = control.protection.rawValue.utf8
    writer.uint8(UInt8(clamping: protection.count))
    writer.append(protection)
    writer.uint64(UInt64(control.flags.rawValue))
    writer.uint8(UInt8(clamping: stored.enrollment?.count ?? 0))
    writer.append(stored.enrollment ?? [])
    writer.uint8(stored.isBoundToPasscode ? 1 : 0)
    writer.append(publicKey)
    writer.uint16(UInt16(clamping: blob.count))
    writer.append(blob)
  }

  /// Decodes ``encoded``. The keychain verifies the MAC.
  ///
  /// - Throws: `ByteCodingError` for any bytes that ``encoded`` does not produce.
  package init(encoded: [UInt8]) throws(ByteCodingError) {
    var reader = ByteReader(encoded)
    guard try reader.bytes(Self.magic.count, "version of a key") == Self.magic else {
      throw .invalidValue(field: "version of a key")
    }
    guard let backend = EnclaveBackend(code: try reader.uint8("backend of a key")) else {
      throw .invalidValue(field: "backend of a key")
    }
    let storeUUID = try reader.bytes(Self.nameSize, "keychain of a key")
    let keyID = try reader.bytes(Self.nameSize, "name of a key")
    let control = try Self.control(&reader)
    let enrollment = try Self.enrollment(&reader, of: control)
    let binding = try reader.uint8("binding of a key")
    guard binding <= 1 else { throw .invalidValue(field: "binding of a key") }
    let publicKey = try reader.bytes(Self.publicKeySize, "public key of a key")
    guard publicKey.first == 4 else { throw .invalidValue(field: "public key of a key") }
    let blob = try Self.field(&reader, maximum: Self.maximumBlob, "blob of a key")
    self.init(
      backend: backend, storeUUID: storeUUID, keyID: keyID,
      stored: StoredControl(control: control, enrollment: enrollment, isBoundToPasscode: binding == 1),
      publicKey: publicKey, blob: blob)
    sealedSecret = try Self.field(&reader, maximum: Self.maximumSealedSecret, "secret of a key")
    guard !sealedSecret.isEmpty else { throw .invalidValue(field: "secret of a key") }
    mac = try reader.bytes(Self.macSize, "code of a key")
    try reader.finish("key")
  }

  private static func control(_ reader: inout ByteReader) throws(ByteCodingError) -> AccessControl {
    let length = Int(try reader.uint8("protection of a key"))
    let letters = try reader.bytes(length, "protection of a key")
    guard let protection = Accessibility(rawValue: String(decoding: letters, as: UTF8.self)),
      protection.isThisDeviceOnly
    else { throw .invalidValue(field: "protection of a key") }
    let flags = AccessControl.Flags(rawValue: UInt(try reader.uint64("flags of a key")))
    guard flags.isConsistent else { throw .invalidValue(field: "flags of a key") }
    return AccessControl(protection: protection, flags: flags)
  }

  private static func enrollment(
    _ reader: inout ByteReader, of control: AccessControl
  ) throws(ByteCodingError) -> [UInt8]? {
    let length = Int(try reader.uint8("enrollment of a key"))
    if length == 0 { return nil }
    guard length <= maximumEnrollment, control.flags.contains(.biometryCurrentSet) else {
      throw .invalidValue(field: "enrollment of a key")
    }
    return try reader.bytes(length, "enrollment of a key")
  }

  private static func field(
    _ reader: inout ByteReader, maximum: Int, _ name: StaticString
  ) throws(ByteCodingError) -> [UInt8] {
    let count = Int(try reader.uint16(name))
    guard count <= maximum else { throw .invalidValue(field: name) }
    return try reader.bytes(count, name)
  }
}

extension EnclaveBackend {
  /// The backend's number in representations: never renumber.
  fileprivate var code: UInt8 {
    switch self {
    case .software: 1
    case .tpm2: 2
    }
  }

  fileprivate init?(code: UInt8) {
    switch code {
    case 1: self = .software
    case 2: self = .tpm2
    default: return nil
    }
  }
}
