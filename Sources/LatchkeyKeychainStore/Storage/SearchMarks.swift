import Crypto

/// Computes the secret marks that ``HeaderSums`` adds up.
struct SearchMarks: Sendable {
  private let mac: PreparedMAC

  init(setHashKey: SymmetricKey) {
    mac = PreparedMAC(SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array("search".utf8), using: setHashKey)))
  }

  /// The contribution of a row with this number and mark to its chunk.
  func row(_ id: Int64, mark: [UInt8]) -> UInt128 { number(0, 0, id, mark) }

  /// The contribution of a primary-key index entry to its bucket.
  func primaryKey(_ tag: [UInt8], of id: Int64) -> UInt128 { number(1, 0, id, tag) }

  /// The contribution of a tag index entry to its bucket.
  func tag(_ tag: AttributeTag, of id: Int64) -> UInt128 { number(2, tag.name, id, tag.value) }

  /// All fields but the last have a fixed size, so the message is unambiguous.
  private func number(_ kind: UInt8, _ name: UInt32, _ id: Int64, _ value: [UInt8]) -> UInt128 {
    withUnsafeTemporaryAllocation(byteCount: 13 + value.count, alignment: 1) { message in
      message[0] = kind
      withUnsafeBytes(of: name.littleEndian) { bytes in
        for index in 0..<4 { message[1 + index] = bytes[index] }
      }
      withUnsafeBytes(of: id.littleEndian) { bytes in
        for index in 0..<8 { message[5 + index] = bytes[index] }
      }
      for index in value.indices { message[13 + index] = value[index] }
      return mac.number(UnsafeRawBufferPointer(message))
    }
  }
}

extension PreparedMAC {
  /// The first 16 bytes of the code of `message`, as a number.
  fileprivate func number(_ message: UnsafeRawBufferPointer) -> UInt128 {
    code(of: message).withUnsafeBytes { code in
      let low = code.loadUnaligned(fromByteOffset: 0, as: UInt64.self).littleEndian
      let high = code.loadUnaligned(fromByteOffset: 8, as: UInt64.self).littleEndian
      return UInt128(high) << 64 | UInt128(low)
    }
  }
}
