/// What a legacy peer sent, decrypted. Nothing proves who sent it, nor that it arrived as it was sent.
///
/// It may carry a network's password, so it prints its length alone.
public struct LegacyUnauthenticatedMessage: Equatable, Sendable {
  /// All decrypted bytes, the zero fill at the end included: empty, or a multiple of 16.
  public let bytes: [UInt8]

  /// A message of these decrypted bytes.
  public init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The bytes before the zero fill. Zero bytes with which the sender's own text ended are lost too: nothing tells them
  /// from the fill.
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
  /// Nothing: a message shows none of its bytes unasked.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
