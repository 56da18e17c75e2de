import LatchkeyByteCoding

extension ByteReader {
  /// Reads a TPM2B: a big-endian length of two bytes, and that many bytes, at most `limit`.
  mutating func tpm2B(_ field: StaticString, limit: Int) throws(ByteCodingError) -> [UInt8] {
    let count = Int(try uint16BigEndian(field))
    guard count <= limit else { throw .invalidValue(field: field) }
    return try bytes(count, field)
  }

  mutating func tpmAlgorithm(_ field: StaticString) throws(ByteCodingError) -> TPMAlgorithm {
    TPMAlgorithm(rawValue: try uint16BigEndian(field))
  }
}

extension ByteWriter {
  /// Writes a TPM2B. For bytes beyond the maximum length it writes only the length 0.
  mutating func tpm2B(_ bytes: [UInt8]) {
    guard let count = UInt16(exactly: bytes.count) else { return uint16BigEndian(0) }
    uint16BigEndian(count)
    append(bytes)
  }
}
