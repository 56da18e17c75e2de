import LatchkeyByteCoding
import LatchkeyKeychainModel
import LatchkeyUserPresence

/// A row's `acl` column. An access control without flags is no column at all: it says nothing that the accessibility does
/// not.
///
/// Version 1, of what has no constraints: `UInt8` 1, then the flags as `UInt64`, least significant byte first.
/// Version 2, of what is constrained and of an enclave's keys: `UInt8` 2, the flags as before, `UInt8` of bits (1: bound
/// to the passcode, 2: the row keeps an enclave's key), `UInt8` length and bytes of what was enrolled.
struct AccessControlCoding: Hashable, Sendable {
  /// The flags.
  var flags: AccessControl.Flags = []
  /// What was enrolled, for `biometryCurrentSet`; nil where there was no biometry and something else is enough. An enclave's
  /// key has it in its representation.
  var enrollment: [UInt8]?
  /// Whether opening needs the passcode's key.
  var isBoundToPasscode = false
  /// Whether the row's data is the representation of an enclave's key.
  var isEnclaveKey = false

  /// The longest digest of what is enrolled.
  static let maximumEnrollment = 64

  private struct Bits: OptionSet {
    let rawValue: UInt8
    static let boundToPasscode = Bits(rawValue: 1)
    static let enclaveKey = Bits(rawValue: 2)
  }

  /// The column; nil if there is nothing to say.
  func encode() -> [UInt8]? {
    if isConstrained || isEnclaveKey { return encodeWhole() }
    if flags.isEmpty { return nil }
    var writer = ByteWriter(capacity: 9)
    writer.uint8(1)
    writer.uint64(UInt64(flags.rawValue))
    return writer.bytes
  }

  /// Version 2, whatever there is to say.
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

  /// - Throws: `ByteCodingError` for anything that ``encode()`` does not make.
  static func decode(_ bytes: [UInt8]?) throws(ByteCodingError) -> AccessControlCoding {
    guard let bytes else { return AccessControlCoding() }
    var reader = ByteReader(bytes)
    let version = try reader.uint8("version of an access control")
    guard version == 1 || version == 2 else { throw .invalidValue(field: "version of an access control") }
    var coding = AccessControlCoding()
    coding.flags = AccessControl.Flags(rawValue: UInt(try reader.uint64("flags of an access control")))
    if version == 2 {
      let bits = Bits(rawValue: try reader.uint8("bits of an access control"))
      guard bits.isSubset(of: [.boundToPasscode, .enclaveKey]) else {
        throw .invalidValue(field: "bits of an access control")
      }
      coding.isBoundToPasscode = bits.contains(.boundToPasscode)
      coding.isEnclaveKey = bits.contains(.enclaveKey)
      let length = Int(try reader.uint8("length of an enrollment"))
      guard length <= maximumEnrollment else { throw .invalidValue(field: "length of an enrollment") }
      if length > 0 { coding.enrollment = try reader.bytes(length, "enrollment") }
    }
    try reader.finish("access control")
    guard coding.isCanonical(version: version) else { throw .invalidValue(field: "flags of an access control") }
    return coding
  }

  /// Whether a column says something that the first format does not know.
  static func isOfNewestFormat(_ bytes: [UInt8]?) -> Bool { bytes?.first == 2 }

  private var isConstrained: Bool { !flags.isDisjoint(with: .constraints) }

  /// Whether the row's data opens only by consent. An enclave's key is guarded by the enclave.
  var guardsData: Bool { isConstrained && !isEnclaveKey }

  private func isCanonical(version: UInt8) -> Bool {
    guard flags.isConsistent else { return false }
    if version == 1 { return !flags.isEmpty && !isConstrained }
    if !isConstrained, !isEnclaveKey { return false }
    if isBoundToPasscode, flags.isDisjoint(with: [.devicePasscode, .userPresence]) { return false }
    return enrollment == nil || (flags.contains(.biometryCurrentSet) && !isEnclaveKey)
  }
}

extension StoredControl {
  /// The control as a row's column has it.
  var coding: AccessControlCoding {
    AccessControlCoding(flags: control.flags, enrollment: enrollment, isBoundToPasscode: isBoundToPasscode)
  }

  /// The control of a row.
  init(_ coding: AccessControlCoding, protection: Accessibility) {
    self.init(
      control: AccessControl(protection: protection, flags: coding.flags), enrollment: coding.enrollment,
      isBoundToPasscode: coding.isBoundToPasscode)
  }
}
