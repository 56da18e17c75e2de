import LatchkeyBluetoothHost

/// The data of an advertiser's advertisements or scan responses, which a host may give in parts (Core 6.0 Vol 4 Part E
/// 7.8.54, 7.8.55).
struct AdvertiserData: Sendable, Equatable {
  var bytes: [UInt8] = []
  /// Whether the last part is missing.
  var isPartial = false

  /// Takes a part: the status of the command. Data that exceed the capacity of a set are all discarded.
  mutating func take(_ fragment: AdvertisingDataFragment) -> HCIStatus {
    switch fragment.operation {
    case .unchanged: return .success
    case .first, .complete: bytes = fragment.data
    case .intermediate, .last:
      guard isPartial else { return .commandDisallowed }
      bytes += fragment.data
    }
    isPartial = fragment.operation == .first || fragment.operation == .intermediate
    guard bytes.count <= AdvertisingDataFragment.totalCapacity else {
      self = AdvertiserData()
      return .memoryCapacityExceeded
    }
    return .success
  }
}

extension VirtualAdvertiser {
  /// The payload of AUX_ADV_IND after the header with its flags, the advertiser's address and the set's identifiers
  /// (Vol 6 Part B 2.3.4).
  private static let unchainedCapacity = 255 - 2 - 6 - 2
  private static let targetLength = 6

  /// The most data in an advertisement with these parameters. A connectable set has one packet, without a chain (Vol 6
  /// Part B 2.3.1.6).
  var dataCapacity: Int {
    guard carriesData else { return 0 }
    if isLegacy { return LegacyAdvertisingData.capacity }
    guard isConnectable else { return AdvertisingDataFragment.totalCapacity }
    return Self.unchainedCapacity - (isDirected ? Self.targetLength : 0)
      - (properties.contains(.includesTxPower) ? 1 : 0)
  }

  /// Whether the set's data agree with its properties, so far as they must when the latter change (7.8.53).
  var fitsItsData: Bool {
    if !carriesData, !data.bytes.isEmpty { return false }
    if !isScannable, !scanResponse.bytes.isEmpty { return false }
    return !isLegacy
      || data.bytes.count <= LegacyAdvertisingData.capacity
        && scanResponse.bytes.count <= LegacyAdvertisingData.capacity
  }

  /// The refusal of a part of its data; nil if there is none (7.8.54).
  func refusal(ofData fragment: AdvertisingDataFragment) -> HCIStatus? {
    guard carriesData else { return .invalidParameters }
    if fragment.operation == .unchanged {
      let isAllowed = isEnabled && !data.bytes.isEmpty && !isLegacy && fragment.data.isEmpty
      return isAllowed ? nil : .invalidParameters
    }
    if let refusal = refusal(ofPart: fragment) { return refusal }
    return isEnabled && fragment.data.count > dataCapacity ? .packetTooLong : nil
  }

  /// The refusal of a part of its scan response; nil if there is none (7.8.55).
  func refusal(ofScanResponse fragment: AdvertisingDataFragment) -> HCIStatus? {
    guard fragment.operation != .unchanged, isScannable || fragment.data.isEmpty else { return .invalidParameters }
    if let refusal = refusal(ofPart: fragment) { return refusal }
    return isEnabled && isScannable && !isLegacy && fragment.data.isEmpty ? .commandDisallowed : nil
  }

  /// The refusals that both have in common.
  private func refusal(ofPart fragment: AdvertisingDataFragment) -> HCIStatus? {
    let isComplete = fragment.operation == .complete
    if isLegacy, !isComplete || fragment.data.count > LegacyAdvertisingData.capacity { return .invalidParameters }
    guard isComplete || !fragment.data.isEmpty else { return .invalidParameters }
    return isEnabled && !isComplete ? .commandDisallowed : nil
  }
}
