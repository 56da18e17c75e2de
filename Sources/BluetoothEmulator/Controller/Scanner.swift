import BluetoothHost

/// A controller's legacy scanning (Core 6.0 Vol 6 Part B 4.4.3).
struct Scanner: Sendable {
  /// How many advertisers the filter of duplicates remembers; the oldest is forgotten first.
  static let memory = 256

  var parameters = HCILESetScanParameters(isActive: false, ownAddressKind: .public)
  var isEnabled = false
  var filtersDuplicates = false
  private var seen: [Seen] = []

  private struct Seen: Sendable {
    let address: BluetoothAddress
    var advertisement = false
    var scanResponse = false
  }

  /// Whether the filter accept list decides what is reported (7.8.10).
  var usesFilterAcceptList: Bool { parameters.filterPolicy & 0b01 != 0 }

  /// Starts or goes on; the filter of duplicates begins anew (7.8.11).
  mutating func start(filteringDuplicates: Bool) {
    isEnabled = true
    filtersDuplicates = filteringDuplicates
    seen = []
  }

  /// Whether an event of this advertiser could still tell the host something.
  func wants(_ address: BluetoothAddress, isScannable: Bool) -> Bool {
    guard isEnabled else { return false }
    guard filtersDuplicates, let known = seen.first(where: { $0.address == address }) else { return true }
    return !known.advertisement || (parameters.isActive && isScannable && !known.scanResponse)
  }

  /// Whether a report is to be made. What the data are does not matter (7.8.11): the address alone decides.
  mutating func admits(_ address: BluetoothAddress, isScanResponse: Bool) -> Bool {
    guard filtersDuplicates else { return true }
    if !seen.contains(where: { $0.address == address }) {
      if seen.count == Self.memory { seen.removeFirst() }
      seen.append(Seen(address: address))
    }
    guard let index = seen.firstIndex(where: { $0.address == address }) else { return true }
    let isNew = isScanResponse ? !seen[index].scanResponse : !seen[index].advertisement
    if isScanResponse { seen[index].scanResponse = true } else { seen[index].advertisement = true }
    return isNew
  }
}
