import LatchkeyBluetoothTransports
import Testing

@testable import CoreBluetooth

/// The semantics of a peripheral's values that apps rely on. Both ends are real.
@Suite(.timeLimit(.minutes(5)))
struct ValueBehaviorTests {
  @Test("Answers are in the order of the calls") func answersComeInTheOrderOfTheCalls() async throws {
    let lab = Lab()
    let first = Lab.characteristic("FFF1", [.read, .write])
    let second = Lab.characteristic("FFF2", [.read, .write, .notify])
    first.descriptors = [CBMutableDescriptor(type: CBUUID(string: "2901"), value: "first")]
    let found = try await lab.connect([first, second])
    let characteristics = try await lab.central.discover(Lab.service, of: found)
    let (one, two) = (try #require(characteristics["FFF1"]), try #require(characteristics["FFF2"]))
    try await lab.central.discoverDescriptors(one, of: found)
    let description = try #require(one.descriptors?.first)
    // One that fails without the peer stands among them, and waits for its turn.
    found.writeValue(Data([1]), for: one, type: .withResponse)
    found.readValue(for: two)
    found.setNotifyValue(true, for: one)
    found.readValue(for: description)
    found.setNotifyValue(true, for: two)
    found.writeValue(Data(count: 513), for: two, type: .withResponse)
    found.discoverDescriptors(for: two)
    found.readValue(for: one)
    var order: [String] = []
    while order.last != "read FFF1" {
      let step: String = try await lab.central.log.first { event in
        switch event {
        case .written(let characteristic, let error):
          "write \(characteristic.uuid)\((error as? CBATTError).map { " error \($0.code.rawValue)" } ?? "")"
        case .value(let characteristic, _, _): "read \(characteristic.uuid)"
        case .notification(let characteristic, let isOn, let error):
          "notify \(characteristic.uuid) \(isOn)\((error as? CBATTError).map { " error \($0.code.rawValue)" } ?? "")"
        case .descriptorValue(let descriptor, let value, _): "descriptor \(descriptor.uuid.uuidString) \(value ?? "")"
        case .descriptors(let characteristic, _): "descriptors \(characteristic.uuid)"
        default: nil
        }
      }
      order.append(step)
    }
    #expect(
      order == [
        "write FFF1", "read FFF2", "notify FFF1 false error 6", "descriptor 2901 first", "notify FFF2 true",
        "write FFF2 error 13", "descriptors FFF2", "read FFF1",
      ])
  }

