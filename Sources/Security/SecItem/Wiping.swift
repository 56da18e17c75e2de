internal import Foundation
internal import KeychainModel

/// Secrets on their way through the calls are overwritten when these are done: the copies that were made here. The
/// caller's own data, and the data returned, are the caller's to care for.
extension [UInt8] {
  /// Overwrites the bytes, where they are this array's alone.
  mutating func wipe() {
    withUnsafeMutableBytes { memory in
      if let start = memory.baseAddress { explicit_bzero(start, memory.count) }
    }
  }
}

extension [StoredItem] {
  /// Overwrites the items' data.
  mutating func wipeData() {
    for index in indices { self[index].data?.wipe() }
  }
}
