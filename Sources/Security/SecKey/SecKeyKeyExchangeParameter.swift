public import Foundation

/// A key in the parameters of ``SecKeyCopyKeyExchangeResult(_:_:_:_:_:)`` (Apple, SecKey.h).
public struct SecKeyKeyExchangeParameter: RawRepresentable, Hashable, @unchecked Sendable {
  // Unchecked: `rawValue` is constant, and Foundation's strings may be read by any thread. An app that makes one of an
  // `NSMutableString` must not change that any more, as with Apple's.
  /// Apple's name.
  public let rawValue: CFString

  /// Creates the parameter with this name.
  public init(rawValue: CFString) { self.rawValue = rawValue }

  /// Creates the parameter with this name.
  public init(_ rawValue: CFString) { self.rawValue = rawValue }

  /// The size in bytes of a derived key; a number.
  public static let requestedSize = SecKeyKeyExchangeParameter(rawValue: "requestedSize")
  /// The shared information of a key derivation; data.
  public static let sharedInfo = SecKeyKeyExchangeParameter(rawValue: "sharedInfo")
}
