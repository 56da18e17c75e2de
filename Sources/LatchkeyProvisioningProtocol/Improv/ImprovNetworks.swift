/// Networks as the result of a scan names them: name, strength and kind, three strings each.
package enum ImprovNetworks {
  /// The strongest of the networks that one frame of at most `limit` bytes carries.
  ///
  /// Names that are no text are omitted: clients end the connection at one, and could not send it back.
  package static func result(_ networks: [ScannedNetwork], limit: Int) -> ImprovFrame {
    let room = ImprovStrings.room(limit)
    var data: [UInt8] = []
    var names: Set<[UInt8]> = []
    for network in networks.sorted(by: { $0.rssi > $1.rssi }) {
      guard !network.ssid.isEmpty, network.ssid.count <= NetworkCredentials.greatestNameLength,
        String(validating: network.ssid, as: UTF8.self) != nil, !names.contains(network.ssid)
      else { continue }
      let strings = ImprovStrings.encode([
        network.ssid, Array(String(min(max(network.rssi, -127), 0)).utf8), Array(word(for: network.security).utf8),
      ])
      guard data.count + strings.count <= room else { continue }
      names.insert(network.ssid)
      data += strings
    }
    return ImprovFrame(.scan, data: data)
  }

  /// Reads the result, strongest first, each name once.
  package static func decode(_ data: [UInt8]) throws(ImprovFrameError) -> [ScannedNetwork] {
    let strings = try ImprovStrings.decode(data)
    guard strings.count.isMultiple(of: 3) else { throw .length }
    var networks: [ScannedNetwork] = []
    for index in stride(from: 0, to: strings.count, by: 3) {
      let ssid = strings[index]
      guard !ssid.isEmpty, ssid.count <= NetworkCredentials.greatestNameLength else { continue }
      let rssi = Int(String(decoding: strings[index + 1], as: UTF8.self)) ?? -127
      networks.append(
        ScannedNetwork(
          ssid: ssid, rssi: min(max(rssi, -127), 0),
          security: security(of: String(decoding: strings[index + 2], as: UTF8.self))))
    }
    var names: Set<[UInt8]> = []
    return networks.sorted { $0.rssi > $1.rssi }.filter { names.insert($0.ssid).inserted }
  }

  /// The protocol's word. A network that encrypts without a password asks for none; an unknown kind does.
  static func word(for security: NetworkSecurity) -> String {
    switch security {
    case .open, .owe: "NO"
    case .wep: "WEP"
    case .wpa: "WPA"
    case .wpaWPA2: "WPA/WPA2"
    case .wpa2Enterprise: "WPA2 EAP"
    case .wpa3: "WPA3"
    case .wpa2WPA3: "WPA2/WPA3"
    case .wapi: "WAPI"
    default: "WPA2"
    }
  }

  /// The kind of a word, or of several that slashes part.
  static func security(of word: String) -> NetworkSecurity {
    let words = Set(word.split(separator: "/").map { $0.filter { $0 != " " } })
    if words.contains("WPA3") { return words.isDisjoint(with: ["WPA", "WPA2"]) ? .wpa3 : .wpa2WPA3 }
    if words.contains("WPA2") { return words.contains("WPA") ? .wpaWPA2 : .wpa2 }
    if words.contains("WPA2EAP") { return .wpa2Enterprise }
    if words.contains("WPA") { return .wpa }
    if words.contains("WEP") { return .wep }
    if words.contains("WAPI") { return .wapi }
    return words == ["NO"] ? .open : .wpa2
  }
}
