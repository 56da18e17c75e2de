import LatchkeyBluetoothHost

/// A controller's initiating of a connection, by a command of either family (Core 6.0 Vol 6 Part B 4.4.4). A legacy one
/// initiates on LE 1M.
struct VirtualInitiator: Sendable {
  let request: HCILEExtendedCreateConnection
  /// Whether extended packets are received, too.
  let isExtended: Bool

  init(_ request: HCILEExtendedCreateConnection) {
    self.request = request
    isExtended = true
  }

  init(_ request: HCILECreateConnection) {
    self.request = HCILEExtendedCreateConnection(
      usesFilterAcceptList: request.usesFilterAcceptList, ownAddressKind: request.ownAddressKind, peer: request.peer,
      initiation: .init(
        scanInterval: request.scanInterval, scanWindow: request.scanWindow, parameters: request.parameters,
        eventLength: request.eventLength))
    isExtended = false
  }

  /// Whether all parameters are in their ranges (Vol 4 Part E 7.8.12, 7.8.66). LE 2M is not scanned on, so its interval
  /// means nothing, and it is not enough alone.
  var isValid: Bool {
    let longest: UInt16 = isExtended ? 0xFFFF : 0x4000
    guard request.phys != .le2M else { return false }
    return zip(request.phys.all, request.initiations).allSatisfy { phy, initiation in
      let scans =
        0x0004...longest ~= initiation.scanInterval && 0x0004...longest ~= initiation.scanWindow
        && initiation.scanWindow <= initiation.scanInterval
      return (scans || phy == .le2M) && initiation.parameters.isValid
    }
  }

  /// The parameters of a connection to this advertiser: those of the physical layer of the link, or, where the host gave
  /// none, of the one on which the advertiser was heard.
  func parameters(for advertiser: VirtualAdvertiser) -> ConnectionParameters? {
    let heard = initiation(on: advertiser.primaryPHY)
    return (advertiser.isLegacy ? heard : initiation(on: advertiser.secondaryPHY) ?? heard)?.parameters
  }

  private func initiation(on phy: LEPHY) -> HCILEExtendedCreateConnection.Initiation? {
    zip(request.phys.all, request.initiations).first { $0.0 == phy }?.1
  }
}
