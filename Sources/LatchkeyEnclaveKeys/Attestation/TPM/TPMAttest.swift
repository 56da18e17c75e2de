import LatchkeyByteCoding

// TPM 2.0 Library Part 2 10.12.12 (TPMS_ATTEST), 10.12.1 (TPMS_CERTIFY_INFO), 10.11.1 (TPMS_CLOCK_INFO), 6.2
// (TPM_GENERATED_VALUE), 6.9 (TPM_ST_ATTEST_CERTIFY).

/// The structure that a TPM signs when it certifies a key. A restricted key signs no external data that begins with the magic.
package struct TPMAttest: Hashable, Sendable {
  /// "\u{FF}TCG".
  package static let magic: UInt32 = 0xFF54_4347
  /// TPM_ST_ATTEST_CERTIFY.
  package static let typeCertify: UInt16 = 0x8017
  /// The longest TPM2B_NAME: an algorithm's number and a SHA-512 digest.
  package static let maximumName = 66

  /// TPM_GENERATED_VALUE; any other value means that no TPM made the structure.
  package var magic: UInt32
  /// The type of the attestation.
  package var type: UInt16
  /// The qualified name of the signing key.
  package var qualifiedSigner: [UInt8]
  /// The verifier's qualifying data.
  package var extraData: [UInt8]
  /// The TPM's clock, in milliseconds.
  package var clock: UInt64
  /// The number of TPM resets.
  package var resetCount: UInt32
  /// The number of restarts since the last reset.
  package var restartCount: UInt32
  /// Whether no greater clock value was reported before.
  package var isClockSafe: Bool
  /// The vendor's number.
  package var firmwareVersion: UInt64
  /// The name of the certified key.
  package var name: [UInt8]
  /// The qualified name of the certified key.
  package var qualifiedName: [UInt8]

  /// Parses all of `bytes`. The caller checks ``magic`` and ``type``. For another type, the bytes after the header are not
  /// parsed, and the names are empty.
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
