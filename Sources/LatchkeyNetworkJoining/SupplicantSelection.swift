import LatchkeyDBus
import LatchkeyProvisioningProtocol

/// Which networks wpa_supplicant may use, and which one it uses. To select a network disables all others.
struct SupplicantSelection {
  let current: String?
  let all: Set<String>
  let enabled: [String]
}

extension SupplicantSession {
  func selection(of interface: Interface) throws(JoinFailure) -> SupplicantSelection {
    let all = try networks(of: interface)
    let current = try property(of: interface.path, Name.interface, "CurrentNetwork").text
    return SupplicantSelection(
      current: current.flatMap { $0 == "/" ? nil : $0 }, all: Set(all),
      enabled: all.filter { (try? property(of: $0, Name.network, "Enabled"))?.flag == true })
  }

  /// Enables the networks that were enabled before, even if the caller no longer waits.
  func enable(_ selection: SupplicantSelection, except removed: Set<String> = []) {
    for path in selection.enabled where !removed.contains(path) {
      set(path, "Enabled", .boolean(true))
    }
  }

  private func set(_ path: String, _ name: String, _ value: BusValue) {
    _ = try? callToTheEnd(
      path, Self.propertiesInterface, "Set", [.string(Name.network), .string(name), .variant(value)],
      within: Self.farewellLimit)
  }

  /// Removes what an attempt has added and restores what was selected, even if the caller no longer waits.
  func abandon(_ network: String?, _ before: SupplicantSelection, on interface: Interface) {
    var added = network.map { [$0] } ?? []
    // The answer to AddNetwork was late.
    if network == nil { added = ownNetworks(of: interface).filter { !before.all.contains($0) } }
    for path in added { remove(path, from: interface) }
    if let current = before.current {
      _ = try? callToTheEnd(
        interface.path, Name.interface, "SelectNetwork", [.path(current)], within: Self.farewellLimit)
    }
    enable(before)
  }

  func remove(_ network: String, from interface: Interface) {
    _ = try? callToTheEnd(
      interface.path, Name.interface, "RemoveNetwork", [.path(network)], within: Self.farewellLimit)
  }

  /// The networks that were made here.
  ///
  /// - Parameter ssid: those of this network; nil: all.
  func ownNetworks(of interface: Interface, ssid: [UInt8]? = nil) -> [String] {
    let all =
      (try? callToTheEnd(
        interface.path, Self.propertiesInterface, "Get", [.string(Name.interface), .string("Networks")],
        within: Self.farewellLimit))?.first?.items ?? []
    return all.prefix(1024).compactMap(\.text).filter { path in
      let properties = try? callToTheEnd(
        path, Self.propertiesInterface, "Get", [.string(Name.network), .string("Properties")],
        within: Self.farewellLimit
      ).first
      guard let properties, properties["id_str"]?.text == "\"\(SupplicantNetwork.mark)\"" else { return false }
      return ssid.map { Self.isName(properties["ssid"]?.text, $0) } ?? true
    }
  }

  /// Whether a setting is the name of a network: text in quotation marks, or hexadecimal digits.
  static func isName(_ setting: String?, _ ssid: [UInt8]) -> Bool {
    guard let setting else { return false }
    if setting.hasPrefix("\""), setting.hasSuffix("\""), setting.utf8.count >= 2 {
      return Array(setting.utf8.dropFirst().dropLast()) == ssid
    }
    return setting.lowercased() == ssid.map { hexadecimal($0) }.joined()
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return digits.count == 1 ? "0" + digits : digits
  }

  private static let farewellLimit = Duration.seconds(5)
}
