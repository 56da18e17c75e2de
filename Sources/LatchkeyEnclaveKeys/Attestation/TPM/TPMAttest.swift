import LatchkeyByteCoding

// TPM 2.0 Library Part 2 10.12.12 (TPMS_ATTEST), 10.12.1 (TPMS_CERTIFY_INFO), 10.11.1 (TPMS_CLOCK_INFO), 6.2
// (TPM_GENERATED_VALUE), 6.9 (TPM_ST_ATTEST_CERTIFY).

/// What a TPM signs when it certifies a key. The magic in front of it is what no restricted key signs for anybody else.
package struct TPMAttest: Hashable, Sendable {
  /// "\u{FF}TCG".
  package static let magic: UInt32 = 0xFF54_4347
  /// TPM_ST_ATTEST_CERTIFY.
  package static let typeCertify: UInt16 = 0x8017
  /// The longest TPM2B_NAME: an algorithm's number and a SHA-512 digest.
  package static let maximumName = 66

  /// TPM_GENERATED_VALUE, or something else that was never made by a TPM.
  package var magic: UInt32
  /// What kind of statement it is.
  package var type: UInt16
  /// The qualified name of the key that signs.
  package var qualifiedSigner: [UInt8]
  /// What the asking party wanted to see again.
  package var extraData: [UInt8]
  /// The TPM's clock, in milliseconds.
  package var clock: UInt64
  /// How often the TPM was reset.
  package var resetCount: UInt32
  /// How often it was restarted since.
  package var restartCount: UInt32
  /// Whether no greater clock was reported before.
  package var isClockSafe: Bool
  /// The vendor's number.
  package var firmwareVersion: UInt64
  /// The name of the key that is certified.
  package var name: [UInt8]
  /// Its qualified name.
  package var qualifiedName: [UInt8]

  /// Reads the whole of `bytes`. That ``magic`` and ``type`` are right is for the caller to check; of another type, what
  /// follows the header is not read, and the names are empty.
  package init(encoded bytes: [UInt8]) throws(AttestationFormatError) {
    do throws(ByteCodingError) {
      var reader = ByteReader(bytes)
      magic = try reader.uint32BigEndian("magic")
      type = try reader.uint16BigEndian("type")
      qualifiedSigner = try reader.tpm2B("qualifiedSigner", limit: Self.maximumName)
      extraData = try reader.tpm2B("extraData", limit: 66)
      clock = try reader.uint64BigEndian("clock")
      resetCount = try reader.uint32BigEndian("resetCount")
      restartCount = try reader.uint32BigEndian("restartCount")
      switch try reader.uint8("safe") {
      case 0: isClockSafe = false
      case 1: isClockSafe = true
      default: throw .invalidValue(field: "safe")
      }
      firmwareVersion = try reader.uint64BigEndian("firmwareVersion")
      guard type == Self.typeCertify else {
        (name, qualifiedName) = ([], [])
        return
      }
      name = try reader.tpm2B("name", limit: Self.maximumName)
      qualifiedName = try reader.tpm2B("qualifiedName", limit: Self.maximumName)
      try reader.finish("TPMS_ATTEST")
    } catch {
      throw .structure("certInfo", error)
    }
  }
}
