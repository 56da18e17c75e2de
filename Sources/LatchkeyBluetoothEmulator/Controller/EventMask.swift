import LatchkeyBluetoothHost

// The events that a controller may send (Core 6.0 Vol 4 Part E 7.3.1, 7.8.1).

extension ControllerState {
  /// Whether the host's mask enables an event. Answers to commands and completed packets cannot be masked.
  func lets(_ event: HCIEvent) -> Bool {
    switch event {
    case .commandComplete, .commandStatus, .numberOfCompletedPackets, .unknown: true
    case .disconnectionComplete: lets(code: HCIEventCode.disconnectionComplete)
    case .encryptionChange: lets(code: HCIEventCode.encryptionChange)
    case .readRemoteVersionComplete: lets(code: HCIEventCode.readRemoteVersionComplete)
    case .hardwareError: lets(code: HCIEventCode.hardwareError)
    case .dataBufferOverflow: lets(code: HCIEventCode.dataBufferOverflow)
    case .encryptionKeyRefreshComplete: lets(code: HCIEventCode.encryptionKeyRefreshComplete)
    case .le(let event): lets(code: HCIEventCode.leMeta) && lets(subevent: subevent(of: event))
    }
  }

  private func lets(code: UInt8) -> Bool { eventMask & 1 << (code - 1) != 0 }

  func lets(subevent: UInt8) -> Bool { leEventMask & 1 << (subevent - 1) != 0 }

  private func subevent(of event: LEMetaEvent) -> UInt8 {
    switch event {
    case .connectionComplete(let complete):
      complete.isEnhanced ? LEMetaEvent.Code.enhancedConnectionComplete : LEMetaEvent.Code.connectionComplete
    case .advertisingReports(let reports):
      switch reports.first?.form {
      case .extended: LEMetaEvent.Code.extendedAdvertisingReport
      case .directed: LEMetaEvent.Code.directedAdvertisingReport
      default: LEMetaEvent.Code.advertisingReport
      }
    case .connectionUpdateComplete: LEMetaEvent.Code.connectionUpdateComplete
    case .readRemoteFeaturesComplete: LEMetaEvent.Code.readRemoteFeaturesComplete
    case .longTermKeyRequest: LEMetaEvent.Code.longTermKeyRequest
    case .remoteConnectionParameterRequest: LEMetaEvent.Code.remoteConnectionParameterRequest
    case .dataLengthChange: LEMetaEvent.Code.dataLengthChange
    case .phyUpdateComplete: LEMetaEvent.Code.phyUpdateComplete
    case .scanTimeout: LEMetaEvent.Code.scanTimeout
    case .advertisingSetTerminated: LEMetaEvent.Code.advertisingSetTerminated
    case .scanRequestReceived: LEMetaEvent.Code.scanRequestReceived
    case .unknown(let code): min(max(code, 1), 64)
    }
  }
}

extension VirtualController {
  /// The form of advertising reports: extended ones after extended commands, else by the configuration, but then only if
  /// the host's mask enables them.
  var reportForm: LEAdvertisingReport.Form {
    if state.scanner.isExtended { return .extended }
    return configuration.eventForm == .extended && state.lets(subevent: LEMetaEvent.Code.extendedAdvertisingReport)
      ? .extended : .legacy
  }

  /// Whether connections are reported in the enhanced event: only if the host's mask enables it. Every controller with
  /// extended advertising or privacy has that event.
  var usesEnhancedConnectionComplete: Bool {
    (configuration.eventForm == .extended || !features.isDisjoint(with: [.extendedAdvertising, .privacy]))
      && state.lets(subevent: LEMetaEvent.Code.enhancedConnectionComplete)
  }
}

extension Radio {
  /// Sends an event to a controller's host, if its mask enables it.
  mutating func emit(_ event: HCIEvent, to slot: Int) {
    guard controllers[slot].state.lets(event) else { return }
    emit(event.encode(), to: slot)
  }
}
