package import CoreBluetooth
import Foundation

// Reads and writes.
extension DefinitionServer {
  package func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    guard let index = index(of: request.characteristic) else {
      return peripheral.respond(to: request, withResult: .unlikelyError)
    }
    // Later parts of a value belong to the read that began it.
    guard request.offset == 0, let effect = faults.take(.read, index) else { return answer(request, index) }
    switch effect {
    case .refusal(let code): peripheral.respond(to: request, withResult: code)
    case .delay(let delay):
      let handed = Handed(request)
      after(delay) { $0.answer(handed.value, index) }
    case .silence: break
    }
  }

  private func answer(_ request: CBATTRequest, _ index: Int) {
    defer { sendDue() }
    if request.offset == 0, let outcome = ask(.read(index)) {
      switch outcome {
      case .value(let value): characteristics[index].value = value
      case .own: break
      case .refusal(let code): return refuse(request, code)
      }
    }
    let value = characteristics[index].read(offset: request.offset)
    guard request.offset <= value.count else {
      manager?.respond(to: request, withResult: .invalidOffset)
      return
    }
    request.value = value.dropFirst(request.offset)
    manager?.respond(to: request, withResult: .success)
    if request.offset == 0 { emit(.read(characteristics[index].definition.uuid, by: request.central.identifier)) }
  }

  package func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    guard let first = requests.first, let index = index(of: first.characteristic) else { return }
    if faults.losesLink() {
      note(requests)
      loseLinks?()
      return
    }
    switch faults.take(.write, index) {
    case nil: perform(requests)
    case .refusal(let code): peripheral.respond(to: first, withResult: code)
    case .delay(let delay):
      let handed = Handed(requests)
      after(delay) { $0.perform(handed.value) }
    case .silence: note(requests)
    }
  }

  package func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveSubscription request: CBATTRequest) {
    guard let index = index(of: request.characteristic) else { return refuse(request, .unlikelyError) }
    switch faults.take(.subscribe, index) {
    case nil: peripheral.respond(to: request, withResult: .success)
    case .refusal(let code): peripheral.respond(to: request, withResult: code)
    case .delay(let delay):
      let handed = Handed(request)
      after(delay) { $0.manager?.respond(to: handed.value, withResult: .success) }
    case .silence: break
    }
  }

  /// Handles requests that were written together: all, or, with an error, none.
  private func perform(_ requests: [CBATTRequest]) {
    defer { sendDue() }
    guard let first = requests.first else { return }
    var written: [(index: Int, value: Data)] = []
    for request in requests {
      guard let index = index(of: request.characteristic) else { return refuse(first, .unlikelyError) }
      let place = written.firstIndex { $0.index == index }
      let old = place.map { written[$0].value } ?? characteristics[index].value
      guard request.offset <= old.count else { return refuse(first, .invalidOffset) }
      let value = Data(old.prefix(request.offset)) + (request.value ?? Data())
      guard value.count <= DeviceDefinition.longestValue else { return refuse(first, .invalidAttributeValueLength) }
      if let place { written[place].value = value } else { written.append((index, value)) }
    }
    for (index, value) in written {
      let code = verdict(on: value, of: index, isWithoutAnswer: first.isWithoutAnswer)
      guard code == .success else { return refuse(first, code) }
    }
    note(written, by: first)
    manager?.respond(to: first, withResult: .success)
    for (index, value) in written { wasWritten(value, to: index) }
  }

  private func refuse(_ request: CBATTRequest, _ code: CBATTError.Code) {
    manager?.respond(to: request, withResult: code)
    if answerer != nil { emit(.refusedRequest(request.characteristic.uuid, code, by: request.central.identifier)) }
  }

  /// The answer to a write.
  private func verdict(on value: Data, of index: Int, isWithoutAnswer: Bool) -> CBATTError.Code {
    if let outcome = ask(.write(index, value, isWithoutAnswer: isWithoutAnswer)) {
      guard case .refusal(let code) = outcome else { return .success }
      return code
    }
    switch characteristics[index].definition.behavior {
    case .program(let rules, let otherwise): return rules.first { $0.fits(value) }?.answer ?? otherwise
    case .recordAccess(let measurement, _):
      // GLS 1.0.1, 1.6: the errors of the service.
      if !characteristics[index].hasSubscriber { return ._0x81 }
      let isAbort = value.first == 0x03
      let reports = self.index(of: measurement)
      return !isAbort && reports.map(updates.contains) ?? false ? ._0x80 : .success
    case .stored, .fixed, .sequence, .echo, .notifyEvery: return .success
    }
  }

  /// What follows a write that was accepted.
  private func wasWritten(_ value: Data, to index: Int) {
    switch characteristics[index].definition.behavior {
    case .fixed, .sequence, .notifyEvery: break
    case .stored: characteristics[index].value = value
    case .echo(let target):
      characteristics[index].value = value
      if let target = target.map({ self.index(of: $0) }) ?? index { send(value, of: target) }
    case .program(let rules, _):
      guard let rule = rules.first(where: { $0.fits(value) }) else { return characteristics[index].value = value }
      perform(rule.then[...], of: index)
    case .recordAccess(let measurement, _): accessRecords(value, measurement, index)
    }
  }

  private func accessRecords(_ command: Data, _ measurement: CBUUID, _ index: Int) {
    let outcome = RecordAccess.handle(command, characteristics[index].records)
    characteristics[index].records = outcome.remaining
    guard let target = self.index(of: measurement) else { return }
    if command.first == 0x03 { updates.removeAll(of: target) }
    for record in outcome.records { send(record, of: target) }
    send(outcome.response, of: index)
  }

  /// Performs the steps of a rule, from one wait to the next.
  private func perform(_ actions: ArraySlice<DeviceDefinition.Action>, of index: Int) {
    var actions = actions
    while let action = actions.popFirst() {
      switch action {
      case .notify(let value, let target):
        if let target = target.map({ self.index(of: $0) }) ?? index { send(value, of: target) }
      case .set(let value, let target):
        if let target = target.map({ self.index(of: $0) }) ?? index { characteristics[target].value = value }
      case .wait(let time):
        let rest = actions
        return after(time) { $0.perform(rest, of: index) }
      }
    }
  }

  // MARK: Records of writes

  private func note(_ requests: [CBATTRequest]) {
    for request in requests {
      guard let index = index(of: request.characteristic) else { continue }
      note([(index, request.value ?? Data())], by: request)
    }
  }

  private func note(_ written: [(index: Int, value: Data)], by request: CBATTRequest) {
    for (index, value) in written {
      let uuid = characteristics[index].definition.uuid
      writes.append(DeviceWrite(characteristic: uuid, value: value))
      emit(.written(uuid, value, by: request.central.identifier))
    }
  }

  // MARK: Characteristics

  /// The index of a published object.
  func index(of object: CBCharacteristic) -> Int? { characteristics.firstIndex { $0.object === object } }

  /// The index of the first characteristic of a UUID.
  func index(of uuid: CBUUID) -> Int? { characteristics.firstIndex { $0.definition.uuid == uuid } }
}

/// A request that waits. Unchecked: only the server's queue uses it.
private struct Handed<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
