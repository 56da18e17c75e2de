import Glibc
import LatchkeyKeychainModel

/// Bytes of the system's random source (getentropy(3)).
enum RandomBytes {
  /// Returns `count` bytes, at most 256.
  static func make(_ count: Int) throws(StoreError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard bytes.withUnsafeMutableBytes({ getentropy($0.baseAddress, $0.count) }) == 0 else {
      throw .inputOutput("the system gives no random bytes: \(String(cString: strerror(errno)))")
    }
    return bytes
  }
}
