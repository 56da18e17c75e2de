import Foundation

/// swift-crypto hands secrets out as `Data`.
extension Data {
  /// Overwrites the bytes with zeros, in a way that no optimizer removes.
  mutating func wipe() {
    withUnsafeMutableBytes { memory in
      if let start = memory.baseAddress { explicit_bzero(start, memory.count) }
    }
  }

  /// The bytes in an array; these here, which nothing else must share, are overwritten. In place: what is moved by value
  /// may have been copied on the way.
  mutating func movedOut() -> [UInt8] {
    defer { wipe() }
    return [UInt8](self)
  }
}
