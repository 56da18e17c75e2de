import Synchronization

// Plain stores to memory that nobody reads again are dead to an optimizer, and go. Atomic stores stay: the compiler may not
// assume that no one else looks.

extension UnsafeMutableRawBufferPointer {
  /// Overwrites the memory with zeros, in a way that no optimizer removes.
  @inline(never)
  @usableFromInline
  package func wipe() {
    guard let baseAddress else { return }
    let width = MemoryLayout<UInt64>.size
    // Bytes up to the first whole word, words, and the bytes after the last.
    let head = Swift.min(count, -Int(bitPattern: baseAddress) & (width - 1))
    let words = (count - head) / width
    Self.wipeBytes(baseAddress, head)
    let cells = (baseAddress + head).bindMemory(to: Atomic<UInt64>.self, capacity: words)
    for index in 0..<words { cells[index].store(0, ordering: .relaxed) }
    Self.wipeBytes(baseAddress + head + words * width, count - head - words * width)
  }

  private static func wipeBytes(_ start: UnsafeMutableRawPointer, _ count: Int) {
    let cells = start.bindMemory(to: Atomic<UInt8>.self, capacity: count)
    for index in 0..<count { cells[index].store(0, ordering: .relaxed) }
  }
}

extension Array where Element: FixedWidthInteger & BitwiseCopyable {
  /// Overwrites the elements with zeros, in a way that no optimizer removes.
  ///
  /// Another array that shares the storage keeps its elements: wipe what is not shared.
  @inlinable
  package mutating func wipe() { withUnsafeMutableBytes { $0.wipe() } }
}

/// Overwrites `value`, plain bits without references, with zeros, in a way that no optimizer removes.
@inlinable
package func wipeBits<Value: BitwiseCopyable>(of value: inout Value) {
  withUnsafeMutableBytes(of: &value) { $0.wipe() }
}
