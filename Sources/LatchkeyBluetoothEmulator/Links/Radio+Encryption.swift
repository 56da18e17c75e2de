import LatchkeyBluetoothHost

// Starting encryption, and restarting it with another key (Core 6.0 Vol 6 Part B 5.1.3). The central begins; data of both
// hosts waits until both ends have encrypted.

extension Radio {
  /// Begins the procedure at the central. On an encrypted link encryption pauses first.
  mutating func encrypt(_ end: LinkEnd, _ command: HCILEEnableEncryption, now: Duration) {
    guard let index = controllers[end.slot].linkIndex(end.handle) else { return }
    let isRefresh = controllers[end.slot].state.links[index].encryption.isOn
    controllers[end.slot].state.links[index].encryption.setKey(command.longTermKey)
    let (number, diversifier) = (command.randomNumber, command.encryptedDiversifier)
    advance(
      end, to: isRefresh ? .pausing(randomNumber: number, encryptedDiversifier: diversifier) : .requested, now: now)
    sendEncryption(
      isRefresh ? .pauseRequest : .request(randomNumber: number, encryptedDiversifier: diversifier), end, now: now)
  }

  /// Handles the key of the peripheral's host.
  mutating func provideKey(_ end: LinkEnd, _ key: SecurityKey, now: Duration) {
    guard let index = controllers[end.slot].linkIndex(end.handle) else { return }
    controllers[end.slot].state.links[index].encryption.setKey(key)
    advance(end, to: .starting, now: now)
    sendEncryption(.startRequest, end, now: now)
  }

  /// Handles that the peripheral's host has no key, or may not be asked. A link whose encryption is paused ends, so that
  /// it never continues in clear (5.1.3.1).
  mutating func refuseKey(_ end: LinkEnd, _ reason: HCIStatus = .pinOrKeyMissing, now: Duration) {
    guard let index = controllers[end.slot].linkIndex(end.handle) else { return }
    guard !controllers[end.slot].state.links[index].encryption.isOn else {
      controllers[end.slot].state.links[index].isTerminating = true
      controllers[end.slot].state.links[index].lossReason = reason
      return send(.control(.terminate(reason)), end.slot, index, now: now)
    }
    sendEncryption(.reject(reason), end, now: now)
    endEncryption(end, isOn: false, now: now)
  }

  /// Handles a PDU of the procedure. A PDU that does not fit the step is ignored.
  mutating func receiveEncryption(
    _ pdu: LinkEncryptionPDU, from sender: LinkEnd, to end: LinkEnd, _ index: Int, now: Duration
  ) {
    let link = controllers[end.slot].state.links[index]
    switch (pdu, link.role, link.encryption.phase) {
    case (.pauseRequest, .peripheral, nil):
      advance(end, to: .paused, now: now)
      sendEncryption(.pauseResponse, end, now: now)
    case (.pauseResponse, .central, .pausing(let number, let diversifier)):
      advance(end, to: .requested, now: now)
      sendEncryption(.request(randomNumber: number, encryptedDiversifier: diversifier), end, now: now)
    case (.request(let number, let diversifier), .peripheral, nil),
      (.request(let number, let diversifier), .peripheral, .paused):
      requestKey(end, number, diversifier, now: now)
    case (.response, .central, .requested):
      // The peripheral has as long again to ask its host.
      advance(end, to: .requested, now: now)
    case (.startRequest, .central, .requested):
      advance(end, to: .starting, now: now)
      sendEncryption(.startResponse, end, now: now)
    case (.startResponse, .peripheral, .starting):
      guard hasSameKey(end, sender) else {
        return cut(end.slot, index, reason: .messageIntegrityCheckFailure, isImmediate: true, now: now)
      }
      // Each host hears of it before data passes again.
      reportEncryption(end, wasOn: link.encryption.isOn)
      sendEncryption(.startResponse, end, now: now)
      endEncryption(end, isOn: true, now: now)
    case (.startResponse, .central, .starting):
      reportEncryption(end, wasOn: link.encryption.isOn)
      endEncryption(end, isOn: true, now: now)
    case (.reject(let status), .central, .requested):
      let change = HCIEncryptionChange(status: status, connectionHandle: end.handle, isEncrypted: false)
      emit(.encryptionChange(change), to: end.slot)
      endEncryption(end, isOn: false, now: now)
    default: break
    }
  }

  /// Asks the peripheral's host for the key, if the controller encrypts and the host's mask enables the event
  /// (Vol 4 Part E 7.7.65.5).
  private mutating func requestKey(
    _ end: LinkEnd, _ randomNumber: UInt64, _ encryptedDiversifier: UInt16, now: Duration
  ) {
    guard controllers[end.slot].features.contains(.encryption) else {
      return refuseKey(end, .unsupportedRemoteFeature, now: now)
    }
    let event = HCIEvent.le(
      .longTermKeyRequest(
        LELongTermKeyRequest(
          connectionHandle: end.handle, randomNumber: randomNumber, encryptedDiversifier: encryptedDiversifier)))
    guard controllers[end.slot].state.lets(event) else { return refuseKey(end, now: now) }
    advance(end, to: .awaitingKey, now: now)
    sendEncryption(.response, end, now: now)
    emit(event, to: end.slot)
  }

  private func hasSameKey(_ a: LinkEnd, _ b: LinkEnd) -> Bool {
    guard let index = controllers[a.slot].linkIndex(a.handle), let other = controllers[b.slot].linkIndex(b.handle),
      let key = controllers[a.slot].state.links[index].encryption.key
    else { return false }
    return key == controllers[b.slot].state.links[other].encryption.key
  }

  /// Brings one end to a step; its data waits from then on.
  private mutating func advance(_ end: LinkEnd, to phase: LinkEncryption.Phase, now: Duration) {
    guard let index = controllers[end.slot].linkIndex(end.handle) else { return }
    let isFirst = !controllers[end.slot].state.links[index].encryption.holdsData
    let isCentral = controllers[end.slot].state.links[index].role == .central
    deadlineTable.change(end.slot)
    controllers[end.slot].state.links[index].encryption.advance(
      to: phase, deadline: isCentral ? now + LinkEncryption.responseTimeout : nil)
    guard isFirst else { return }
    controllers[end.slot].state.links[index].reorderQueue()
    controllers[end.slot].state.links[index].tryAt = nil
    refreshLink(end.slot, index, now: now)
  }

  private mutating func sendEncryption(_ pdu: LinkEncryptionPDU, _ end: LinkEnd, now: Duration) {
    guard let index = controllers[end.slot].linkIndex(end.handle) else { return }
    send(.control(.encryption(pdu)), end.slot, index, now: now)
  }

  /// Ends the procedure at one end: its data passes again, and the key is wiped.
  private mutating func endEncryption(_ end: LinkEnd, isOn: Bool, now: Duration) {
    guard let index = controllers[end.slot].linkIndex(end.handle) else { return }
    controllers[end.slot].state.links[index].encryption = LinkEncryption(isOn: isOn)
    refreshLink(end.slot, index, now: now)
  }

  /// Reports to one host that the link is encrypted, or has another key.
  private mutating func reportEncryption(_ end: LinkEnd, wasOn: Bool) {
    let event: HCIEvent =
      wasOn
      ? .encryptionKeyRefreshComplete(HCIEncryptionKeyRefreshComplete(connectionHandle: end.handle))
      : .encryptionChange(HCIEncryptionChange(connectionHandle: end.handle, isEncrypted: true))
    emit(event, to: end.slot)
  }
}
