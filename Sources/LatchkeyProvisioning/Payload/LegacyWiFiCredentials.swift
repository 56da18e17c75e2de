import Foundation
import LatchkeyByteCoding

/// A network's name and password, as the legacy protocol carries them here: `{"ssid":…,"password":…}` in UTF-8.
///
/// It prints neither.
public struct LegacyWiFiCredentials: Equatable, Sendable {
  /// The longest name of a network, in bytes of UTF-8 (IEEE 802.11-2020 9.4.2.2).
  public static let maximumSSIDLength = 32
  /// The longest password that is accepted, in bytes of UTF-8: more than WPA's 63 characters or 64 digits, for passwords of WPA3.
  public static let maximumPasswordLength = 128
  /// The longest text that is parsed: both at their longest, each byte escaped, and some white space.
  static let maximumTextLength = 2048

  /// The network's name: 1 to 32 bytes of UTF-8.
  public let ssid: String
  /// The password, empty for an open network: at most 128 bytes of UTF-8.
  public let password: String

  /// Credentials within the bounds.
  ///
  /// - Throws: `ssidLength` or `passwordLength`, and `embeddedNUL` for a zero character, which the protocol's zero fill and
  ///   the programs that configure networks would cut off.
  public init(ssid: String, password: String) throws(LegacyPayloadError) {
    guard (1...Self.maximumSSIDLength).contains(ssid.utf8.count) else { throw .ssidLength(ssid.utf8.count) }
    guard password.utf8.count <= Self.maximumPasswordLength else { throw .passwordLength(password.utf8.count) }
    guard !ssid.utf8.contains(0), !password.utf8.contains(0) else { throw .embeddedNUL }
    self.ssid = ssid
    self.password = password
  }

  /// The credentials that `json` holds. Members other than `ssid` and `password` are ignored.
  ///
  /// - Throws: `notCredentials` unless it is an object with both as strings, and as `init(ssid:password:)` does.
  public init(json: String) throws(LegacyPayloadError) {
    guard json.utf8.count <= Self.maximumTextLength,
      let members = try? JSONDecoder().decode(Members.self, from: Data(json.utf8))
    else { throw .notCredentials }
    try self.init(ssid: members.ssid, password: members.password)
  }

  /// The text that is sent: `{"ssid":"…","password":"…"}`, always in this order, with required escapes alone.
  public var json: String {
    "{\"ssid\":\(JSONString.quote(ssid, escapes: .required)),"
      + "\"password\":\(JSONString.quote(password, escapes: .required))}"
  }

  private struct Members: Decodable {
    let ssid: String
    let password: String
  }
}

extension LegacyWiFiCredentials: CustomStringConvertible, CustomReflectable {
  /// The type's name alone.
  public var description: String { "LegacyWiFiCredentials" }
  /// Empty: credentials never print their parts.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a text cannot be sent, or is malformed. No case carries any of it.
public enum LegacyPayloadError: Error, Equatable, Sendable {
  /// A network's name has this many bytes: none, or more than 32.
  case ssidLength(Int)
  /// A password has this many bytes, more than 128.
  case passwordLength(Int)
  /// A zero character stands in it.
  case embeddedNUL
  /// The text is no JSON object with the strings `ssid` and `password`.
  case notCredentials
}
