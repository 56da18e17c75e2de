import Testing

@testable import CoreBluetooth

/// The semantics of the peripheral role that apps rely on. Both ends are real.
@Suite(.timeLimit(.minutes(5)))
struct ServerBehaviorTests {
  @Test("An added service is fixed") func aServiceIsAddedAndMayNotChangeAfter() async throws {
    let lab = Lab()
    let characteristic = Lab.characteristic("FFF1", [.read])
    let service = try await lab.publish([characteristic])
    service.characteristics = []
    characteristic.properties = .write
    characteristic.permissions = .writeable
    characteristic.descriptors = [CBMutableDescriptor(type: CBUUID(string: "2901"), value: "late")]
    #expect(service.characteristics == [characteristic])
    #expect(characteristic.properties == .read)
    #expect(characteristic.permissions == [.readable, .writeable])
    #expect(characteristic.descriptors == nil)
    lab.peripheral.manager.remove(service)
    characteristic.properties = [.read, .write]
    #expect(characteristic.properties == [.read, .write])
    try await lab.peripheral.add(service)
  }

  @Test("Services are added in order") func servicesAreAddedInOrder() async throws {
    let lab = Lab()
    try await lab.peripheral.isPoweredOn()
    let services = ["FFF0", "FFE0", "FFD0"].map { CBMutableService(type: CBUUID(string: $0), primary: true) }
    for service in services { lab.peripheral.manager.add(service) }
    for service in services {
      let added = try await lab.peripheral.log.first { event in
        if case .added(let service, nil) = event { return service }
        return nil
      }
      #expect(added === service)
    }
  }

  @Test("A service is added once") func aServiceIsAddedOnce() async throws {
    let lab = Lab()
    let service = try await lab.publish([Lab.characteristic("FFF1", [.read])])
    let error = await #expect(throws: CBError.self) { try await lab.peripheral.add(service) }
    #expect(error?.code == .invalidParameters)
    let other = PeripheralSide(lab.options)
    try await other.isPoweredOn()
    await #expect(throws: CBError.self) { try await other.add(service) }
  }

  @Test("Advertising twice is an error") func advertisingTwiceIsAnError() async throws {
    let lab = Lab()
    try await lab.publish([Lab.characteristic("FFF1", [.read])])
    #expect(lab.peripheral.manager.isAdvertising)
    let error = await #expect(throws: CBError.self) { try await lab.peripheral.advertise("Again") }
    #expect(error?.code == .alreadyAdvertising)
    #expect(lab.peripheral.manager.isAdvertising)
    lab.peripheral.manager.stopAdvertising()
    #expect(!lab.peripheral.manager.isAdvertising)
    try await lab.peripheral.advertise("Again")
  }

  @Test("The host's own services are refused") func theHostsOwnServicesAreNotAnApps() async throws {
    let lab = Lab()
    try await lab.peripheral.isPoweredOn()
    let service = CBMutableService(type: CBUUID(string: "1801"), primary: true)
    let error = await #expect(throws: CBError.self) { try await lab.peripheral.add(service) }
    #expect(error?.code == .uuidNotAllowed)
  }

  @Test(
    "A cached value must be read-only",
    arguments: [
      ([.read, .write], .readable), (.notify, .readable), (.read, [.readable, .writeable]),
    ] as [(CBCharacteristicProperties, CBAttributePermissions)])
  func aCachedValueHasToBeReadOnly(
    properties: CBCharacteristicProperties, permissions: CBAttributePermissions
  ) async throws {
    let lab = Lab()
    try await lab.peripheral.isPoweredOn()
    let service = CBMutableService(type: CBUUID(string: Lab.service), primary: true)
    service.characteristics = [Lab.characteristic("FFF1", properties, value: Data([1]), permissions: permissions)]
    let error = await #expect(throws: CBError.self) { try await lab.peripheral.add(service) }
    #expect(error?.code == .invalidParameters)
    // It may be mended and added then.
    service.characteristics = [Lab.characteristic("FFF1", .read, value: Data([1]), permissions: .readable)]
    try await lab.peripheral.add(service)
  }

