#if TPM
  package import LatchkeyByteCoding

  /// The stored form of an object of a TPM, as bytes:
  ///
  ///     version (1) ‖ length (2) ‖ name of the TPM's storage primary ‖ TPM2B_PUBLIC ‖ TPM2B_PRIVATE ‖ extra
  ///
  /// Lengths are big-endian, as in the TPM's own structures. Nothing in it is secret: the TPM encrypted the private part, which
  /// is useless in any other TPM.
  package struct TPMBlob: Hashable, Sendable {
    /// The only version.
    static let version: UInt8 = 1

    /// The name of the storage primary. It differs for another TPM, and for this one after it is cleared.
    package var parentName: [UInt8]
    /// TPM2B_PUBLIC with its length.
    package var publicArea: [UInt8]
    /// TPM2B_PRIVATE with its length.
    package var privateArea: [UInt8]
    /// Additional data of the blob's user.
    package var extra: [UInt8]

    /// Creates a blob.
    package init(parentName: [UInt8], publicArea: [UInt8], privateArea: [UInt8], extra: [UInt8] = []) {
      self.parentName = parentName
      self.publicArea = publicArea
      self.privateArea = privateArea
      self.extra = extra
    }

    /// Parses a blob.
    package init(bytes: [UInt8]) throws(ByteCodingError) {
      var reader = ByteReader(bytes)
      guard try reader.uint8("version") == Self.version else { throw .invalidValue(field: "version") }
      let nameLength = Int(try reader.uint16BigEndian("name length"))
      // A name is an algorithm and its digest, here SHA-256.
      guard nameLength == 34 else { throw .invalidValue(field: "name length") }
      parentName = try reader.bytes(nameLength, "name")
      publicArea = try Self.sized(&reader, limit: 512, "public area")
      privateArea = try Self.sized(&reader, limit: 1024, "private area")
      extra = reader.remainingBytes()
      guard extra.count <= 2048 else { throw .invalidValue(field: "extra") }
    }

    /// The bytes.
    package var bytes: [UInt8] {
      var writer = ByteWriter()
      writer.uint8(Self.version)
      writer.uint16BigEndian(UInt16(truncatingIfNeeded: parentName.count))
      writer.append(parentName)
      writer.append(publicArea)
      writer.append(privateArea)
      writer.append(extra)
      return writer.bytes
    }

    private static func sized(
      _ reader: inout ByteReader, limit: Int, _ field: StaticString
    ) throws(ByteCodingError) -> [UInt8] {
      let length = try reader.uint16BigEndian(field)
      guard length > 0, length <= limit else { throw .invalidValue(field: field) }
      return [UInt8(length >> 8), UInt8(length & 0xFF)] + (try reader.bytes(Int(length), field))
    }
  }
#endif
