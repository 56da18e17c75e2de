import LatchkeyDBus
import LatchkeyProvisioningProtocol

extension AccessPoint {
  /// An access point of NetworkManager (org.freedesktop.NetworkManager.AccessPoint).
  init?(networkManager path: String, _ properties: BusValue) {
    let strength = min(max(properties["Strength"]?.number ?? 0, 0), 100)
    self.init(
      path: path, ssid: properties["Ssid"]?.octets ?? [],
      // NetworkManager maps -100 to -40 dBm to 0 to 100.
      rssi: -100 + strength * 60 / 100, channel: Self.channel(properties["Frequency"]?.number ?? 0),
      bssid: Self.address(properties["HwAddress"]?.text ?? ""),
      security: Self.security(
        flags: properties["Flags"]?.number ?? 0, wpa: properties["WpaFlags"]?.number ?? 0,
        rsn: properties["RsnFlags"]?.number ?? 0), lastSeen: properties["LastSeen"]?.number ?? -1)
  }

  /// NM80211ApFlags and NM80211ApSecurityFlags.
  private static func security(flags: Int, wpa: Int, rsn: Int) -> NetworkSecurity {
    let (psk, enterprise, sae, owe) = (0x100, 0x200 | 0x2000, 0x400, 0x800)
    return security(
      // Privacy.
      hasPrivacy: flags & 1 != 0, wpaPSK: wpa & psk != 0, rsnPSK: rsn & psk != 0, sae: rsn & sae != 0,
      enterprise: (wpa | rsn) & enterprise != 0, owe: rsn & owe != 0)
  }
}
