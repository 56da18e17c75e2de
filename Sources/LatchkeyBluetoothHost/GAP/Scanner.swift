/// Turns advertising reports into discoveries, each client's filter applied.
///
/// An advertisement and its scan response come as separate reports; what is known of a device is merged. Without
/// duplicates a client hears of a device once, and a second time when the scan response adds to it.
struct Scanner {
  /// How many devices are remembered; the longest known is forgotten first.
  static let deviceCapacity = 1024
  /// The longest advertisement that extended reports tell in pieces (Core 6.0 Vol 6 Part B 2.3.4.9), bytes.
  static let dataCapacity = 1650

  private struct Scan {
    var client: ClientID
    var services: [BluetoothUUID]?
    var allowDuplicates: Bool
  }

  private struct Device {
    var isConnectable = false
    var advertisement: [UInt8]?
    var scanResponse: [UInt8]?
    var data = AdvertisingData()
    /// The beginning of an advertisement or scan response of which more is to come.
    var begun: [UInt8] = []
    /// Which clients heard of the device, and whether the scan response was part of it.
    var reported: [(client: ClientID, withScanResponse: Bool)] = []

    /// The data that a report completes; nil while more is to come. What is longer than allowed is cut.
    mutating func assemble(_ report: LEAdvertisingReport) -> [UInt8]? {
      if report.eventType.contains(.legacy) { begun = [] }
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

  /// Whether anybody scans.
  var isActive: Bool { !scans.isEmpty }

  /// Whether the controller may drop repeated reports.
  var filtersDuplicates: Bool { !scans.contains { $0.allowDuplicates } }

  /// A client starts to scan; a later call replaces the earlier one, and reports everything anew.
  mutating func start(_ client: ClientID, services: [BluetoothUUID]?, allowDuplicates: Bool) {
    stop(client)
    if scans.isEmpty {
      devices = [:]
      order = []
    }
    let services = services.flatMap { $0.isEmpty ? nil : $0 }
    scans.append(Scan(client: client, services: services, allowDuplicates: allowDuplicates))
  }

  /// A client stops. Harmless if it does not scan.
  mutating func stop(_ client: ClientID) {
    scans.removeAll { $0.client == client }
    for address in order { devices[address]?.reported.removeAll { $0.client == client } }
  }

  /// The controller is gone: no client scans any more.
  mutating func reset() { self = Scanner() }

  /// A report came: who is to be told, and what.
  mutating func receive(_ report: LEAdvertisingReport) -> [(ClientID, Discovery)] {
    // Anonymous advertisers cannot be told apart, nor connected to.
    guard isActive, let address = report.address else { return [] }
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
      address: address, rssi: report.rssi, isConnectable: device.isConnectable, data: device.data)
    var told: [(ClientID, Discovery)] = []
    for scan in scans {
      if let services = scan.services, !device.data.serviceUUIDs.contains(where: services.contains) { continue }
      // An empty scan response is an answer, but adds nothing.
      let withScanResponse = device.scanResponse?.isEmpty == false
      let index = device.reported.firstIndex { $0.client == scan.client }
      if let index, !scan.allowDuplicates, device.reported[index].withScanResponse || !withScanResponse { continue }
      if let index {
        device.reported[index].withScanResponse = withScanResponse
      } else {
        device.reported.append((scan.client, withScanResponse))
      }
      told.append((scan.client, discovery))
    }
    devices[address] = device
    return told
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
