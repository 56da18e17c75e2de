/// The bytes that readers share: secret ones, which are wiped with the last reader, or plain ones, which are not copied.
enum BERStorage: Sendable {
  case secret(SecretBytes)
  case plain([UInt8])

  /// The byte at an offset inside the bytes.
  subscript(index: Int) -> UInt8 {
    switch self {
    case .secret(let secret): secret[index]
    case .plain(let bytes): bytes[index]
    }
  }

  /// The bytes of `range` as an array that nothing wipes.
  func array(_ range: Range<Int>) -> [UInt8] {
    switch self {
    case .secret(let secret): secret.array(range)
    case .plain(let bytes): Array(bytes[range])
    }
  }

  /// Calls `body` with the bytes of `range`.
  func withUnsafeBytes<Answer, Failure: Error>(
    in range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    switch self {
    case .secret(let secret): try secret.withUnsafeBytes(in: range, body)
    case .plain(let bytes):
      try bytes[range].withUnsafeBufferPointer { part throws(Failure) in try body(UnsafeRawBufferPointer(part)) }
    }
  }
}
