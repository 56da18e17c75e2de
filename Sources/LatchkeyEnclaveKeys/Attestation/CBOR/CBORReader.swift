import LatchkeyByteCoding

extension CBORValue {
  /// Parses exactly one value in the core deterministic encoding (RFC 8949 4.2.1): shortest forms, definite lengths, keys
  /// sorted bytewise and unique. Other encodings are refused, so that a parsed value encodes to the same bytes.
  package init(encoded bytes: [UInt8], limits: CBORLimits = .attestation) throws(CBORError) {
    guard bytes.count <= limits.bytes else { throw .tooLarge }
    var reader = CBORReader(input: ByteReader(bytes), valuesLeft: limits.values)
    self = try reader.value(depthLeft: limits.depth)
    guard reader.input.isEmpty else { throw .trailingBytes }
  }
}

private struct CBORReader {
  var input: ByteReader
  var valuesLeft: Int

  mutating func value(depthLeft: Int) throws(CBORError) -> CBORValue {
    valuesLeft -= 1
    guard valuesLeft >= 0 else { throw .tooLarge }
    let head = try head()
    switch head.major {
    case 0: return .unsigned(head.argument)
    case 1: return .negative(head.argument)
    case 2: return .bytes(try string(head.argument))
    case 3:
      guard let text = String(validating: try string(head.argument), as: UTF8.self) else { throw .notUTF8 }
      return .text(text)
    case 4: return .array(try array(head.argument, depthLeft: depthLeft))
    case 5: return .map(try map(head.argument, depthLeft: depthLeft))
    default:
      switch (head.initial, head.argument) {
      case (0xF4, _): return .boolean(false)
      case (0xF5, _): return .boolean(true)
      default: throw .unsupportedValue
      }
    }
  }

  private struct Head {
    var initial: UInt8
    var argument: UInt64
    var major: UInt8 { initial >> 5 }
  }

  /// Reads the initial byte and its argument (RFC 8949 3).
  private mutating func head() throws(CBORError) -> Head {
    let initial = try byte()
    let information = initial & 0x1F
    switch information {
    case 0..<24: return Head(initial: initial, argument: UInt64(information))
    case 24...27:
      var argument: UInt64 = 0
      let size = 1 << Int(information - 24)
      for _ in 0..<size { argument = argument << 8 | UInt64(try byte()) }
      // In major type 7 these are floating-point numbers and further simple values, which are unsupported.
      guard initial >> 5 < 7 else { throw .unsupportedValue }
      // The smallest value that does not fit the next shorter form; below 24 the initial byte holds it.
      let floor = size == 1 ? 24 : UInt64(1) << UInt64(size * 4)
      guard argument >= floor else { throw .notShortest }
      return Head(initial: initial, argument: argument)
    case 31 where (2...5).contains(initial >> 5): throw .indefiniteLength
    default: throw .unsupportedValue
    }
  }

  private mutating func byte() throws(CBORError) -> UInt8 {
    do throws(ByteCodingError) { return try input.uint8("CBOR") } catch { throw .truncated }
  }

  /// Reads a string of an untrusted length.
  private mutating func string(_ length: UInt64) throws(CBORError) -> [UInt8] {
    guard let length = Int(exactly: length) else { throw .truncated }
    do throws(ByteCodingError) { return try input.bytes(length, "CBOR") } catch { throw .truncated }
  }

  private mutating func array(_ length: UInt64, depthLeft: Int) throws(CBORError) -> [CBORValue] {
    let count = try elements(length, bytesEach: 1, depthLeft: depthLeft)
    var values: [CBORValue] = []
    values.reserveCapacity(count)
    for _ in 0..<count { values.append(try value(depthLeft: depthLeft - 1)) }
    return values
  }

  private mutating func map(_ length: UInt64, depthLeft: Int) throws(CBORError) -> [String: CBORValue] {
    let count = try elements(length, bytesEach: 2, depthLeft: depthLeft)
    var values: [String: CBORValue] = [:]
    values.reserveCapacity(count)
    var last: [UInt8] = []
    for index in 0..<count {
      let head = try head()
      guard head.major == 3 else { throw .unsupportedKey }
      let key = try string(head.argument)
      guard key.allSatisfy({ $0 < 0x80 }) else { throw .unsupportedKey }
      guard index == 0 || last.isOrderedBefore(key) else { throw .unsortedKeys }
      values[String(decoding: key, as: UTF8.self)] = try value(depthLeft: depthLeft - 1)
      last = key
    }
    return values
  }

  /// Validates a container's element count against the remaining bytes, before anything is allocated.
  private func elements(_ length: UInt64, bytesEach: Int, depthLeft: Int) throws(CBORError) -> Int {
    guard depthLeft > 0 else { throw .tooLarge }
    guard let count = Int(exactly: length), count <= input.remaining / bytesEach else { throw .truncated }
    guard count <= valuesLeft else { throw .tooLarge }
    return count
  }
}

extension [UInt8] {
  /// Whether this text's encoding sorts before the other's: a shorter one does, since its length comes first (RFC 8949 4.2.1,
  /// bytewise order of the encodings).
  func isOrderedBefore(_ other: [UInt8]) -> Bool {
    count == other.count ? lexicographicallyPrecedes(other) : count < other.count
  }
}
