internal import Foundation
internal import Synchronization

/// Bytes that are overwritten when nobody holds them any more, and never print.
final class Secret: Sendable, CustomStringConvertible, CustomReflectable {
  private let content: Mutex<[UInt8]>

  /// Takes the bytes over; the caller keeps no copy.
  init(_ bytes: consuming [UInt8]) { content = Mutex(bytes) }

  /// A password as it is hashed: canonically composed, in UTF-8, so that it does not matter which keyboard wrote it (RFC 8265 4.2).
  convenience init(password: String) { self.init(Array(password.precomposedStringWithCanonicalMapping.utf8)) }

  deinit { content.withLock { $0.wipe() } }

  func withBytes<T, E: Error>(_ body: (borrowing [UInt8]) throws(E) -> T) throws(E) -> T {
    try content.withLock { bytes throws(E) in try body(bytes) }
  }

  var description: String { "a secret" }
  var customMirror: Mirror { Mirror(self, children: []) }
}

extension [UInt8] {
  /// Overwrites the bytes with zeros, in a way that no optimizer removes. An array that shares the storage keeps its bytes.
  mutating func wipe() {
    withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      explicit_bzero(start, bytes.count)
    }
  }
}
