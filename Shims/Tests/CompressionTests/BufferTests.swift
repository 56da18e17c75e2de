import Compression
import Testing

/// `aaaa…` compressed by another implementation (Python's zlib, raw deflate): 30 times the letter.
let letters: (plain: [UInt8], compressed: [UInt8]) = (
  [UInt8](repeating: 0x61, count: 30), [0x4B, 0x4C, 0xC4, 0x07, 0x00]
)

private func encode(_ data: [UInt8], room: Int, by algorithm: compression_algorithm = COMPRESSION_ZLIB) -> [UInt8] {
  var bytes = [UInt8](repeating: 0xEE, count: room + 1)
  let length = compression_encode_buffer(&bytes, room, data, data.count, nil, algorithm)
  #expect(bytes.last == 0xEE)
  return Array(bytes[..<length])
}

private func decode(_ data: [UInt8], room: Int, by algorithm: compression_algorithm = COMPRESSION_ZLIB) -> [UInt8] {
  var bytes = [UInt8](repeating: 0xEE, count: room + 1)
  let length = compression_decode_buffer(&bytes, room, data, data.count, nil, algorithm)
  #expect(bytes.last == 0xEE)
  return Array(bytes[..<length])
}

struct BufferTests {
  @Test("Raw deflate of another implementation is decoded, and the stored block of RFC 1951 3.2.4")
  func others() {
    #expect(decode(letters.compressed, room: 30) == letters.plain)
    #expect(decode([0x01, 0x03, 0x00, 0xFC, 0xFF, 0x61, 0x62, 0x63], room: 3) == Array("abc".utf8))
  }

  @Test("Data of each length comes back", arguments: [0, 1, 2, 255, 65_535, 65_536, 300_000])
  func lengths(_ length: Int) {
    let data = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* $0 / 3) }
    let compressed = encode(data, room: length + 1024)
    #expect(!compressed.isEmpty)
    #expect(decode(compressed, room: length + 1) == data)
  }

  @Test("A result that does not fit is none when it is encoded", arguments: [1, 2, 5])
  func smallEncoding(_ room: Int) {
    #expect(encode(letters.plain, room: room) == [])
  }

  @Test("A result that does not fit is cut when it is decoded, at the end of the buffer", arguments: [1, 29, 30])
  func smallDecoding(_ room: Int) {
    #expect(decode(letters.compressed, room: room) == Array(letters.plain[..<room]))
  }

  @Test("A gigabyte that comes out of a megabyte is cut at the buffer's end")
  func bomb() {
    var stream = compression_stream()
    #expect(compression_stream_init(&stream, COMPRESSION_STREAM_ENCODE, COMPRESSION_ZLIB) == COMPRESSION_STATUS_OK)
    let zeros = [UInt8](repeating: 0, count: 1 << 20)
    var bomb = [UInt8](repeating: 0, count: 1 << 21)
    var written = 0
    for round in 0..<64 {
      zeros.withUnsafeBufferPointer { source in
        bomb.withUnsafeMutableBufferPointer { room in
          stream.src_ptr = source.baseAddress
          stream.src_size = source.count
          stream.dst_ptr = room.baseAddress! + written
          stream.dst_size = room.count - written
          _ = compression_stream_process(&stream, round == 63 ? Int32(COMPRESSION_STREAM_FINALIZE.rawValue) : 0)
          written = room.count - stream.dst_size
        }
      }
    }
    compression_stream_destroy(&stream)
    #expect(written < 1 << 17)
    #expect(decode(Array(bomb[..<written]), room: 1000) == [UInt8](repeating: 0, count: 1000))
  }

  @Test("What is not compressed data gives 0")
  func garbage() {
    // The reserved kind of block, a stored block whose lengths differ, a distance before the start, random bytes.
    for data: [UInt8] in [
      [0x07], [0x01, 0x03, 0x00, 0xFC, 0x00, 0x61], [0x4B, 0x04, 0x23, 0x00], [0xFF, 0xFE, 0xFD],
    ] {
      #expect(decode(data, room: 64) == [])
    }
  }

  @Test("Data that ends early gives 0, at whatever byte")
  func early() {
    for length in 0..<letters.compressed.count - 1 {
      #expect(decode(Array(letters.compressed[..<length]), room: 64) == [])
    }
    #expect(decode([], room: 64) == [])
  }

  @Test("A stream with zlib's or gzip's header is no raw deflate")
  func headers() {
    #expect(decode([0x78, 0x9C] + letters.compressed, room: 64) == [])
    #expect(decode([0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 3] + letters.compressed, room: 64) == [])
  }

  @Test(
    "Other algorithms give 0",
    arguments: [
      COMPRESSION_LZ4, COMPRESSION_LZ4_RAW, COMPRESSION_LZMA, COMPRESSION_LZFSE, COMPRESSION_LZBITMAP,
      COMPRESSION_BROTLI, compression_algorithm(rawValue: 0), compression_algorithm(rawValue: .max),
    ].map(\.rawValue))
  func otherAlgorithms(_ algorithm: UInt32) {
    #expect(encode(letters.plain, room: 64, by: compression_algorithm(algorithm)) == [])
    #expect(decode(letters.compressed, room: 64, by: compression_algorithm(algorithm)) == [])
  }

  @Test("NULL and no room give 0")
  func nulls() {
    var bytes = [UInt8](repeating: 0, count: 64)
    let data = letters.plain
    #expect(compression_encode_buffer(nil, 64, data, data.count, nil, COMPRESSION_ZLIB) == 0)
    #expect(compression_encode_buffer(&bytes, 0, data, data.count, nil, COMPRESSION_ZLIB) == 0)
    #expect(compression_encode_buffer(&bytes, 64, nil, 5, nil, COMPRESSION_ZLIB) == 0)
    #expect(compression_decode_buffer(nil, 64, letters.compressed, 5, nil, COMPRESSION_ZLIB) == 0)
    #expect(compression_decode_buffer(&bytes, 0, letters.compressed, 5, nil, COMPRESSION_ZLIB) == 0)
    #expect(compression_decode_buffer(&bytes, 64, nil, 5, nil, COMPRESSION_ZLIB) == 0)
  }

  @Test("No scratch buffer is needed, and one that is given is accepted")
  func scratch() {
    var scratch = [UInt8](repeating: 0, count: compression_encode_scratch_buffer_size(COMPRESSION_ZLIB) + 1)
    #expect(compression_decode_scratch_buffer_size(COMPRESSION_ZLIB) == 0)
    var bytes = [UInt8](repeating: 0, count: 64)
    #expect(compression_decode_buffer(&bytes, 64, letters.compressed, 5, &scratch, COMPRESSION_ZLIB) == 30)
  }
}