  @Test("A cached value is answered without the app") func aCachedValueIsAnsweredWithoutTheApp() async throws {
    let lab = Lab()
    let value = Data((0..<100).map { UInt8($0) })
    let found = try await lab.connect([
      Lab.characteristic("FFF1", .read, value: value, permissions: .readable), Lab.characteristic("FFF2", .read),
    ])
    let characteristics = try await lab.central.discover(Lab.service, of: found)
    #expect(try await lab.central.read(try #require(characteristics["FFF1"]), of: found) == value)
    _ = try await lab.central.read(try #require(characteristics["FFF2"]), of: found)
    #expect(try await lab.peripheral.read().characteristic.uuid == CBUUID(string: "FFF2"))
  }

  @Test("Dynamic reads have their offset") func dynamicReadsCarryTheirOffset() async throws {
    let lab = Lab(mtu: 23)
    let stored = Lab.characteristic("FFF1", .read)
    let found = try await lab.connect([stored])
    // Set before, it would be a value that the stack answers.
    stored.value = Data((0..<50).map { UInt8($0) })
    let characteristic = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    #expect(try await lab.central.read(characteristic, of: found) == stored.value)
    for offset in [0, 22, 44] {
      let request = try await lab.peripheral.read()
      #expect(request.offset == offset)
      #expect(request.characteristic === stored)
      #expect(request.central.identifier != found.identifier)
      #expect(request.central.maximumUpdateValueLength == 20)
    }
  }

  @Test("Only the first answer is sent") func anAnswerIsGivenOnce() async throws {
    let lab = Lab()
    lab.peripheral.onRead = { request in
      request.value = Data("first".utf8)
      lab.peripheral.manager.respond(to: request, withResult: .success)
      request.value = Data("second".utf8)
      lab.peripheral.manager.respond(to: request, withResult: .unlikelyError)
    }
    let found = try await lab.connect([Lab.characteristic("FFF1", .read)])
    let characteristic = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    for _ in 0..<3 { #expect(try await lab.central.read(characteristic, of: found) == Data("first".utf8)) }
  }

  @Test("An answer may come later") func anAnswerMayComeLater() async throws {
    let lab = Lab()
    lab.peripheral.onRead = { _ in }
    let found = try await lab.connect([Lab.characteristic("FFF1", .read)])
    let characteristic = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    found.readValue(for: characteristic)
    let request = try await lab.peripheral.read()
    request.value = Data("late".utf8)
    lab.peripheral.manager.respond(to: request, withResult: .success)
    #expect(try await lab.central.value(characteristic) == Data("late".utf8))
  }

  @Test("A nil value reads as empty") func noValueReadsAsEmpty() async throws {
    let lab = Lab()
    lab.peripheral.onRead = { lab.peripheral.manager.respond(to: $0, withResult: .success) }
    let found = try await lab.connect([Lab.characteristic("FFF1", .read)])
    let characteristic = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    #expect(try await lab.central.read(characteristic, of: found) == Data())
  }

  @Test("Without a delegate requests are refused at once") func withoutADelegate() async throws {
    let lab = Lab()
    let found = try await lab.connect([Lab.characteristic("FFF1", [.read, .write])])
    let characteristic = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    lab.peripheral.manager.delegate = nil
    let error = await #expect(throws: CBATTError.self) { try await lab.central.read(characteristic, of: found) }
    #expect(error?.code == .requestNotSupported)
    await #expect(throws: CBATTError.self) { try await lab.central.write(Data([1]), to: characteristic, of: found) }
  }

  @Test("A refusal reaches the central with its code", arguments: [0x01, 0x0E, 0x80, 0x9F, 0xFC, 0xFF])
  func aRefusalReachesTheCentralAsItWasGiven(code: Int) async throws {
    let lab = Lab()
    let result = try #require(CBATTError.Code(rawValue: code))
    lab.peripheral.onWrite = { lab.peripheral.manager.respond(to: $0[0], withResult: result) }
    lab.peripheral.onRead = { lab.peripheral.manager.respond(to: $0, withResult: result) }
    let found = try await lab.connect([Lab.characteristic("FFF1", [.read, .write])])
    let characteristic = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    let write = await #expect(throws: CBATTError.self) {
      try await lab.central.write(Data([1]), to: characteristic, of: found)
    }
    #expect(write?.code == result)
    let read = await #expect(throws: CBATTError.self) { try await lab.central.read(characteristic, of: found) }
    #expect(read?.code == result)
  }

  @Test("A long write is one batch with one answer") func aLongWriteIsOneBatchAndOneAnswer() async throws {
    let lab = Lab(mtu: 23)
    let stored = Lab.characteristic("FFF1", [.read, .write])
    let found = try await lab.connect([stored])
    let characteristic = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    #expect(found.maximumWriteValueLength(for: .withoutResponse) == 20)
    let value = Data((0..<300).map { UInt8(truncatingIfNeeded: $0) })
    try await lab.central.write(value, to: characteristic, of: found)
    #expect(try await lab.peripheral.write().map(\.value) == [value])
    #expect(stored.value == value)
    lab.peripheral.onWrite = { lab.peripheral.manager.respond(to: $0[0], withResult: ._0x81) }
    let error = await #expect(throws: CBATTError.self) {
      try await lab.central.write(value, to: characteristic, of: found)
    }
    #expect(error?.code == ._0x81)
  }

