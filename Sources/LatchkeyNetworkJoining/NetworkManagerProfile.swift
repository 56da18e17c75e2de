import LatchkeyByteCoding
import LatchkeyDBus
import LatchkeyProvisioningProtocol
import LatchkeySystem

/// The profile that is added for a network.
struct NetworkManagerProfile {
  /// Marks the profiles that were made here, in their setting `user`.
  static let mark = "org.latchkey.provisioned"

  let uuid: String
  /// `a{sa{sv}}`. The passphrase in it is wiped with its last copy.
  let settings: BusValue

  /// - Throws: `.wrongPassphrase` if the network cannot have this one, `.other` if it needs more than one.
  init(_ credentials: NetworkCredentials, accessPoint: NetworkManagerAccessPoint?) throws(JoinFailure) {
    var generator = SystemRandomNumberGenerator()
    uuid = Self.uuid(&generator)
    var wireless: [String: BusValue] = ["ssid": .bytes(credentials.ssid), "mode": .string("infrastructure")]
    if credentials.isHidden { wireless["hidden"] = .boolean(true) }
    if let bssid = credentials.bssid { wireless["bssid"] = .bytes(bssid) }
    var settings: [String: BusValue] = [
      "connection": .options([
        // A name for people, who see it in settings; what is no text becomes replacement characters.
        "id": .string(PrintableText.oneLine(credentials.ssid)), "type": .string("802-11-wireless"),
        "uuid": .string(uuid),
      ]),
      "802-11-wireless": .options(wireless),
      "user": .options(["data": .dictionary(of: "s", [Self.mark: .string("1")])]),
    ]
    if let security = try Self.security(credentials, accessPoint?.security) {
      settings["802-11-wireless-security"] = .options(security)
    }
    self.settings = .dictionary(of: "a{sv}", settings)
  }

  private static func security(
    _ credentials: NetworkCredentials, _ security: NetworkSecurity?
  ) throws(JoinFailure) -> [String: BusValue]? {
    let passphrase = credentials.passphrase
    switch security ?? guess(passphrase) {
    case .open: return nil
    case .owe: return ["key-mgmt": .string("owe")]
    case .wep:
      guard passphrase.count > 0 else { throw .wrongPassphrase }
      return ["key-mgmt": .string("none"), "wep-key0": .secret(try text(passphrase))]
    case .wpa3:
      guard passphrase.count > 0 else { throw .wrongPassphrase }
      return ["key-mgmt": .string("sae"), "psk": .secret(try text(passphrase))]
    case .wpa, .wpa2, .wpaWPA2, .wpa2WPA3:
      guard isPreSharedKey(passphrase) else { throw .wrongPassphrase }
      return ["key-mgmt": .string("wpa-psk"), "psk": .secret(try text(passphrase))]
    // A user name and certificates, which no protocol of ours carries.
    default: throw .other
    }
  }

  /// The kind of a network that nobody sees, by what is known to open it.
  private static func guess(_ passphrase: SecretBytes) -> NetworkSecurity {
    if passphrase.count == 0 { return .open }
    return isPreSharedKey(passphrase) ? .wpa2 : .wpa3
  }

  /// 8 to 63 printable characters, or 64 hexadecimal digits (IEEE 802.11 J.4).
  private static func isPreSharedKey(_ passphrase: SecretBytes) -> Bool {
    passphrase.withUnsafeBytes { bytes in
      switch bytes.count {
      case 8...63: bytes.allSatisfy { (0x20...0x7E).contains($0) }
      case 64:
        bytes.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x46).contains($0) || (0x61...0x66).contains($0) }
      default: false
      }
    }
  }

  /// The passphrase as a string of D-Bus: UTF-8 without zeros.
  private static func text(_ passphrase: SecretBytes) throws(JoinFailure) -> SecretBytes {
    let isText = passphrase.withUnsafeBytes { bytes in
      var decoder = UTF8()
      var iterator = bytes.makeIterator()
      while true {
        switch decoder.decode(&iterator) {
        case .scalarValue(let scalar): if scalar.value == 0 { return false }
        case .emptyInput: return true
        case .error: return false
        }
      }
    }
    guard isText else { throw .wrongPassphrase }
    return passphrase
  }

  /// A random UUID (RFC 9562 5.4).
  private static func uuid(_ generator: inout some RandomNumberGenerator) -> String {
    var bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = Hexadecimal.encode(bytes)
    var (text, rest) = ("", digits[...])
    for length in [8, 4, 4, 4] {
      text += rest.prefix(length) + "-"
      rest = rest.dropFirst(length)
    }
    return text + rest
  }
}
