internal import Crypto
internal import Foundation
internal import LatchkeySystem
internal import NIOCore

/// The content of a request in an open file, which is read by pieces.
final class RequestFile: Sendable {
  /// How many bytes are sent.
  let length: Int64
  private let descriptor: CInt
  private static let piece = 64 * 1024

  /// Opens a file; what is no regular file is copied to an unnamed one.
  ///
  /// - Throws: `.misuse`.
  init(_ path: String) throws(EnrollmentError) {
    let opened = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard opened >= 0 else { throw .misuse("\(path) cannot be read: \(SystemError(code: errno).text)") }
    let end = lseek(opened, 0, SEEK_END)
    if end > 0 {
      descriptor = opened
      length = Int64(end)
      return
    }
    // A pipe, or a file whose length is not known before it is read.
    defer { close(opened) }
    if end == 0 { lseek(opened, 0, SEEK_SET) }
    var template = Array("\(NSTemporaryDirectory())/latchkey-request-XXXXXX".utf8CString)
    let copy = mkstemp(&template)
    guard copy >= 0 else { throw .misuse("no temporary file can be made: \(SystemError(code: errno).text)") }
    unlink(template)
    _ = fcntl(copy, F_SETFD, FD_CLOEXEC)
    do throws(EnrollmentError) {
      length = try Self.copy(opened, to: copy, path)
    } catch {
      close(copy)
      throw error
    }
    descriptor = copy
  }

  deinit { close(descriptor) }

  private static func copy(_ source: CInt, to target: CInt, _ path: String) throws(EnrollmentError) -> Int64 {
    var total: Int64 = 0
    var buffer = [UInt8](repeating: 0, count: piece)
    while true {
      let count = read(source, &buffer, piece)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .misuse("\(path) cannot be read: \(SystemError(code: errno).text)") }
      if count == 0 { return total }
      var written = 0
      while written < count {
        let done = buffer.withUnsafeBytes { bytes in
          bytes.baseAddress.map { write(target, $0 + written, count - written) } ?? 0
        }
        if done < 0, errno == EINTR { continue }
        guard done > 0 else { throw .misuse("a temporary file cannot be written: \(SystemError(code: errno).text)") }
        written += done
      }
      total += Int64(count)
    }
  }

  /// The bytes from an offset on, at most a piece of them; empty at the end. A file that became shorter is an error.
  func bytes(at offset: Int64) throws(EnrollmentError) -> [UInt8] {
    let wanted = Int(min(Int64(Self.piece), length - offset))
    guard wanted > 0 else { return [] }
    var buffer = [UInt8](repeating: 0, count: wanted)
    while true {
      let count = pread(descriptor, &buffer, wanted, off_t(offset))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .misuse("the content became shorter while it was sent, or cannot be read") }
      return Array(buffer.prefix(count))
    }
  }

  /// The SHA-256 of the content.
  func digest() throws(EnrollmentError) -> [UInt8] {
    var hash = SHA256()
    var offset: Int64 = 0
    while offset < length {
      let bytes = try bytes(at: offset)
      hash.update(data: bytes)
      offset += Int64(bytes.count)
    }
    return Array(hash.finalize())
  }

  /// The content, read on threads that may block.
  var chunks: AsyncThrowingStream<ByteBuffer, any Error> {
    let offset = Offset()
    return AsyncThrowingStream { [self] in
      let start = offset.value
      let piece: [UInt8] = try await blocking { [self] () throws(EnrollmentError) in try bytes(at: start) }
      offset.value += Int64(piece.count)
      return piece.isEmpty ? nil : ByteBuffer(bytes: piece)
    }
  }

  /// Where the one reader of a stream is; its calls follow one another.
  private final class Offset: @unchecked Sendable { var value: Int64 = 0 }
}
