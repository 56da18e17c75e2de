/// Turns advertising reports into discoveries and applies each client's filter.
///
/// An advertisement and its scan response arrive as separate reports and are merged. Without duplicates a client
/// receives a device once, and a second time when the scan response adds to it.
struct Scanner {
  /// The most devices that are remembered; the one seen first is dropped first.
  static let deviceCapacity = 1024
  /// The longest advertisement in the fragments of extended reports (Core 6.0 Vol 6 Part B 2.3.4.9), bytes.
  static let dataCapacity = 1650

  private struct Scan {
    var client: ClientID
    var services: [BluetoothUUID]?
    var solicitedServices: [BluetoothUUID]
    var allowDuplicates: Bool

    /// Whether a device is one that the client looks for.
    func matches(_ data: AdvertisingData) -> Bool {
      guard let services else { return true }
      return data.serviceUUIDs.contains(where: services.contains)
        || !solicitedServices.isEmpty && data.solicitedServiceUUIDs.contains(where: solicitedServices.contains)
    }
  }

  private struct Device {
    var isConnectable = false
    var advertisement: [UInt8]?
    var scanResponse: [UInt8]?
    var data = AdvertisingData()
    /// The beginning of an advertisement or scan response whose rest is still to come, and its advertising set.
    var begun: [UInt8] = []
    var begunSet: UInt8?
    /// The clients to which the device was reported, and whether with its scan response.
    var reported: [(client: ClientID, withScanResponse: Bool)] = []

    /// The data that a report completes; nil while more is to come. Data beyond the limit is cut off.
    mutating func assemble(_ report: LEAdvertisingReport) -> [UInt8]? {
      // The sets of a device send at times of their own, and one may cut another off.
      if report.eventType.contains(.legacy) || report.setIdentifier != begunSet { begun = [] }
      begunSet = report.setIdentifier
      if report.dataStatus == .complete, begun.isEmpty { return report.data }
      begun += report.data.prefix(Scanner.dataCapacity - begun.count)
      if report.dataStatus == .incomplete { return nil }
      defer { begun = [] }
      return begun
    }
  }

  private var scans: [Scan] = []
  private var devices: [BluetoothAddress: Device] = [:]
  private var order: [BluetoothAddress] = []

  /// Whether the host itself looks for devices: a client waits for one whose address changes.
  var seeksPeers = false

  /// Whether any client scans.
  var hasClients: Bool { !scans.isEmpty }

  /// Whether a client scans, or the host itself.
  var isActive: Bool { hasClients || seeksPeers }

  /// Whether the controller may drop repeated reports. It goes by the address alone, and a device that several managers
  /// advertise at one address may send the services that a client looks for in a later advertisement.
  var filtersDuplicates: Bool { !scans.contains { $0.allowDuplicates || $0.services != nil } }

  /// Starts a client's scan; a later call replaces the earlier one, and reports everything anew.
  mutating func start(
    _ client: ClientID, services: [BluetoothUUID]?, solicitedServices: [BluetoothUUID], allowDuplicates: Bool
  ) {
    stop(client)
    if scans.isEmpty {
      devices = [:]
      order = []
    }
    let services = services.flatMap { $0.isEmpty ? nil : $0 }
    scans.append(
      Scan(
        client: client, services: services, solicitedServices: solicitedServices, allowDuplicates: allowDuplicates))
  }

  /// Stops a client's scan. Does nothing if it does not scan.
  mutating func stop(_ client: ClientID) {
    scans.removeAll { $0.client == client }
    for address in order { devices[address]?.reported.removeAll { $0.client == client } }
  }

  /// Resets the state when the controller is gone: all scans end.
  mutating func reset() { self = Scanner() }

  /// Handles a report. Returns the discoveries and their clients.
  mutating func receive(_ report: LEAdvertisingReport) -> [(ClientID, Discovery)] {
    // Anonymous advertisers cannot be distinguished or connected to.
    guard hasClients, let address = report.address else { return [] }
    var device = devices[address] ?? remember(address)
    guard let data = device.assemble(report) else {
      devices[address] = device
      return []
    }
    if report.eventType.contains(.scanResponse) {
      if device.scanResponse != data {
        device.scanResponse = data
        device.data = Self.merge(device)
      }
    } else {
      device.isConnectable = report.eventType.contains(.connectable)
      if device.advertisement != data {
        device.advertisement = data
        device.data = Self.merge(device)
      }
    }
    let discovery = Discovery(
      address: address, rssi: report.rssi, isConnectable: device.isConnectable, primaryPHY: report.primaryPHY,
      secondaryPHY: report.secondaryPHY, data: device.data)
    var results: [(ClientID, Discovery)] = []
    for scan in scans {
      guard scan.matches(device.data) else { continue }
      // An empty scan response is an answer, but adds nothing.
      let withScanResponse = device.scanResponse?.isEmpty == false
      let index = device.reported.firstIndex { $0.client == scan.client }
      if let index, !scan.allowDuplicates, device.reported[index].withScanResponse || !withScanResponse { continue }
      if let index {
        device.reported[index].withScanResponse = withScanResponse
      } else {
        device.reported.append((scan.client, withScanResponse))
      }
      results.append((scan.client, discovery))
    }
    devices[address] = device
    return results
  }

  private mutating func remember(_ address: BluetoothAddress) -> Device {
    if order.count >= Self.deviceCapacity { devices[order.removeFirst()] = nil }
    order.append(address)
    return Device()
  }

  private static func merge(_ device: Device) -> AdvertisingData {
    var structures = AdvertisingData(decoding: device.advertisement ?? []).structures
    structures += AdvertisingData(decoding: device.scanResponse ?? []).structures
    return AdvertisingData(structures)
  }
}

/// A device that a scan found: its advertisement and scan response merged.
public struct Discovery: Sendable {
  /// Its address.
  public var address: BluetoothAddress
  /// Signal strength in dBm; 127 if the controller did not report one.
  public var rssi: Int8
  /// Whether it accepts connections.
  public var isConnectable: Bool
  /// The physical layer of the primary advertising channels on which it was heard.
  public var primaryPHY: LEPHY
  /// That of the secondary ones; nil for legacy advertising, which has none.
  public var secondaryPHY: LEPHY?
  /// The AD structures of its advertisement, then those of its scan response.
  public var data: AdvertisingData
}
