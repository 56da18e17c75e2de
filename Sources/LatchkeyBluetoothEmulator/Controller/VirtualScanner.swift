import LatchkeyBluetoothHost

/// A controller's scanning, by commands of either family (Core 6.0 Vol 6 Part B 4.4.3). A legacy scan is on LE 1M.
struct VirtualScanner: Sendable {
  /// The capacity of the filter of duplicates; the oldest entry is dropped first.
  static let memory = 256

  /// What tells one advertiser from another: of an address each set counts for itself.
  struct Advertiser: Hashable, Sendable {
    /// Nil if it is anonymous.
    var address: BluetoothAddress?
    /// Nil for legacy packets.
    var setIdentifier: UInt8?
  }

  private struct Seen: Sendable {
    var dataIdentifier: UInt16
    var advertisement = false
    var scanResponse = false
  }

  var parameters = HCILESetExtendedScanParameters(ownAddressKind: .public, scan: .init(isActive: false))
  /// Whether it receives extended packets, too.
  private(set) var isExtended = false
  var isEnabled = false
  private var filter = HCILESetExtendedScanEnable.DuplicateFilter.off
  /// How long it scans, at once or in each period.
  private var duration: Duration?
  private var period: Duration?
  /// When the current duration ends, and when the next one begins.
  private var endsAt: Duration?
  private var nextPeriod: Duration?
  /// Whether it waits for the next period.
  private var isResting = false

  private var seen: [Advertiser: Seen] = [:]
  /// The advertisers that were reported, in a ring: the oldest is at `oldest` once it is full.
  private var order: [Advertiser] = []
  private var oldest = 0

  /// Whether it receives at present.
  var isReceiving: Bool { isEnabled && !isResting }

  /// Whether the filter accept list decides what is reported (Vol 4 Part E 7.8.10, 7.8.64).
  var usesFilterAcceptList: Bool { parameters.filterPolicy & 0b01 != 0 }

  /// How it scans on a physical layer; nil if it does not.
  func scan(on phy: LEPHY) -> HCILESetExtendedScanParameters.Scan? {
    zip(parameters.phys.all, parameters.scans).first { $0.0 == phy }?.1
  }

  // MARK: Time

  /// Starts or continues; the filter of duplicates is cleared (7.8.11, 7.8.65). Its time begins with `begin(now:)`.
  mutating func start(_ request: HCILESetExtendedScanEnable, isExtended: Bool) {
    self.isExtended = isExtended
    isEnabled = true
    isResting = false
    filter = request.duplicateFilter
    duration = request.duration == 0 ? nil : .milliseconds(Int64(request.duration) * 10)
    period = request.period == 0 || request.duration == 0 ? nil : .milliseconds(Int64(request.period) * 1280)
    forgetAll()
  }

  /// Begins a duration.
  mutating func begin(now: Duration) {
    endsAt = duration.map { now + $0 }
    nextPeriod = period.map { now + $0 }
  }

  /// When `turn(now:)` is due; nil if never.
  var deadline: Duration? { isEnabled ? (isResting ? nextPeriod : endsAt) : nil }

  /// Ends the duration, or begins the next one.
  mutating func turn(now: Duration) {
    if isResting {
      isResting = false
      if filter == .renewedEachPeriod { forgetAll() }
      begin(now: now)
    } else if period == nil {
      isEnabled = false
    } else {
      isResting = true
    }
  }

  // MARK: Duplicates

  var filtersDuplicates: Bool { filter != .off }

  /// Whether an event of this advertiser could still produce a report.
  func wants(_ advertiser: Advertiser, dataIdentifier: UInt16, asksForMore: Bool) -> Bool {
    guard isReceiving else { return false }
    guard filtersDuplicates, let known = seen[advertiser], known.dataIdentifier == dataIdentifier else { return true }
    return !known.advertisement || (asksForMore && !known.scanResponse)
  }

  /// Whether it reports others again once this one is reported: one that is dropped from the filter, or one that is
  /// taken for this one and has other data.
  func forgetsOthers(for advertiser: Advertiser, dataIdentifier: UInt16) -> Bool {
    guard filtersDuplicates else { return false }
    guard let known = seen[advertiser] else { return order.count == Self.memory }
    return known.dataIdentifier != dataIdentifier
  }

  /// Whether to make a report. The data do not matter (7.8.11), only whether they are others than before. What was
  /// not received as a whole is reported again.
  mutating func admits(
    _ advertiser: Advertiser, dataIdentifier: UInt16, isScanResponse: Bool, isWhole: Bool
  ) -> Bool {
    guard filtersDuplicates else { return true }
    var known = seen[advertiser] ?? remember(advertiser)
    if known.dataIdentifier != dataIdentifier { known = Seen(dataIdentifier: dataIdentifier) }
    let isNew = isScanResponse ? !known.scanResponse : !known.advertisement
    if isWhole {
      if isScanResponse { known.scanResponse = true } else { known.advertisement = true }
    }
    seen[advertiser] = known
    return isNew
  }

  private mutating func remember(_ advertiser: Advertiser) -> Seen {
    if order.count == Self.memory {
      seen[order[oldest]] = nil
      order[oldest] = advertiser
      oldest = (oldest + 1) % Self.memory
    } else {
      order.append(advertiser)
    }
    return Seen(dataIdentifier: 0)
  }

  private mutating func forgetAll() {
    seen = [:]
    order = []
    oldest = 0
  }
}
