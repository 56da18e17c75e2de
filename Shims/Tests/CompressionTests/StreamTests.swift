import Compression
import Testing

private let finalize = Int32(COMPRESSION_STREAM_FINALIZE.rawValue)

/// A stream that is destroyed at the end of a test, fed with so many bytes, and so much room, at a time.
private final class Stream {
  private var stream = compression_stream()
  private(set) var output: [UInt8] = []

  init(_ operation: compression_stream_operation) {
    #expect(compression_stream_init(&stream, operation, COMPRESSION_ZLIB) == COMPRESSION_STATUS_OK)
  }

  deinit { compression_stream_destroy(&stream) }

  /// Runs until a step neither reads nor writes, or the stream ends or fails.
  func run(_ data: [UInt8], room: Int, flags: Int32) -> compression_status {
    data.withUnsafeBufferPointer { source in
      stream.src_ptr = source.baseAddress
      stream.src_size = source.count
      while true {
        var buffer = [UInt8](repeating: 0, count: room)
        let before = stream.src_size
        let status = buffer.withUnsafeMutableBufferPointer {
          stream.dst_ptr = $0.baseAddress
          stream.dst_size = room
          return compression_stream_process(&stream, flags)
        }
        output += buffer[..<(room - stream.dst_size)]
        let idle = before == stream.src_size && stream.dst_size == room
        if status != COMPRESSION_STATUS_OK || idle { return status }
      }
    }
  }
}

