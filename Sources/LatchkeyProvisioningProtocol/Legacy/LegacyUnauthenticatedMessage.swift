/// A decrypted message of a legacy peer. Nothing proves its sender, nor that it arrived unchanged.
///
/// It may carry a network's password, so it prints its length alone.
public struct LegacyUnauthenticatedMessage: Equatable, Sendable {
  /// All decrypted bytes, the zero fill at the end included: empty, or a multiple of 16.
  public let bytes: [UInt8]

  /// A message of these decrypted bytes.
  public init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The bytes before the zero fill. Zero bytes at the end of the sender's own text are lost too: they look like
  /// the fill.
  public var trimmedBytes: ArraySlice<UInt8> {
    guard let last = bytes.lastIndex(where: { $0 != 0 }) else { return [] }
    return bytes[...last]
  }

  /// The text before the zero fill; nil if it is not UTF-8.
  public var text: String? { String(validating: trimmedBytes, as: UTF8.self) }
}

extension LegacyUnauthenticatedMessage: CustomStringConvertible, CustomReflectable {
  /// The length alone.
  public var description: String { "LegacyUnauthenticatedMessage(\(bytes.count) bytes)" }
  /// Empty: a message never prints its bytes.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
