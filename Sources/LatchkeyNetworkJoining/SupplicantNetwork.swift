import LatchkeyByteCoding
import LatchkeyDBus
import LatchkeyProvisioningProtocol

/// The network that is added to wpa_supplicant (wpa_supplicant.conf(5), section "network blocks").
struct SupplicantNetwork {
  /// Marks the networks that were made here, in their `id_str`.
  static let mark = "latchkey-provisioned"

  /// `a{sv}`. The passphrase in it is wiped with its last copy.
  let settings: BusValue
  let usesSAE: Bool
  let usesPSK: Bool

  /// - Parameter hasSAE: whether wpa_supplicant has WPA3. It leaves it out itself where the radio has not.
  /// - Throws: as `NetworkKey` does.
  init(_ credentials: NetworkCredentials, _ accessPoint: AccessPoint?, hasSAE: Bool = true) throws(JoinFailure) {
    let key = try NetworkKey(credentials, accessPoint?.security)
    var settings: [String: BusValue] = [
      "ssid": .bytes(credentials.ssid), "id_str": .string(Self.mark),
      // Before the networks that were there, unless those have a priority of their own.
      "priority": .int32(1),
    ]
    // Networks that do not announce their names answer to those who ask for them.
    if credentials.isHidden || accessPoint == nil { settings["scan_ssid"] = .int32(1) }
    if let bssid = credentials.bssid {
      settings["bssid"] = .string(bssid.map { Hexadecimal.encode([$0]) }.joined(separator: ":"))
    }
    (usesPSK, usesSAE) = Self.use(key, hasSAE: hasSAE)
    for (name, value) in try Self.security(key, usesSAE: usesSAE) { settings[name] = value }
    self.settings = .options(settings)
  }

  private static func use(_ key: NetworkKey, hasSAE: Bool) -> (psk: Bool, sae: Bool) {
    switch key {
    case .preSharedKey: (true, false)
    case .preSharedKeyOrSAE: (true, hasSAE)
    case .sae: (false, true)
    case .open, .owe, .wep: (false, false)
    }
  }

  private static func security(_ key: NetworkKey, usesSAE: Bool) throws(JoinFailure) -> [String: BusValue] {
    // ieee80211w: 1 is management frame protection where the network has it, 2 always; WPA3 demands it.
    switch key {
    case .open: return ["key_mgmt": .string("NONE")]
    case .owe: return ["key_mgmt": .string("OWE"), "ieee80211w": .int32(2)]
    case .wep(let key):
      return ["key_mgmt": .string("NONE"), "wep_key0": try wep(key), "wep_tx_keyidx": .int32(0)]
    case .preSharedKey(let key), .preSharedKeyOrSAE(let key):
      return [
        "key_mgmt": .string(usesSAE ? "WPA-PSK SAE" : "WPA-PSK"), "psk": preSharedKey(key), "ieee80211w": .int32(1),
      ]
    case .sae(let password):
      return ["key_mgmt": .string("SAE"), "sae_password": .secret(password), "ieee80211w": .int32(2)]
    }
  }

  /// A string is a passphrase, and bytes are the key itself.
  private static func preSharedKey(_ key: SecretBytes) -> BusValue {
    key.count == 64 ? .secretBytes(bytes(ofDigits: key)) : .secret(key)
  }

  private static func wep(_ key: SecretBytes) throws(JoinFailure) -> BusValue {
    switch key.count {
    case 5, 13: return .secret(key)
    case 10 where isHexadecimal(key), 26 where isHexadecimal(key): return .secretBytes(bytes(ofDigits: key))
    default: throw .wrongPassphrase
    }
  }

  private static func isHexadecimal(_ key: SecretBytes) -> Bool { key.withUnsafeBytes(NetworkKey.isHexadecimal) }

  /// Hexadecimal digits, which were checked, as bytes.
  private static func bytes(ofDigits digits: SecretBytes) -> SecretBytes {
    func value(_ digit: UInt8) -> UInt8 { digit <= 0x39 ? digit & 0x0F : (digit & 0x0F) + 9 }
    return SecretBytes(count: digits.count / 2) { bytes in
      for index in bytes.indices { bytes[index] = value(digits[2 * index]) << 4 | value(digits[2 * index + 1]) }
    }
  }
}
