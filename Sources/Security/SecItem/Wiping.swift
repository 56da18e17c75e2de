internal import Foundation
internal import LatchkeyKeychainModel

/// Secrets on their way through the calls are overwritten when these are done: the copies that were made here. The
/// caller's own data, and the data returned, are the caller's to care for.
extension [UInt8] {
  mutating func wipe() { Wiping.wipe(&self) }
}

/// Secrets of the modules above this one, too.
package enum Wiping {
  /// Overwrites the bytes, where they are this array's alone, in a way that no optimizer removes.
  package static func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { memory in
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
