import LatchkeyBluetoothHost

/// The physical layer of extended advertising, as `CBPeripheralManagerAdvertisingPHYKey` names it.
enum AdvertisingPHY: String, CaseIterable {
  case le1M = "1M"
  case le2M = "2M"
  case leCoded = "coded"

  /// The packets of an advertisement on this layer. None advertises on the primary channels by LE 2M.
  var packets: AdvertisingParameters.Packets {
    switch self {
    case .le1M: .extended(primary: .le1M, secondary: .le1M)
    case .le2M: .extended(primary: .le1M, secondary: .le2M)
    case .leCoded: .extended(primary: .leCoded, secondary: .leCoded)
    }
  }

  /// The layer of such packets; nil for those of legacy advertising.
  init?(_ packets: AdvertisingParameters.Packets) {
    guard let phy = Self.allCases.first(where: { $0.packets == packets }) else { return nil }
    self = phy
  }

  /// The packets that the data of an advertisement ask for. A value that names no layer is logged, and legacy packets are
  /// used.
  static func packets(of value: Any?) -> AdvertisingParameters.Packets {
    guard let value else { return .legacy }
    guard let phy = (value as? String).flatMap(AdvertisingPHY.init(rawValue:)) else {
      let names = allCases.map(\.rawValue).joined(separator: ", ")
      Diagnostics.notice("CBPeripheralManagerAdvertisingPHYKey has none of \(names): legacy advertising is used")
      return .legacy
    }
    return phy.packets
  }
}
