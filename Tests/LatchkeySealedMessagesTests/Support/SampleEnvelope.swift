import Foundation
import LatchkeyByteCoding
import LatchkeySealedMessages

/// The vector of the envelope: keys, transfer and what they give.
enum SampleEnvelope {
  static func keys() throws -> LegacyEnvelopeKeys {
    try LegacyEnvelopeKeys(
      encryption: "0123456789abcdef0123456789abcdef", authentication: "fedcba9876543210fedcba9876543210")
  }

  static let transfer = LegacyTransfer(
    toAccount: "123123456456", fromAccount: "654654123123", transferDate: "2012-02-27 05:00:00 +0000",
    transferNotes: "Book advance to savings.", amount: "23.23")

  static let mac = "b31edae9664fd16b093f222c3a2191fbbbba9272d189d82bfda8d4df1e43521c"

  /// 0, 1, 2, … as often as asked for.
  static func counting(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0) } }

  static func sealed(_ transfer: LegacyTransfer = transfer) throws -> [UInt8] {
    try LegacyEnvelope.seal(transfer, keys: keys(), random: counting)
  }

  /// An envelope of any plaintext and MAC text.
  static func envelope(
    _ plaintext: String, authenticated: [UInt8], iv: [UInt8] = counting(16)
  ) throws -> [String: String] {
    let keys = try keys()
    return [
      "iv": Data(iv).base64EncodedString(), "mac": Hexadecimal.encode(keys.code(of: authenticated)),
      "payload": Data(keys.encrypt(Array(plaintext.utf8), iv: iv) ?? []).base64EncodedString(),
    ]
  }

  static func json(_ members: [String: String]) throws -> [UInt8] {
    Array(try JSONSerialization.data(withJSONObject: members))
  }

  static func members(_ body: [UInt8]) throws -> [String: String] {
    try JSONSerialization.jsonObject(with: Data(body)) as? [String: String] ?? [:]
  }

  static func open(_ members: [String: String]) throws -> LegacyEnvelope.Opened {
    try LegacyEnvelope.openTransfer(json(members), keys: keys())
  }
}
