internal import LatchkeyByteCoding

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
  public static func random() -> Identifier {
    var generator = SystemRandomNumberGenerator()
    return Identifier(generated: (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }

  private init(generated: [UInt8]) { bytes = generated }

  /// 32 hexadecimal digits.
  public var description: String { Hexadecimal.encode(bytes) }
}
