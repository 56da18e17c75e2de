import CoreBluetooth

/// The central's side, on a queue of its own: finds, connects, discovers everything, and then runs the measured operations.
final class Central: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  private let manager: CBCentralManager
  private let measure: Measure
  private let seconds: Double
  private let peripheral: Peripheral
  private var peer: CBPeripheral?
  private var undiscovered = 0
  private let clock = ContinuousClock()
  private var connected: ContinuousClock.Instant?
  private var begin: ContinuousClock.Instant?
  private var discoveries: [Double] = []
  private var bytesBefore = 0
  private var readsBefore = 0
  private var notifiedBytes = 0
  private let value = Data((0..<244).map { UInt8($0) })

  init(measure: Measure, seconds: Double, at controller: String, peripheral: Peripheral) {
    self.measure = measure
    self.seconds = seconds
    self.peripheral = peripheral
    manager = CBCentralManager(
      delegate: nil, queue: DispatchQueue(label: "central"),
      options: [CBManagerOptionControllerKey: controller])
    super.init()
    manager.delegate = self
    if manager.state == .poweredOn { centralManagerDidUpdateState(manager) }
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central.state == .poweredOn, peer == nil else { return }
    central.scanForPeripherals(withServices: nil)
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi: NSNumber
  ) {
    guard peer == nil, advertisementData[CBAdvertisementDataLocalNameKey] as? String == Database.name else { return }
    peer = peripheral
    peripheral.delegate = self
    central.stopScan()
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    connected = clock.now
    if begin == nil, measure == .discover { begin = clock.now }
    peripheral.discoverServices(nil)
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    central.connect(peripheral)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    let wanted = (1...Database.serviceCount).map { Database.uuid($0) }
    let services = (peripheral.services ?? []).filter { wanted.contains($0.uuid) }
    undiscovered = services.count
    for service in services { peripheral.discoverCharacteristics(nil, for: service) }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    undiscovered -= 1
    guard undiscovered == 0 else { return }
    switch measure {
    case .discover: discovered()
    case .read:
      start()
      if let target = characteristic(1) { peripheral.readValue(for: target) }
    case .write:
      start()
      pour()
    case .notify:
      if let target = characteristic(3) { peripheral.setNotifyValue(true, for: target) }
    case .channel: peripheral.openL2CAPChannel(self.peripheral.psm)
    // Its devices are its own.
    case .pair: break
    }
  }

  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    guard let channel else { fatalError("no channel: \(String(describing: error))") }
    let sender = ChannelSender(channel: channel)
    start()
    let received = self.peripheral
    let (begin, before, clock, seconds) = (clock.now, bytesBefore, clock, seconds)
    Thread.detachNewThread {
      sender.send { (clock.now - begin) / .seconds(1) >= seconds }
      let elapsed = (clock.now - begin) / .seconds(1)
      let bytes = received.receivedBytes - before
      Self.finish(.channel, Double(bytes) / elapsed / 1000, "kB/s", bytes / ChannelSender.length, elapsed)
    }
  }

  private func characteristic(_ number: Int) -> CBCharacteristic? {
    peer?.services?.first { $0.uuid == Database.uuid(1) }?.characteristics?
      .first { $0.uuid == Database.uuid(1, number) }
  }

  // MARK: Measures

  private func start() {
    begin = clock.now
    bytesBefore = peripheral.receivedBytes
    readsBefore = peripheral.answeredReads
  }

  private var elapsed: Double { begin.map { (clock.now - $0) / .seconds(1) } ?? 0 }

  /// Writes while the link accepts them, one call for each Write Command.
  private func pour() {
    guard let peer, let target = characteristic(2) else { return }
    while peer.canSendWriteWithoutResponse {
      peer.writeValue(value, for: target, type: .withoutResponse)
      // Reading the clock is a part of what both sides do.
      if elapsed >= seconds {
        let bytes = peripheral.receivedBytes - bytesBefore
        return finish(Double(bytes) / elapsed / 1000, "kB/s", bytes / value.count)
      }
    }
  }

  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { pour() }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    if measure == .notify { return notified(characteristic.value?.count ?? 0) }
    guard elapsed < seconds else {
      let reads = self.peripheral.answeredReads - readsBefore
      return finish(Double(reads) / elapsed, "/s", reads)
    }
    peripheral.readValue(for: characteristic)
  }

  /// The first value starts the clock.
  private func notified(_ count: Int) {
    guard begin != nil else { return begin = clock.now }
    notifiedBytes += count
    if elapsed >= seconds { finish(Double(notifiedBytes) / elapsed / 1000, "kB/s", notifiedBytes / value.count) }
  }

  private func discovered() {
    guard let peer, let connected else { return }
    let found = (peer.services ?? []).reduce(0) { $0 + ($1.characteristics?.count ?? 0) }
    guard found >= 3 * Database.serviceCount else { fatalError("not every characteristic was found") }
    discoveries.append((clock.now - connected) / .milliseconds(1))
    if elapsed >= seconds, discoveries.count >= 3 {
      return finish(discoveries.sorted()[discoveries.count / 2], "ms", discoveries.count)
    }
    manager.cancelPeripheralConnection(peer)
  }

  private func finish(_ value: Double, _ unit: String, _ count: Int) {
    Self.finish(measure, value, unit, count, elapsed)
  }

  /// Prints the figure, and ends the program.
  static func finish(_ measure: Measure, _ value: Double, _ unit: String, _ count: Int, _ elapsed: Double) -> Never {
    let text = String(
      format: "{\"side\":\"ours\",\"measure\":\"%@\",\"value\":%.3f,\"unit\":\"%@\",\"count\":%d,\"seconds\":%.3f}",
      measure.rawValue as NSString, value, unit as NSString, count, elapsed)
    print(text)
    exit(0)
  }
}
