import LatchkeyProvisioningProtocol

/// What is on the air besides the name: services in their order, and the data of one.
struct DeviceAdvertisement: Hashable, Sendable {
  private(set) var services: [String]
  let dataUUID: UInt16?
  let data: [UInt8]

  /// The longest name, in bytes, beside which a scan response holds a second service: 31 bytes, of which the UUID's structure takes 18
  /// and the name's head 2 (Core 6.0 Vol 3 Part C 11).
  static let longestNameBesideService = 11

  init(_ machine: any ProvisioningDeviceMachine) {
    services = [machine.service.uuid]
    dataUUID = machine.serviceData?.uuid
    data = machine.serviceData?.bytes ?? []
  }

  /// The advertisements of the protocols that are open; several take turns.
  ///
  /// Espressif's library for iOS connects by the first service of a device's advertisement, and scans see a device once: it would
  /// meet the secure protocol's service as often as its own. So the two share one advertisement, Espressif's service first, where
  /// the name leaves room for both; apps of the secure protocol find theirs in any place.
  static func turns(
    of open: [(kind: ProvisioningProtocol, machine: any ProvisioningDeviceMachine)], isNameShort: Bool
  ) -> [DeviceAdvertisement] {
    var rest = open
    guard isNameShort, let secure = rest.firstIndex(where: { $0.kind == .secure }),
      let espressif = rest.firstIndex(where: { $0.kind == .espressif })
    else { return open.map { DeviceAdvertisement($0.machine) } }
    var shared = DeviceAdvertisement(rest[espressif].machine)
    shared.services.append(rest[secure].machine.service.uuid)
    rest.removeAll { $0.kind == .secure || $0.kind == .espressif }
    return [shared] + rest.map { DeviceAdvertisement($0.machine) }
  }
}
