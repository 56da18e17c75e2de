import Foundation

extension [UInt8] {
  /// Overwrites the bytes with zeros, in a way that no optimizer removes.
  ///
  /// Another array that shares the storage keeps its bytes: wipe what is not shared.
  mutating func wipe() {
    withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      explicit_bzero(start, bytes.count)
    }
  }
}