struct StreamTests {
  private let data = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 / 7 &* 11) }

  @Test("Data comes back through any room", arguments: [1, 2, 7, 4096, 100_000])
  func rooms(_ room: Int) {
    let encoder = Stream(COMPRESSION_STREAM_ENCODE)
    #expect(encoder.run(data, room: room, flags: finalize) == COMPRESSION_STATUS_END)
    #expect(encoder.output.count < data.count)
    let decoder = Stream(COMPRESSION_STREAM_DECODE)
    #expect(decoder.run(encoder.output, room: room, flags: finalize) == COMPRESSION_STATUS_END)
    #expect(decoder.output == data)
  }

  @Test("Data comes back in pieces of any length", arguments: [1, 3, 1000])
  func pieces(_ length: Int) {
    let encoder = Stream(COMPRESSION_STREAM_ENCODE)
    for start in stride(from: 0, to: data.count, by: length) {
      let piece = Array(data[start..<min(start + length, data.count)])
      #expect(encoder.run(piece, room: 512, flags: 0) == COMPRESSION_STATUS_OK)
    }
    #expect(encoder.run([], room: 512, flags: finalize) == COMPRESSION_STATUS_END)
    let length = encoder.output.count
    #expect(encoder.run([1, 2, 3], room: 512, flags: 0) == COMPRESSION_STATUS_END)
    #expect(encoder.output.count == length)
    let decoder = Stream(COMPRESSION_STREAM_DECODE)
    for (index, byte) in encoder.output.enumerated() {
      let status = decoder.run([byte], room: 512, flags: 0)
      #expect(status == (index == encoder.output.count - 1 ? COMPRESSION_STATUS_END : COMPRESSION_STATUS_OK))
    }
    #expect(decoder.output == data)
  }

  @Test("Bytes behind the end are left, and a stream at its end stays there")
  func behindTheEnd() {
    var stream = compression_stream()
    compression_stream_init(&stream, COMPRESSION_STREAM_DECODE, COMPRESSION_ZLIB)
    var room = [UInt8](repeating: 0, count: 64)
    (letters.compressed + [1, 2, 3]).withUnsafeBufferPointer { source in
      room.withUnsafeMutableBufferPointer { room in
        stream.src_ptr = source.baseAddress
        stream.src_size = source.count
        stream.dst_ptr = room.baseAddress
        stream.dst_size = room.count
        #expect(compression_stream_process(&stream, 0) == COMPRESSION_STATUS_END)
        #expect(stream.src_size == 3)
        #expect(stream.dst_size == 34)
        #expect(compression_stream_process(&stream, finalize) == COMPRESSION_STATUS_END)
        #expect(stream.src_size == 3)
      }
    }
    compression_stream_destroy(&stream)
  }

  @Test("Data that ends early is an error once it is final, not before")
  func early() {
    let decoder = Stream(COMPRESSION_STREAM_DECODE)
    #expect(decoder.run(Array(letters.compressed[..<3]), room: 64, flags: 0) == COMPRESSION_STATUS_OK)
    #expect(decoder.run([], room: 64, flags: finalize) == COMPRESSION_STATUS_ERROR)
    #expect(decoder.run(Array(letters.compressed[3...]), room: 64, flags: 0) == COMPRESSION_STATUS_ERROR)
  }

  @Test("What is not compressed data is an error, and stays one")
  func garbage() {
    let decoder = Stream(COMPRESSION_STREAM_DECODE)
    #expect(decoder.run([0x07], room: 64, flags: 0) == COMPRESSION_STATUS_ERROR)
    #expect(decoder.run(letters.compressed, room: 64, flags: 0) == COMPRESSION_STATUS_ERROR)
  }

  @Test("Other algorithms, and unknown operations, have no stream")
  func otherAlgorithms() {
    var stream = compression_stream()
    for algorithm in [COMPRESSION_LZFSE, COMPRESSION_LZMA, COMPRESSION_LZ4, COMPRESSION_BROTLI] {
      #expect(compression_stream_init(&stream, COMPRESSION_STREAM_ENCODE, algorithm) == COMPRESSION_STATUS_ERROR)
      #expect(stream.state == nil)
    }
    let unknown = compression_stream_operation(rawValue: 2)
    #expect(compression_stream_init(&stream, unknown, COMPRESSION_ZLIB) == COMPRESSION_STATUS_ERROR)
  }

  @Test("A stream that is not there, was destroyed, or has unknown flags, is an error")
  func misuse() {
    #expect(compression_stream_init(nil, COMPRESSION_STREAM_ENCODE, COMPRESSION_ZLIB) == COMPRESSION_STATUS_ERROR)
    #expect(compression_stream_process(nil, 0) == COMPRESSION_STATUS_ERROR)
    #expect(compression_stream_destroy(nil) == COMPRESSION_STATUS_ERROR)
    var stream = compression_stream()
    #expect(compression_stream_process(&stream, 0) == COMPRESSION_STATUS_ERROR)
    compression_stream_init(&stream, COMPRESSION_STREAM_ENCODE, COMPRESSION_ZLIB)
    #expect(compression_stream_process(&stream, 2) == COMPRESSION_STATUS_ERROR)
    stream.src_size = 5
    #expect(compression_stream_process(&stream, 0) == COMPRESSION_STATUS_ERROR)
    stream.src_size = 0
    stream.dst_size = 5
    #expect(compression_stream_process(&stream, 0) == COMPRESSION_STATUS_ERROR)
    #expect(compression_stream_destroy(&stream) == COMPRESSION_STATUS_OK)
    #expect(compression_stream_destroy(&stream) == COMPRESSION_STATUS_ERROR)
  }

  @Test("A stream without room reads no more than it can keep, and loses nothing")
  func noRoom() {
    var stream = compression_stream()
    compression_stream_init(&stream, COMPRESSION_STREAM_DECODE, COMPRESSION_ZLIB)
    defer { compression_stream_destroy(&stream) }
    var room = [UInt8](repeating: 0, count: 30)
    letters.compressed.withUnsafeBufferPointer { source in
      stream.src_ptr = source.baseAddress
      stream.src_size = source.count
      #expect(compression_stream_process(&stream, finalize) == COMPRESSION_STATUS_OK)
      room.withUnsafeMutableBufferPointer {
        stream.dst_ptr = $0.baseAddress
        stream.dst_size = 30
        #expect(compression_stream_process(&stream, finalize) == COMPRESSION_STATUS_END)
      }
    }
    #expect(room == letters.plain)
  }
}
