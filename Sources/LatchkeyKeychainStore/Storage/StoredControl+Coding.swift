import LatchkeyByteCoding
import LatchkeyKeychainModel

/// A row's `acl` column. An access control without flags is stored as NULL: it adds nothing to the accessibility, which has a
/// column of its own.
///
/// Version 1, without constraints: `UInt8` 1, then the flags as `UInt64`, least significant byte first. Version 2, for
/// constrained rows and keys of the enclave: `UInt8` 2, the flags as before, `UInt8` of bits (1: bound to the passcode, 2: the
/// row holds an enclave key), `UInt8` length and bytes of the enrollment digest.
extension StoredControl {
  /// The size limit of an enrollment digest, in bytes.
  static let maximumEnrollment = 64

  private struct Bits: OptionSet {
    let rawValue: UInt8
    static let boundToPasscode = Bits(rawValue: 1)
    static let enclaveKey = Bits(rawValue: 2)
  }

  /// Encodes the column; nil if there is nothing to store.
  func encode() -> [UInt8]? {
    if isConstrained || isEnclaveKey { return encodeWhole() }
    if flags.isEmpty { return nil }
    var writer = ByteWriter(capacity: 9)
    writer.uint8(1)
    writer.uint64(UInt64(flags.rawValue))
    return writer.bytes
  }

  /// Encodes version 2, whatever the fields are.
  func encodeWhole() -> [UInt8] {
    var writer = ByteWriter(capacity: 11 + (enrollment?.count ?? 0))
    writer.uint8(2)
    writer.uint64(UInt64(flags.rawValue))
    var bits: Bits = []
    if isBoundToPasscode { bits.insert(.boundToPasscode) }
    if isEnclaveKey { bits.insert(.enclaveKey) }
    writer.uint8(bits.rawValue)
    writer.uint8(UInt8(clamping: enrollment?.count ?? 0))
    if let enrollment { writer.append(enrollment) }
    return writer.bytes
  }

  /// Decodes the column of a row with this accessibility.
  ///
  /// - Throws: `ByteCodingError` for anything that ``encode()`` does not make.
  static func decode(_ bytes: [UInt8]?, protection: Accessibility) throws(ByteCodingError) -> StoredControl {
    var stored = StoredControl(control: AccessControl(protection: protection))
    guard let bytes else { return stored }
    var reader = ByteReader(bytes)
    let version = try reader.uint8("version of an access control")
    guard version == 1 || version == 2 else { throw .invalidValue(field: "version of an access control") }
    stored.control.flags = AccessControl.Flags(rawValue: UInt(try reader.uint64("flags of an access control")))
    if version == 2 {
      let bits = Bits(rawValue: try reader.uint8("bits of an access control"))
      guard bits.isSubset(of: [.boundToPasscode, .enclaveKey]) else {
        throw .invalidValue(field: "bits of an access control")
      }
      stored.isBoundToPasscode = bits.contains(.boundToPasscode)
      stored.isEnclaveKey = bits.contains(.enclaveKey)
      let length = Int(try reader.uint8("length of an enrollment"))
      guard length <= maximumEnrollment else { throw .invalidValue(field: "length of an enrollment") }
      if length > 0 { stored.enrollment = try reader.bytes(length, "enrollment") }
    }
    try reader.finish("access control")
    guard stored.isCanonical(version: version) else { throw .invalidValue(field: "flags of an access control") }
    return stored
  }

  private func isCanonical(version: UInt8) -> Bool {
    guard flags.isConsistent else { return false }
    if version == 1 { return !flags.isEmpty && !isConstrained }
    if !isConstrained, !isEnclaveKey { return false }
    if isBoundToPasscode, flags.isDisjoint(with: [.devicePasscode, .userPresence]) { return false }
    return enrollment == nil || (flags.contains(.biometryCurrentSet) && !isEnclaveKey)
  }
}
