import LatchkeyByteCoding
import LatchkeyProvisioningProtocol

/// How a network is entered, by what it announces and what is known to open it.
enum NetworkKey {
  case open
  case owe
  /// 5 or 13 characters, or twice as many hexadecimal digits.
  case wep(SecretBytes)
  /// WPA or WPA2: a passphrase of 8 to 63 printable characters, or a key of 64 hexadecimal digits.
  case preSharedKey(SecretBytes)
  /// WPA2 or WPA3, with a passphrase that both take.
  case preSharedKeyOrSAE(SecretBytes)
  /// WPA3: a password of any length, UTF-8 without zeros.
  case sae(SecretBytes)

  /// - Parameter security: what the network announces; nil if nobody sees it.
  /// - Throws: `.wrongPassphrase` if the network cannot have this one, `.other` if it needs more than one.
  init(_ credentials: NetworkCredentials, _ security: NetworkSecurity?) throws(JoinFailure) {
    let passphrase = credentials.passphrase
    switch security ?? Self.guess(passphrase) {
    case .open: self = .open
    case .owe: self = .owe
    case .wep:
      guard passphrase.count > 0 else { throw .wrongPassphrase }
      self = .wep(try Self.text(passphrase))
    case .wpa3:
      guard passphrase.count > 0 else { throw .wrongPassphrase }
      self = .sae(try Self.text(passphrase))
    case .wpa, .wpa2, .wpaWPA2:
      guard Self.isPreSharedKey(passphrase) else { throw .wrongPassphrase }
      self = .preSharedKey(passphrase)
    case .wpa2WPA3:
      guard Self.isPreSharedKey(passphrase) else { throw .wrongPassphrase }
      // WPA3 has no keys of 64 digits.
      self = passphrase.count == 64 ? .preSharedKey(passphrase) : .preSharedKeyOrSAE(passphrase)
    // A user name and certificates, which no protocol of ours carries.
    default: throw .other
    }
  }

  /// The kind of a network that nobody sees, by what is known to open it.
  private static func guess(_ passphrase: SecretBytes) -> NetworkSecurity {
    if passphrase.count == 0 { return .open }
    guard isPreSharedKey(passphrase) else { return .wpa3 }
    return passphrase.count == 64 ? .wpa2 : .wpa2WPA3
  }

  /// 8 to 63 printable characters, or 64 hexadecimal digits (IEEE 802.11 J.4).
  private static func isPreSharedKey(_ passphrase: SecretBytes) -> Bool {
    passphrase.withUnsafeBytes { bytes in
      switch bytes.count {
      case 8...63: bytes.allSatisfy { (0x20...0x7E).contains($0) }
      case 64: isHexadecimal(bytes)
      default: false
      }
    }
  }

  static func isHexadecimal(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x46).contains($0) || (0x61...0x66).contains($0) }
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
}