  @Test("A Write Command arrives and its answer is not sent") func aWriteCommandArrivesAndItsAnswerGoesNowhere()
    async throws
  {
    let lab = Lab()
    let stored = Lab.characteristic("FFF1", [.read, .writeWithoutResponse])
    let found = try await lab.connect([stored])
    let characteristic = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    found.writeValue(Data("one".utf8), for: characteristic, type: .withoutResponse)
    let requests = try await lab.peripheral.write()
    #expect(requests.map(\.value) == [Data("one".utf8)])
    #expect(requests.first?.offset == 0)
    #expect(requests.first?.characteristic === stored)
    #expect(try await lab.central.read(characteristic, of: found) == Data("one".utf8))
  }

  @Test("An update goes to all or to the given centrals") func anUpdateGoesToAllOrToThoseNamed() async throws {
    let lab = Lab()
    let notified = Lab.characteristic("FFF1", .notify)
    let found = try await lab.connect([notified])
    #expect(lab.peripheral.manager.updateValue(Data([0]), for: notified, onSubscribedCentrals: nil), "nobody yet")
    let characteristic = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    try await lab.central.setNotify(true, characteristic, of: found)
    let central = try await lab.peripheral.subscription(to: notified)
    #expect(lab.peripheral.manager.updateValue(Data([1]), for: notified, onSubscribedCentrals: []))
    #expect(lab.peripheral.manager.updateValue(Data([2]), for: notified, onSubscribedCentrals: [central]))
    #expect(lab.peripheral.manager.updateValue(Data([3]), for: notified, onSubscribedCentrals: nil))
    #expect(try await lab.central.value(characteristic) == Data([2]))
    #expect(try await lab.central.value(characteristic) == Data([3]))
  }

  @Test("A long update is truncated") func aLongUpdateIsCut() async throws {
    let lab = Lab()
    let notified = Lab.characteristic("FFF1", .notify)
    let found = try await lab.connect([notified])
    let characteristic = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    try await lab.central.setNotify(true, characteristic, of: found)
    let central = try await lab.peripheral.subscription(to: notified)
    let value = Data((0..<600).map { UInt8(truncatingIfNeeded: $0) })
    #expect(lab.peripheral.manager.updateValue(value, for: notified, onSubscribedCentrals: nil))
    #expect(try await lab.central.value(characteristic) == value.prefix(central.maximumUpdateValueLength))
  }

  @Test("A full queue returns false and becomes ready later") func aFullQueueSaysFalseAndThenReady() async throws {
    let lab = Lab()
    let notified = Lab.characteristic("FFF1", .notify)
    let found = try await lab.connect([notified])
    let characteristic = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    try await lab.central.setNotify(true, characteristic, of: found)
    _ = try await lab.peripheral.subscription(to: notified)
    let count = 2000
    let next = Locked(0)
    func send() {
      while true {
        let number = next.withLock { $0 }
        guard number < count else { return }
        let value = Data([UInt8(number >> 8), UInt8(number & 0xFF)])
        guard lab.peripheral.manager.updateValue(value, for: notified, onSubscribedCentrals: nil) else { return }
        next.withLock { $0 += 1 }
      }
    }
    lab.peripheral.onReady = send
    // The app does not consume values: at some time the answer must be false.
    lab.central.queue.suspendWhenIdle()
    lab.peripheral.queue.sync { send() }
    #expect(next.withLock { $0 } < count)
    lab.central.queue.resume()
    for number in 0..<count {
      try #require(try await lab.central.value(characteristic) == Data([UInt8(number >> 8), UInt8(number & 0xFF)]))
    }
    lab.peripheral.onReady = nil
  }

  @Test("A long name is shortened") func aLongNameIsCut() async throws {
    let lab = Lab()
    try await lab.peripheral.isPoweredOn()
    let name = String(repeating: "灯", count: 20)
    try await lab.peripheral.advertise(name, services: [CBUUID(string: Lab.service)])
    try await lab.central.isPoweredOn()
    lab.central.manager.scanForPeripherals(withServices: nil)
    let advertised: String = try await lab.central.log.first { event in
      if case .discovered(_, let data, _) = event { return data[CBAdvertisementDataLocalNameKey] as? String }
      return nil
    }
    #expect(name.hasPrefix(advertised))
    #expect(!advertised.isEmpty && advertised.count < name.count)
  }

