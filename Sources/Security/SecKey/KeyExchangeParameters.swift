internal import Foundation
internal import LatchkeyEnclaveKeys
internal import LatchkeyKeychainModel

/// The parameters of a key exchange. They are parsed for the algorithm, because without a key derivation they are ignored
/// (SecKeyAdaptors.m of Security-61901).
struct KeyExchangeParameters {
  /// The maximum length of a derived key in bytes. A longer one is a mistake, and would waste memory.
  static let longest = 1 << 20

  private let dictionary: NSDictionary

  init(_ dictionary: NSDictionary) { self.dictionary = dictionary }

  /// The size and the shared information for `algorithm`.
  ///
  /// - Throws: `errSecParam` for a derivation without a size, with one below 1 or above ``longest``, or with shared
  ///   information that is not data.
  func values(for algorithm: KeyAlgorithm) throws(KeyFault) -> (size: Int?, sharedInfo: [UInt8]) {
    guard case .ecdh(_, .some) = algorithm else { return (nil, []) }
    guard let given = value(.requestedSize), case .number = QueryValue(given),
      let size = QueryValue(given).wholeNumber, (1...Int64(Self.longest)).contains(size)
    else {
      throw KeyFault(
        errSecParam,
        "a key derivation wants SecKeyKeyExchangeParameter.requestedSize, a number from 1 to \(Self.longest)")
    }
    guard let given = value(.sharedInfo) else { return (Int(size), []) }
    guard case .bytes(let data) = QueryValue(given) else {
      throw KeyFault(errSecParam, "SecKeyKeyExchangeParameter.sharedInfo is data")
    }
    return (Int(size), [UInt8](data))
  }

  /// The value of a parameter, whose key is its name or, as in Swift code, the constant itself.
  private func value(_ parameter: SecKeyKeyExchangeParameter) -> Any? {
    if let value = dictionary.object(forKey: parameter.rawValue) { return value }
    for (key, value) in dictionary where key as? SecKeyKeyExchangeParameter == parameter { return value }
    return nil
  }
}
