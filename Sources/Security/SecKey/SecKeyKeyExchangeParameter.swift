public import Foundation

/// A key of the parameters of ``SecKeyCopyKeyExchangeResult(_:_:_:_:_:)`` (Apple, SecKey.h).
public struct SecKeyKeyExchangeParameter: RawRepresentable, Hashable, @unchecked Sendable {
  /// Apple's name of it.
  public let rawValue: CFString

  /// The parameter of this name.
  public init(rawValue: CFString) { self.rawValue = rawValue }

  /// The parameter of this name.
  public init(_ rawValue: CFString) { self.rawValue = rawValue }

  /// How many bytes are wanted of a key derivation; a number.
  public static let requestedSize = SecKeyKeyExchangeParameter(rawValue: "requestedSize")
  /// What else goes into a key derivation; data.
  public static let sharedInfo = SecKeyKeyExchangeParameter(rawValue: "sharedInfo")
}
