import Crypto
package import LatchkeyByteCoding

/// Why a file of keys is not read.
package enum StoredFileError: Error, Equatable, Sendable {
  /// Its content is not what was written.
  case damaged(ByteCodingError)
  /// It is whole, and of a version that came after this code. It must stay as it is.
  case newerVersion(UInt8, known: UInt8)
}

/// What all files of keys have in every version, whatever their content: a signature of four bytes, the version, and at
/// the end the SHA-256 of all that comes before. So a file of a newer version is told from a damaged one.
package enum StoredFrame {
  private static let digestSize = 32

  /// Begins a file.
  static func begin(_ signature: [UInt8], version: UInt8, capacity: Int) -> ByteWriter {
    // Reserved at once, so that no copy of keys stays behind.
    var writer = ByteWriter(capacity: capacity + signature.count + 1 + digestSize)
    writer.append(signature)
    writer.uint8(version)
    return writer
  }

  /// Ends a file.
  static func finish(_ writer: inout ByteWriter) { writer.append(digest(of: writer.bytes)) }

  /// A file without its frame.
  static func content(
    of bytes: [UInt8], _ signature: [UInt8], version: UInt8
  ) throws(StoredFileError) -> ByteReader {
    let found: UInt8
    var reader: ByteReader
    do throws(ByteCodingError) {
      var whole = ByteReader(bytes)
      reader = try whole.subReader(max(0, bytes.count - digestSize), "content")
      let digest = try whole.bytes(digestSize, "digest")
      guard try reader.bytes(signature.count, "signature") == signature else {
        throw .invalidValue(field: "signature")
      }
      found = try reader.uint8("version")
      // First: a bit that changed makes no newer version.
      guard constantTimeEquals(self.digest(of: Array(bytes.dropLast(digestSize))), digest) else {
        throw .invalidValue(field: "digest")
      }
      guard found > 0 else { throw .invalidValue(field: "version") }
    } catch {
      throw .damaged(error)
    }
    guard found <= version else { throw .newerVersion(found, known: version) }
    return reader
  }

  /// What stands at the end of a file with this content.
  package static func digest(of content: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: content)) }
}
