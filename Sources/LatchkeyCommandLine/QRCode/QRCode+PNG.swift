extension QRCode {
  /// The code as an image: PNG (ISO/IEC 15948), one bit a pixel, not compressed, with the quiet zone.
  ///
  /// - Parameter scale: the pixels of a module's side, 1 to 64.
  package func png(scale: Int = 8) -> [UInt8] {
    precondition((1...64).contains(scale))
    let pixels = (size + 2 * Self.quietZone) * scale
    var rows: [UInt8] = []
    for row in -Self.quietZone..<size + Self.quietZone {
      // Filter type 0, then the pixels, the first in the highest bit: 1 is white.
      var line = [UInt8](repeating: 0, count: 1 + (pixels + 7) / 8)
      for pixel in 0..<pixels where !isDark(row: row, column: pixel / scale - Self.quietZone) {
        line[1 + pixel / 8] |= 0x80 >> (pixel % 8)
      }
      for _ in 0..<scale { rows += line }
    }
    let header = Self.bigEndian(UInt32(pixels)) + Self.bigEndian(UInt32(pixels)) + [1, 0, 0, 0, 0]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Self.chunk("IHDR", header)
      + Self.chunk("IDAT", Self.stored(rows)) + Self.chunk("IEND", [])
  }

  /// Length, type, data, and the checksum of the last two (5.3).
  private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + data
    return bigEndian(UInt32(data.count)) + body + bigEndian(crc32(body))
  }

  /// A zlib stream of stored blocks (RFC 1950, RFC 1951 3.2.4).
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    let greatestBlock = 0xFFFF
    var stream: [UInt8] = [0x78, 0x01]
    for start in stride(from: 0, to: bytes.count, by: greatestBlock) {
      let block = bytes[start..<min(start + greatestBlock, bytes.count)]
      let (low, high) = (UInt8(block.count & 0xFF), UInt8(block.count >> 8))
      stream += [block.endIndex == bytes.count ? 1 : 0, low, high, ~low, ~high]
      stream += block
    }
    return stream + bigEndian(adler32(bytes))
  }

  /// RFC 1950 8.2.
  private static func adler32(_ bytes: [UInt8]) -> UInt32 {
    var (first, second): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      first = (first + UInt32(byte)) % 65521
      second = (second + first) % 65521
    }
    return second << 16 | first
  }

  /// ISO/IEC 15948 5.5, annex D.
  private static func crc32(_ bytes: [UInt8]) -> UInt32 {
    var register: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      register ^= UInt32(byte)
      for _ in 0..<8 { register = register >> 1 ^ (register & 1 == 0 ? 0 : 0xEDB8_8320) }
    }
    return ~register
  }

  private static func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}
