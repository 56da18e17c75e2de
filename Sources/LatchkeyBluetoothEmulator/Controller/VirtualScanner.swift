import LatchkeyBluetoothHost

/// A controller's legacy scanning (Core 6.0 Vol 6 Part B 4.4.3).
struct VirtualScanner: Sendable {
  /// The capacity of the filter of duplicates; the oldest entry is dropped first.
  static let memory = 256

  var parameters = HCILESetScanParameters(isActive: false, ownAddressKind: .public)
  var isEnabled = false
  var filtersDuplicates = false
  private var seen: [BluetoothAddress: Seen] = [:]
  /// The advertisers that were reported, in a ring: the oldest is at `oldest` once it is full.
  private var order: [BluetoothAddress] = []
  private var oldest = 0

  private struct Seen: Sendable {
    var advertisement = false
    var scanResponse = false
  }

  /// Whether the filter accept list decides what is reported (7.8.10).
  var usesFilterAcceptList: Bool { parameters.filterPolicy & 0b01 != 0 }

  /// Starts or continues; the filter of duplicates is cleared (7.8.11).
  mutating func start(filteringDuplicates: Bool) {
    isEnabled = true
    filtersDuplicates = filteringDuplicates
    seen = [:]
    order = []
    oldest = 0
  }

  /// Whether an event of this advertiser could still produce a report.
  func wants(_ address: BluetoothAddress, isScannable: Bool) -> Bool {
    guard isEnabled else { return false }
    guard filtersDuplicates, let known = seen[address] else { return true }
    return !known.advertisement || (parameters.isActive && isScannable && !known.scanResponse)
  }

  /// Whether another advertiser is dropped from the filter when this one is reported.
  func forgetsOne(for address: BluetoothAddress) -> Bool {
    filtersDuplicates && order.count == Self.memory && seen[address] == nil
  }

  /// Whether to make a report. The data do not matter (7.8.11): the address alone decides.
  mutating func admits(_ address: BluetoothAddress, isScanResponse: Bool) -> Bool {
    guard filtersDuplicates else { return true }
    if seen[address] == nil { remember(address) }
    if isScanResponse {
      defer { seen[address]?.scanResponse = true }
      return seen[address]?.scanResponse == false
    }
    defer { seen[address]?.advertisement = true }
    return seen[address]?.advertisement == false
  }

  private mutating func remember(_ address: BluetoothAddress) {
    seen[address] = Seen()
    guard order.count == Self.memory else { return order.append(address) }
    seen[order[oldest]] = nil
    order[oldest] = address
    oldest = (oldest + 1) % Self.memory
  }
}
