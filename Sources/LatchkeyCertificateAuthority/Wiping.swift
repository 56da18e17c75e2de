internal import Foundation

extension [UInt8] {
  /// Overwrites the bytes with zeros, in a way that no optimizer removes. An array that shares the storage keeps its bytes.
  mutating func wipe() {
    withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      explicit_bzero(start, bytes.count)
    }
  }
}
