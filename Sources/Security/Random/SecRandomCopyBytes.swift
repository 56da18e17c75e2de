// Random bytes (Apple, SecRandom.h).

/// A source of random bytes. The only one is ``kSecRandomDefault``.
public typealias SecRandomRef = OpaquePointer

/// The system's source of random bytes, represented by nil.
nonisolated(unsafe) public let kSecRandomDefault: SecRandomRef? = nil

/// Fills `count` bytes at `bytes` with random bytes from the operating system, suitable for keys.
///
/// Returns `errSecParam` and writes nothing if `count` is negative.
@discardableResult
public func SecRandomCopyBytes(_ rnd: SecRandomRef?, _ count: Int, _ bytes: UnsafeMutableRawPointer) -> Int32 {
  guard count >= 0 else { return errSecParam }
  let target = UnsafeMutableRawBufferPointer(start: bytes, count: count)
  var generator = SystemRandomNumberGenerator()
  var filled = 0
  while filled < count {
    withUnsafeBytes(of: generator.next() as UInt64) { word in
      let part = min(word.count, count - filled)
      target[filled..<filled + part].copyBytes(from: word.prefix(part))
      filled += part
    }
  }
  return errSecSuccess
}
