public import Foundation
internal import LatchkeyEnclaveKeys

/// What is done with a key, and how input and output are written (Apple, SecKey.h, `SecKeyAlgorithm`).
///
/// All of Apple's 87 constants are here. Any other name can be written, and no key supports it.
public struct SecKeyAlgorithm: RawRepresentable, Hashable, @unchecked Sendable {
  /// Apple's name of it, as `algid:sign:ECDSA:message-X962:SHA256`.
  public let rawValue: CFString
  /// The same taken apart, so that using a key compares no texts; nil for a name that is none of Apple's.
  let parts: KeyAlgorithm?

  /// The algorithm of this name.
  public init(rawValue: CFString) {
    self.rawValue = rawValue
    parts = Self.byName[rawValue as String]
  }

  /// The algorithm of this name.
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
