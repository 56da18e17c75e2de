internal import Glibc
internal import LatchkeyByteCoding
internal import LatchkeySystem

/// A random 128-bit name, 32 lower-case hexadecimal digits in text: no sequence, so that servers need not agree.
public struct Identifier: Sendable, Hashable, CustomStringConvertible {
  /// 16 bytes.
  public let bytes: [UInt8]

  /// A name of 16 bytes; nil for any other count.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    self.bytes = Array(bytes)
  }

  /// A name from 32 hexadecimal digits in lower case.
  public init?(_ text: String) {
    guard text.utf8.count == 32, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
      let bytes = try? Hexadecimal.decode(text)
    else { return nil }
    self.init(bytes: bytes)
  }

  /// A new name.
  public static func random() -> Identifier { Identifier(fresh: RandomBytes.fresh(16)) }

  /// A new name that begins with the time, as version 7 of UUIDs does (RFC 9562 5.7): rows that are made together stand together in
  /// an index, so that a commit of many changes few of its pages. 80 bits are random. It tells when it was made.
  public static func ordered() -> Identifier {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let milliseconds = UInt64(clamping: time.tv_sec) &* 1000 &+ UInt64(clamping: time.tv_nsec / 1_000_000)
    let time48 = withUnsafeBytes(of: milliseconds.bigEndian) { Array($0.dropFirst(2)) }
    return Identifier(fresh: time48 + RandomBytes.fresh(10))
  }

  private init(fresh bytes: [UInt8]) { self.bytes = bytes }

  /// 32 hexadecimal digits.
  public var description: String { Hexadecimal.encode(bytes) }
}
