/// Bytes that are overwritten when the last reference to them goes, and never print.
///
/// They stand outside of arrays, so that nothing copies them unseen. They are written once, when they are made.
///
/// Places outside of the bytes are our own mistake and end the process: no input names one. Readers count lengths from outside
/// against what is left before they become places here.
package final class SecretBytes: @unchecked Sendable, CustomStringConvertible, CustomReflectable {
  // `Sendable`: nothing writes here after the initializer, and memory that is only read may be read by all.
  private let memory: UnsafeMutableBufferPointer<UInt8>

  /// Zeros.
  package init(count: Int) {
    memory = .allocate(capacity: count)
    memory.initialize(repeating: 0)
  }

  /// As many bytes, zeros at first, as `fill` leaves them.
  package convenience init<Failure: Error>(
    count: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    self.init(count: count)
    try fill(memory)
  }

  /// A copy.
  package convenience init(_ bytes: some Collection<UInt8>) {
    self.init(count: bytes.count)
    _ = memory.update(fromContentsOf: bytes)
  }

  /// The bytes of an array, which is wiped.
  package convenience init(consuming bytes: inout [UInt8]) {
    self.init(bytes)
    bytes.wipe()
  }

  deinit {
    UnsafeMutableRawBufferPointer(memory).wipe()
    memory.deallocate()
  }

  /// How many bytes there are.
  package var count: Int { memory.count }

  /// A byte.
  package subscript(index: Int) -> UInt8 {
    precondition(memory.indices.contains(index))
    return memory[index]
  }

  /// The bytes of `range`, to be read.
  package func withUnsafeBytes<Answer, Failure: Error>(
    in range: Range<Int>? = nil, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    let range = range ?? 0..<memory.count
    precondition(range.lowerBound >= 0 && range.upperBound <= memory.count)
    return try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[range]))
  }

  /// A copy of the bytes of `range` that nothing wipes.
  package func array(_ range: Range<Int>? = nil) -> [UInt8] { withUnsafeBytes(in: range) { [UInt8]($0) } }

  /// The bytes of `range` in memory of their own.
  package func copy(_ range: Range<Int>) -> SecretBytes { withUnsafeBytes(in: range) { SecretBytes($0) } }

  package var description: String { "a secret" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
