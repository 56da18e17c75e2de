// Random bytes (Apple, SecRandom.h).

/// A source of random bytes. There is one: ``kSecRandomDefault``.
public typealias SecRandomRef = OpaquePointer

/// The system's source of random bytes; nil stands for it.
nonisolated(unsafe) public let kSecRandomDefault: SecRandomRef? = nil

/// Fills `count` bytes at `bytes` with random ones from the operating system, fit for keys.
///
/// `errSecParam` when `count` is negative; nothing is written then.
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
