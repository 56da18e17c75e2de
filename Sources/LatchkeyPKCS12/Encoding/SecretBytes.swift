import Foundation

/// Bytes that are overwritten when the last who holds them lets go. They stand outside of arrays, so that nothing copies
/// them unseen; a slice of them is a ``BERReader``, which holds on to the whole.
///
/// Places outside of the bytes are our own mistake and end the process. No file can name one: its lengths are read by
/// ``BERReader`` alone, whose `header` lets none pass that is longer than what is left, so that a reader's `position` and
/// `end` lie inside of its storage. All other places are counted from ``count`` (`PKCS12KeyDerivation`, and
/// `BlockChaining`, which refuses what has no whole block first).
final class SecretBytes {
  private let memory: UnsafeMutableBufferPointer<UInt8>

  /// Zeros.
  init(count: Int) {
    memory = .allocate(capacity: count)
    memory.initialize(repeating: 0)
  }

  /// A copy.
  convenience init(_ bytes: some Collection<UInt8>) {
    self.init(count: bytes.count)
    _ = memory.update(fromContentsOf: bytes)
  }

  deinit {
    if let start = memory.baseAddress { explicit_bzero(start, memory.count) }
    memory.deallocate()
  }

  var count: Int { memory.count }

  /// A byte.
  subscript(index: Int) -> UInt8 {
    get {
      precondition(memory.indices.contains(index))
      return memory[index]
    }
    set {
      precondition(memory.indices.contains(index))
      memory[index] = newValue
    }
  }

  /// The bytes of `range`, to be read.
  func withUnsafeBytes<Answer>(in range: Range<Int>? = nil, _ body: (UnsafeRawBufferPointer) -> Answer) -> Answer {
    let range = range ?? 0..<memory.count
    precondition(range.lowerBound >= 0 && range.upperBound <= memory.count)
    return body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[range]))
  }

  /// A copy of the bytes of `range` that nothing wipes.
  func array(_ range: Range<Int>? = nil) -> [UInt8] { withUnsafeBytes(in: range) { [UInt8]($0) } }

  /// The bytes of `range` in memory of their own.
  func copy(_ range: Range<Int>) -> SecretBytes { withUnsafeBytes(in: range) { SecretBytes($0) } }

  /// Takes the bytes out of `data`, which nothing else must share, and overwrites them there.
  static func moved(from data: inout Data) -> SecretBytes {
    let bytes = SecretBytes(data)
    data.withUnsafeMutableBytes { rest in
      if let start = rest.baseAddress { explicit_bzero(start, rest.count) }
    }
    return bytes
  }
}

extension [UInt8] {
  /// Overwrites the bytes with zeros, in a way that no optimizer removes. Another array that shares the storage keeps its
  /// bytes: wipe what is not shared.
  mutating func wipe() {
    withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      explicit_bzero(start, bytes.count)
    }
  }
}
