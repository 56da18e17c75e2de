package import LatchkeyByteCoding

/// What a device needs to join a wireless network.
///
/// The passphrase is overwritten when the last copy of the value goes, and is never printed.
public struct NetworkCredentials: Sendable {
  /// The network's name: 1 to 32 bytes, in no particular encoding.
  public let ssid: [UInt8]
  /// The passphrase: empty for an open network.
  package let passphrase: SecretBytes
  /// The address of the one access point to join, 6 bytes; nil: any of the network.
  public let bssid: [UInt8]?
  /// The channel to look on first; nil: all of them.
  public let channel: Int?
  /// Whether the network does not announce its name, and has to be asked for.
  public let isHidden: Bool

  /// The greatest length of a network's name, in bytes (IEEE 802.11 9.4.2.2).
  public static let greatestNameLength = 32
  /// The greatest length of a passphrase in bytes: WPA2's has 63 characters at most, a raw key 64 digits; WPA3's may be longer.
  public static let greatestPassphraseLength = 128

  /// Credentials for a network. The array of the passphrase stays the caller's to wipe.
  ///
  /// - Throws: `NetworkCredentialsError` if a length is out of its bounds.
  public init(
    ssid: [UInt8], passphrase: [UInt8], bssid: [UInt8]? = nil, channel: Int? = nil, isHidden: Bool = false
  ) throws(NetworkCredentialsError) {
    guard (1...Self.greatestNameLength).contains(ssid.count) else { throw .nameLength(ssid.count) }
    guard passphrase.count <= Self.greatestPassphraseLength else { throw .passphraseLength(passphrase.count) }
    guard bssid?.count ?? 6 == 6 else { throw .addressLength(bssid?.count ?? 0) }
    self.ssid = ssid
    self.passphrase = SecretBytes(passphrase)
    self.bssid = bssid
    self.channel = channel
    self.isHidden = isHidden
  }

  /// The name as text; bytes that are no UTF-8 become replacement characters.
  public var name: String { String(decoding: ssid, as: UTF8.self) }

  /// `{"ssid":…,"password":…}`, as programs get it; nil if either is no UTF-8. It is the caller's to keep short-lived.
  public var json: String? {
    guard let name = String(validating: ssid, as: UTF8.self),
      let password = passphrase.withUnsafeBytes({ String(validating: $0, as: UTF8.self) })
    else { return nil }
    return "{\"ssid\":\(JSONString.quote(name, escapes: .required)),"
      + "\"password\":\(JSONString.quote(password, escapes: .required))}"
  }

  /// Passes the passphrase to `body`, which must not retain it.
  public func withPassphrase<Answer>(_ body: (UnsafeRawBufferPointer) throws -> Answer) rethrows -> Answer {
    try passphrase.withUnsafeBytes { try body($0) }
  }
}

extension NetworkCredentials: CustomStringConvertible, CustomReflectable {
  /// A text without any of the parts.
  public var description: String { "the credentials of a network" }
  /// Empty: credentials never print their parts.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Credentials that no network can have.
public enum NetworkCredentialsError: Error, Hashable, Sendable {
  /// The network's name has this number of bytes, not 1 to 32.
  case nameLength(Int)
  /// The passphrase has this number of bytes, more than 128.
  case passphraseLength(Int)
  /// The access point's address has this number of bytes, not 6.
  case addressLength(Int)
}
