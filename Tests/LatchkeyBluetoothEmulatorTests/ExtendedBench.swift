import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothEmulator

// Advertising sets, extended scans and connections on a `RadioBench`.

/// Packets as `dequeueHex` gives them, written in groups.
func packets(_ texts: String...) -> [String] { texts.map { $0.replacing(" ", with: "") } }

extension RadioBench {
  /// Adds a controller with extended advertising, whose host lets all events through.
  func addExtended(
    _ address: UInt64, features: ControllerConfiguration.Features = .all, advertisingSets: Int = 16,
    maximumLinks: Int = 16
  ) -> ControllerID {
    addReady(
      address,
      ControllerConfiguration(features: features, advertisingSets: advertisingSets, maximumLinks: maximumLinks))
  }

  /// Makes a set that advertises `data` every 100 ms, enables it, and dequeues the answers, which must be successes.
  func advertise(
    _ id: ControllerID, set handle: UInt8 = 0, _ properties: AdvertisingEventProperties, data: [UInt8] = [],
    scanResponse: [UInt8] = [], duration: UInt16 = 0, maximumEvents: UInt8 = 0,
    change: (inout HCILESetExtendedAdvertisingParameters) -> Void = { _ in }
  ) throws {
    let handle = AdvertisingHandle(rawValue: handle)
    var parameters = HCILESetExtendedAdvertisingParameters(
      handle: handle, properties: properties, minimumInterval: 0xA0, maximumInterval: 0xA0, ownAddressKind: .public,
      setIdentifier: handle.rawValue & 0x0F)
    change(&parameters)
    #expect(try run(parameters, id).status == .success)
    for fragment in AdvertisingDataFragment.fragments(of: data, handle: handle) where !data.isEmpty {
      #expect(try run(HCILESetExtendedAdvertisingData(fragment), id).status == .success)
    }
    for fragment in AdvertisingDataFragment.fragments(of: scanResponse, handle: handle) where !scanResponse.isEmpty {
      #expect(try run(HCILESetExtendedScanResponseData(fragment), id).status == .success)
    }
    #expect(try status(.enable(handle.rawValue, duration: duration, maximumEvents: maximumEvents), id) == .success)
  }

  /// Scans by extended commands, without dequeuing.
  func scanExtended(
    _ id: ControllerID, isActive: Bool = false, phys: LEPHYs = .le1M,
    filter: HCILESetExtendedScanEnable.DuplicateFilter = .off,
    duration: UInt16 = 0, period: UInt16 = 0, filterPolicy: UInt8 = 0
  ) {
    send(
      HCILESetExtendedScanParameters(
        ownAddressKind: .public, filterPolicy: filterPolicy, phys: phys, scan: .init(isActive: isActive)), id)
    send(
      HCILESetExtendedScanEnable(isEnabled: true, duplicateFilter: filter, duration: duration, period: period), id)
  }

  /// Removes and returns the advertising reports for a host.
  func dequeueReports(_ id: ControllerID) throws -> [LEAdvertisingReport] { reports(try dequeueEvents(id)) }

  /// Removes and returns the ends of sets for a host.
  func dequeueEnds(_ id: ControllerID) throws -> [LEAdvertisingSetTerminated] {
    try dequeueEvents(id).compactMap { if case .le(.advertisingSetTerminated(let end)) = $0 { end } else { nil } }
  }

  /// The status of the answer to a command, of either kind.
  func status(_ command: some HCICommand, _ id: ControllerID) throws -> HCIStatus? {
    send(command, id)
    switch try dequeueEvents(id).first {
    case .commandStatus(let status, _, _): return status
    case .commandComplete(_, _, let parameters): return parameters.peek().map(HCIStatus.init(rawValue:))
    default: return nil
    }
  }
}

extension HCICommand where Self == HCILESetExtendedAdvertisingEnable {
  /// Enables one set.
  static func enable(_ handle: UInt8, duration: UInt16 = 0, maximumEvents: UInt8 = 0) -> Self {
    Self(
      isEnabled: true,
      sets: [
        .init(handle: AdvertisingHandle(rawValue: handle), duration: duration, maximumEvents: maximumEvents)
      ])
  }

  /// Disables some sets; none are all.
  static func disable(_ handles: UInt8...) -> Self {
    Self(isEnabled: false, sets: handles.map { .init(handle: AdvertisingHandle(rawValue: $0)) })
  }
}
