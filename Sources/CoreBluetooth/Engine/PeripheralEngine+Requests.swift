import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

extension PeripheralEngine {
  func received(_ request: GATTReadRequest) {
    let answer = CBATTRequest.Answer(id: request.id, isRead: true)
    let (manager, delegate, characteristic) = state.withLock {
      ($0.manager, $0.delegate, $0.characteristic(request.handle, after: request.additions))
    }
    guard let characteristic else { return refuse(answer, .invalidHandle) }
    guard let manager, let delegate else { return refuse(answer, .requestNotSupported) }
    let central = central(on: request.link, request.peer)
    delegate.peripheralManager(
      manager,
      didReceiveRead: CBATTRequest(
        central: central, characteristic: characteristic, offset: request.offset, value: nil, answer: answer))
  }

  func received(_ request: GATTWriteRequest) {
    let answer = request.id.map { CBATTRequest.Answer(id: $0, isRead: false) }
    let central = central(on: request.link, request.peer)
    let (manager, delegate, characteristics) = state.withLock { state in
      let characteristics = request.parts.map { state.characteristic($0.handle, after: request.additions) }
      return (state.manager, state.delegate, characteristics)
    }
    var requests: [CBATTRequest] = []
    requests.reserveCapacity(request.parts.count)
    for (part, characteristic) in zip(request.parts, characteristics) {
      // Removed, while the request was in progress.
      guard let characteristic else { return refuse(answer, .invalidHandle) }
      requests.append(
        CBATTRequest(
          central: central, characteristic: characteristic, offset: part.offset, value: Data(part.value),
          answer: answer))
    }
    guard let manager, let delegate else { return refuse(answer, .requestNotSupported) }
    guard request.isConfiguration else { return delegate.peripheralManager(manager, didReceiveWrite: requests) }
    guard let delegate = delegate as? any CBSubscriptionDelegate, let request = requests.first else {
      if let answer, answer.give() { send(answer, .written) }
      return
    }
    delegate.peripheralManager(manager, didReceiveSubscription: request)
  }

  /// Sends the app's answer to a request.
  func respond(to request: CBATTRequest, _ result: CBATTError.Code) {
    // A Write Command has no answer; apps answer it all the same, as they cannot distinguish it.
    guard let answer = request.answer else { return }
    guard answer.give() else { return Diagnostics.misuse("\(request) has been responded to already") }
    send(answer, result == .success ? success(answer, request.value) : .error(result.attErrorCode))
  }

  private func success(_ answer: CBATTRequest.Answer, _ value: Data?) -> GATTServerResponse {
    answer.isRead ? .value(value.map { [UInt8]($0) } ?? []) : .written
  }

  private func refuse(_ answer: CBATTRequest.Answer?, _ code: ATTErrorCode) {
    if let answer, answer.give() { send(answer, .error(code)) }
  }

  private func send(_ answer: CBATTRequest.Answer, _ response: GATTServerResponse) {
    driver.withHost { host, now in host.respond(to: answer.id, with: response, now: now) }
  }

  /// Sends a value to subscribers: to these, or to all.
  func update(_ value: Data, of characteristic: CBMutableCharacteristic, only centrals: [CBCentral]?) -> Bool {
    guard let client, let publication = characteristic.local.withLock({ $0.publication }), publication.engine === self
    else {
      Diagnostics.misuse("\(characteristic) has not been added to this manager")
      return false
    }
    let links = centrals?.compactMap(\.link)
    let bytes = [UInt8](value)
    return driver.withHost { host, now in
      host.updateValue(bytes, of: publication.handle, links: links, client: client, now: now)
    }
  }
}
