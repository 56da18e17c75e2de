import Foundation
import LatchkeyEnclaveKeys
package import LatchkeyKeychainModel
import Synchronization

/// A counter as hardware has one, which outlives the processes that use it: a number in a file, for one process at a time.
package final class FileCounter: HardwareCounter {
  private let file: Mutex<String>

  /// The counter in the file at `path`, which begins at 41 where there is none.
  package init(_ path: String) { file = Mutex(path) }

  package func value() throws(StoreError) -> UInt64 {
    try file.withLock { (path) throws(StoreError) in try Self.read(path) }
  }

  package func increment() throws(StoreError) -> UInt64 {
    try file.withLock { (path) throws(StoreError) in
      let next = try Self.read(path) + 1
      guard FileManager.default.createFile(atPath: path, contents: Data("\(next)".utf8)) else {
        throw .hardware("\(path) cannot be written")
      }
      return next
    }
  }

  private static func read(_ path: String) throws(StoreError) -> UInt64 {
    guard let data = FileManager.default.contents(atPath: path) else { return 41 }
    guard let number = UInt64(String(decoding: data, as: UTF8.self)) else { throw .hardware("\(path) holds no number") }
    return number
  }
}