  @Test("Without pairing, attributes that need encryption are refused")
  func withoutPairingWhatNeedsEncryptionIsRefused() async throws {
    // A host that is made by hand does not pair.
    let lab = Lab(mtu: 185)
    let found = try await lab.connect([
      Lab.characteristic("FFF1", [.read, .write], permissions: [.readEncryptionRequired, .writeEncryptionRequired])
    ])
    let characteristic = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    let read = await #expect(throws: CBATTError.self) { try await lab.central.read(characteristic, of: found) }
    #expect(read?.code == .insufficientAuthentication)
    await #expect(throws: CBATTError.self) { try await lab.central.write(Data([1]), to: characteristic, of: found) }
  }

  @Test(
    "Without pairing, nobody subscribes to values that need encryption",
    arguments: [CBCharacteristicProperties.notifyEncryptionRequired, .indicateEncryptionRequired])
  func withoutPairingNobodySubscribesToProtectedValues(_ properties: CBCharacteristicProperties) async throws {
    let lab = Lab(mtu: 185)
    let found = try await lab.connect([Lab.characteristic("FFF1", properties)])
    let characteristic = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    #expect(
      characteristic.properties == (properties == .notifyEncryptionRequired ? .notify : .indicate))
    let error = await #expect(throws: CBATTError.self) {
      try await lab.central.setNotify(true, characteristic, of: found)
    }
    #expect(error?.code == .insufficientAuthentication)
    #expect(!characteristic.isNotifying)
  }

  @Test("Permissions decide, not properties") func permissionsDecideNotProperties() async throws {
    let lab = Lab()
    let found = try await lab.connect([
      Lab.characteristic("FFF1", [.read, .write], permissions: .readable),
      Lab.characteristic("FFF2", [.read, .write], permissions: .writeable),
    ])
    let characteristics = try await lab.central.discover(Lab.service, of: found)
    let (readable, writeable) = (try #require(characteristics["FFF1"]), try #require(characteristics["FFF2"]))
    #expect(try await lab.central.read(readable, of: found) == Data())
    let write = await #expect(throws: CBATTError.self) {
      try await lab.central.write(Data([1]), to: readable, of: found)
    }
    #expect(write?.code == .writeNotPermitted)
    let read = await #expect(throws: CBATTError.self) { try await lab.central.read(writeable, of: found) }
    #expect(read?.code == .readNotPermitted)
    try await lab.central.write(Data([1]), to: writeable, of: found)
  }

  @Test("Descriptors are served") func descriptorsAreServed() async throws {
    let lab = Lab()
    let described = Lab.characteristic("FFF1", .read)
    let format = Data([0x04, 0x00, 0xAD, 0x27, 0x01, 0x00, 0x00])
    described.descriptors = [
      CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "亮度"),
      CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicFormatString), value: format),
    ]
    let found = try await lab.connect([described])
    let characteristic = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    try await lab.central.discoverDescriptors(characteristic, of: found)
    let descriptors = try #require(characteristic.descriptors)
    #expect(descriptors.map(\.uuid.uuidString) == ["2901", "2904"])
    #expect(descriptors.allSatisfy { $0.characteristic === characteristic })
    for descriptor in descriptors { found.readValue(for: descriptor) }
    var values: [Any?] = []
    while values.count < 2 {
      values.append(
        try await lab.central.log.first { event -> Any?? in
          if case .descriptorValue(_, let value, nil) = event { return .some(value) }
          return nil
        })
    }
    #expect(values[0] as? String == "亮度")
    #expect(values[1] as? Data == format)
  }

  @Test("A released manager removes its services") func aManagersServicesGoWithIt() async throws {
    let lab = Lab()
    let characteristic = Lab.characteristic("FFF1", .read)
    let service = try await lab.publish([characteristic])
    lab.peripheral.dropManager()
    // Free again, for another manager.
    let other = PeripheralSide(lab.options)
    try await other.isPoweredOn()
    try await other.add(service)
    try await other.advertise("Lamp")
    try await lab.central.isPoweredOn()
    let found = try await lab.central.find("Lamp")
    try await lab.central.connect(found)
    try await lab.central.discoverServices([service.uuid], of: found)
    #expect(found.services?.count == 1)
  }
}