  @Test("The value is set right before the callback") func theValueIsSetRightBeforeTheCallback() async throws {
    let lab = Lab()
    let notified = Lab.characteristic("FFF1", [.notify])
    let found = try await lab.connect([notified])
    let characteristic = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    try await lab.central.setNotify(true, characteristic, of: found)
    // All are on their way before the first callback can run; each callback still sees its own.
    lab.central.queue.suspendWhenIdle()
    for value in 0..<10 {
      #expect(lab.peripheral.manager.updateValue(Data([UInt8(value)]), for: notified, onSubscribedCentrals: nil))
    }
    #expect(characteristic.value == nil)
    lab.central.queue.resume()
    for value in 0..<10 { #expect(try await lab.central.value(characteristic) == Data([UInt8(value)])) }
  }

  @Test("Long values are read and written whole") func longValuesAreReadAndWrittenWhole() async throws {
    let lab = Lab()
    let stored = Lab.characteristic("FFF1", [.read, .write, .writeWithoutResponse])
    let found = try await lab.connect([stored])
    let characteristic = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    #expect(found.maximumWriteValueLength(for: .withResponse) == 512)
    #expect(found.maximumWriteValueLength(for: .withoutResponse) == 512)
    let value = Data((0..<512).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    try await lab.central.write(value, to: characteristic, of: found)
    #expect(stored.value == value)
    #expect(try await lab.central.read(characteristic, of: found) == value)
    let error = await #expect(throws: CBATTError.self) {
      try await lab.central.write(Data(count: 513), to: characteristic, of: found)
    }
    #expect(error?.code == .invalidAttributeValueLength)
  }

  @Test("Writes without response are paced by their flag") func writesWithoutResponseArePacedByTheirFlag() async throws
  {
    let lab = Lab()
    let sink = Lab.characteristic("FFF1", [.writeWithoutResponse])
    let found = try await lab.connect([sink])
    let characteristic = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    let count = 2000
    let next = Locked(0)
    func send() {
      while found.canSendWriteWithoutResponse {
        let number = next.withLock { next in
          defer { next += 1 }
          return next
        }
        guard number < count else { return }
        let value = Data([UInt8(number >> 8), UInt8(number & 0xFF)]) + Data(count: 100)
        found.writeValue(value, for: characteristic, type: .withoutResponse)
      }
    }
    #expect(found.canSendWriteWithoutResponse)
    lab.central.reaction = { event in
      if case .ready = event { send() }
    }
    // On the callbacks' queue, so that nothing else sends at the same time.
    lab.central.queue.async { [send = Unchecked(send)] in send.value() }
    for number in 0..<count {
      let requests = try await lab.peripheral.write()
      try #require(requests.count == 1)
      let value = try #require(requests.first?.value)
      try #require(value.prefix(2) == Data([UInt8(number >> 8), UInt8(number & 0xFF)]))
    }
    lab.central.reaction = nil
  }

  @Test("Unpaced writes are dropped and the flag is false") func unpacedWrites() async throws {
    let lab = Lab()
    let sink = Lab.characteristic("FFF1", [.writeWithoutResponse])
    let found = try await lab.connect([sink])
    let characteristic = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    lab.peripheral.queue.suspendWhenIdle()
    for _ in 0..<5000 { found.writeValue(Data(count: 100), for: characteristic, type: .withoutResponse) }
    #expect(!found.canSendWriteWithoutResponse)
    lab.peripheral.queue.resume()
    try await lab.central.log.first { event in
      if case .ready = event { return () }
      return nil
    }
    #expect(found.canSendWriteWithoutResponse)
  }

  @Test("A write without response needs the property") func aWriteWithoutResponseNeedsTheProperty() async throws {
    let lab = Lab()
    let found = try await lab.connect([Lab.characteristic("FFF1", [.read, .write])])
    let characteristic = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    found.writeValue(Data([1]), for: characteristic, type: .withoutResponse)
    try await lab.central.write(Data([2]), to: characteristic, of: found)
    #expect(try await lab.peripheral.write().first?.value == Data([2]))
  }

  @Test(
    "A subscription uses notifications or indications",
    arguments: [CBCharacteristicProperties.notify, .indicate, [.notify, .indicate]])
  func subscribingNotifiesOrIndicates(properties: CBCharacteristicProperties) async throws {
    let lab = Lab()
    let notified = Lab.characteristic("FFF1", properties)
    let found = try await lab.connect([notified])
    let characteristic = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    #expect(!characteristic.isNotifying)
    try await lab.central.setNotify(true, characteristic, of: found)
    #expect(characteristic.isNotifying)
    let central = try await lab.peripheral.subscription(to: notified)
    #expect(notified.subscribedCentrals == [central])
    #expect(central.maximumUpdateValueLength == 512)
    // Read from the descriptor, so that what was chosen is seen from outside.
    try await lab.central.discoverDescriptors(characteristic, of: found)
    let configuration = try #require(
      characteristic.descriptors?.first { $0.uuid.uuidString == CBUUIDClientCharacteristicConfigurationString })
    found.readValue(for: configuration)
    let value: Any? = try await lab.central.log.first { event in
      if case .descriptorValue(configuration, let value, _) = event { return .some(value) }
      return nil
    }
    #expect(value as? NSNumber == (properties.contains(.notify) ? 1 : 2))
    #expect(lab.peripheral.manager.updateValue(Data("on".utf8), for: notified, onSubscribedCentrals: nil))
    #expect(try await lab.central.value(characteristic) == Data("on".utf8))
    try await lab.central.setNotify(false, characteristic, of: found)
    #expect(!characteristic.isNotifying)
    #expect(try await lab.peripheral.unsubscription(from: notified) === central)
    #expect(notified.subscribedCentrals?.isEmpty == true)
  }

  @Test("Subscriptions end with the connection") func subscriptionsEndWithTheConnection() async throws {
    let lab = Lab()
    let notified = Lab.characteristic("FFF1", [.notify])
    let found = try await lab.connect([notified])
    let characteristic = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    try await lab.central.setNotify(true, characteristic, of: found)
    let central = try await lab.peripheral.subscription(to: notified)
    lab.central.manager.cancelPeripheralConnection(found)
    _ = try await lab.central.disconnection()
    #expect(!characteristic.isNotifying)
    #expect(try await lab.peripheral.unsubscription(from: notified) === central)
    #expect(notified.subscribedCentrals?.isEmpty == true)
    // The same object again for the same central, as long as the app holds it.
    try await lab.central.connect(found)
    let again = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    try await lab.central.setNotify(true, again, of: found)
    #expect(try await lab.peripheral.subscription(to: notified) === central)
  }

  @Test("An app cannot write the configuration") func theConfigurationIsNotAnAppsToWrite() async throws {
    let lab = Lab()
    let notified = Lab.characteristic("FFF1", [.read, .notify])
    let found = try await lab.connect([notified])
    let characteristic = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    try await lab.central.discoverDescriptors(characteristic, of: found)
    let configuration = try #require(characteristic.descriptors?.first)
    found.writeValue(Data([1, 0]), for: configuration)
    _ = try await lab.central.read(characteristic, of: found)
    #expect(notified.subscribedCentrals?.isEmpty == true)
  }

