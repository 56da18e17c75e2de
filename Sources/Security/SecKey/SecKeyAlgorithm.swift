public import Foundation
internal import LatchkeyEnclaveKeys

/// An algorithm of a key, with the encoding of its input and output (Apple, SecKey.h, `SecKeyAlgorithm`).
///
/// All of Apple's 87 constants are defined. An algorithm with any other name can be created, but no key supports it.
public struct SecKeyAlgorithm: RawRepresentable, Hashable, @unchecked Sendable {
  // Unchecked: `rawValue` is constant, and Foundation's strings may be read by any thread. An app that makes one of an
  // `NSMutableString` must not change that any more, as with Apple's.
  /// Apple's name, such as `algid:sign:ECDSA:message-X962:SHA256`.
  public let rawValue: CFString
  /// The parsed name, so that using a key does not compare texts; nil for a name that is not Apple's.
  let parts: KeyAlgorithm?

  /// Creates the algorithm with this name.
  public init(rawValue: CFString) {
    self.rawValue = rawValue
    parts = Self.byName[rawValue as String]
  }

  /// Creates the algorithm with this name.
  public init(_ rawValue: CFString) { self.init(rawValue: rawValue) }

  init(_ name: String, _ parts: KeyAlgorithm) {
    rawValue = name as NSString
    self.parts = parts
  }

  /// Whether both have the same name.
  public static func == (a: SecKeyAlgorithm, b: SecKeyAlgorithm) -> Bool { a.rawValue == b.rawValue }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

  private static let byName: [String: KeyAlgorithm] = Dictionary(
    (rsaSignatures + ecdsaSignatures + rsaEncryptions + eciesEncryptions + ecdhKeyExchanges).compactMap { algorithm in
      algorithm.parts.map { (algorithm.rawValue as String, $0) }
    }, uniquingKeysWith: { first, _ in first })
}
