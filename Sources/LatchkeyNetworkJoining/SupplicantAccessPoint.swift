import LatchkeyDBus
import LatchkeyProvisioningProtocol

extension AccessPoint {
  /// An access point of wpa_supplicant (fi.w1.wpa_supplicant1.BSS).
  init?(supplicant path: String, _ properties: BusValue) {
    // Not one of an ad hoc network.
    guard properties["Mode"]?.text ?? "infrastructure" == "infrastructure" else { return nil }
    let (wpa, rsn) = (Self.keyManagement(properties["WPA"]), Self.keyManagement(properties["RSN"]))
    self.init(
      path: path, ssid: properties["SSID"]?.octets ?? [], rssi: properties["Signal"]?.number ?? -127,
      channel: Self.channel(properties["Frequency"]?.number ?? 0), bssid: properties["BSSID"]?.octets,
      security: Self.security(
        hasPrivacy: properties["Privacy"]?.flag ?? false, wpaPSK: Self.hasPSK(wpa), rsnPSK: Self.hasPSK(rsn),
        sae: rsn.contains { $0 == "sae" || $0.hasPrefix("sae-ext") || $0.hasPrefix("ft-sae") },
        enterprise: (wpa + rsn).contains { $0.contains("eap") || $0.contains("fils") }, owe: rsn.contains("owe")))
  }

  private static func keyManagement(_ element: BusValue?) -> [String] {
    (element?["KeyMgmt"]?.items ?? []).prefix(32).compactMap(\.text)
  }

  private static func hasPSK(_ names: [String]) -> Bool {
    names.contains { ["wpa-psk", "wpa-ft-psk", "wpa-psk-sha256"].contains($0) }
  }
}