  @Test("Changed services are invalidated") func changedServicesAreInvalidated() async throws {
    let lab = Lab()
    let found = try await lab.connect([Lab.characteristic("FFF1", [.read])])
    let service = CBMutableService(type: CBUUID(string: "ABCD"), primary: true)
    let added = Lab.characteristic("ABC1", [.read], value: Data([1]), permissions: .readable)
    service.characteristics = [added]
    try await lab.peripheral.add(service)
    let characteristic = try #require(try await lab.central.discover("ABCD", of: found)["ABC1"])
    let kept = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    let discovered = try #require(characteristic.service)
    // The manager's own requests alternate with these; then they are finished.
    for _ in 0..<5 { _ = try await lab.central.read(kept, of: found) }
    lab.peripheral.manager.remove(service)
    let invalidated = try await lab.central.log.first { event -> [CBService]? in
      if case .modified(let services) = event, !services.isEmpty { return services }
      return nil
    }
    #expect(invalidated == [discovered])
    #expect(found.services?.contains(discovered) == false)
    await #expect(throws: CBATTError.self) { try await lab.central.read(characteristic, of: found) }
    #expect(try await lab.central.read(kept, of: found) == Data())
  }

  @Test("A repeated discovery retains objects and merges") func discoveryKeepsObjectsAndMerges() async throws {
    let lab = Lab()
    let found = try await lab.connect([Lab.characteristic("FFF1", [.read]), Lab.characteristic("FFF2", [.read])])
    try await lab.central.discoverServices([CBUUID(string: Lab.service)], of: found)
    let service = try #require(found.services?.first)
    #expect(found.services?.count == 1)
    #expect(service.peripheral === found)
    #expect(service.characteristics == nil)
    found.discoverCharacteristics([CBUUID(string: "FFF2")], for: service)
    try await lab.central.log.first { event in
      if case .characteristics(service, _) = event { return () }
      return nil
    }
    #expect(service.characteristics?.map(\.uuid.uuidString) == ["FFF2"])
    let second = try #require(service.characteristics?.first)
    #expect(second.service === service)
    let all = try await lab.central.discover(Lab.service, of: found)
    #expect(all["FFF2"] === second)
    #expect(service.characteristics?.map(\.uuid.uuidString) == ["FFF1", "FFF2"])
    try await lab.central.discoverServices(nil, of: found)
    #expect(found.services?.contains { $0 === service } == true)
    #expect((found.services?.count ?? 0) > 1)
    try await lab.central.discoverServices([CBUUID(string: "ABCD")], of: found)
    #expect(found.services?.contains { $0 === service } == true, "nothing was said of the others")
  }

  @Test("Included services are discovered") func includedServicesAreDiscovered() async throws {
    let lab = Lab()
    try await lab.peripheral.isPoweredOn()
    let inner = CBMutableService(type: CBUUID(string: "ABCD"), primary: false)
    inner.characteristics = [Lab.characteristic("ABC1", [.read])]
    let outer = CBMutableService(type: CBUUID(string: Lab.service), primary: true)
    outer.includedServices = [inner]
    try await lab.peripheral.add(inner)
    try await lab.peripheral.add(outer)
    try await lab.peripheral.advertise("Lamp")
    try await lab.central.isPoweredOn()
    let found = try await lab.central.find("Lamp")
    try await lab.central.connect(found)
    try await lab.central.discoverServices(nil, of: found)
    let service = try #require(found.services?.first { $0.uuid == outer.uuid })
    #expect(found.services?.contains { $0.uuid == inner.uuid } == false, "a secondary service is only included")
    found.discoverIncludedServices(nil, for: service)
    try await lab.central.log.first { event in
      if case .includedServices(service, nil) = event { return () }
      return nil
    }
    let included = try #require(service.includedServices?.first)
    #expect(included.uuid == inner.uuid)
    found.discoverCharacteristics(nil, for: included)
    try await lab.central.log.first { event in
      if case .characteristics(included, nil) = event { return () }
      return nil
    }
    let characteristic = try #require(included.characteristics?.first)
    #expect(try await lab.central.read(characteristic, of: found) == Data())
  }

  @Test("The signal strength is read") func signalStrengthIsRead() async throws {
    let lab = Lab()
    let found = try await lab.connect([Lab.characteristic("FFF1", [.read])])
    lab.radio.setRSSI(-42, between: "central", and: "peripheral")
    found.readRSSI()
    let rssi = try await lab.central.log.first { event in
      if case .rssi(let rssi, nil) = event { return rssi }
      return nil
    }
    #expect(rssi == -42)
  }
}
