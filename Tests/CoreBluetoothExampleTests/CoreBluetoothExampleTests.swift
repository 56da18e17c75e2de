import CoreBluetooth
import LatchkeyBluetoothEmulator
import LatchkeyBluetoothTransports
import MyBlueApp
import MyBlueDevice
import Testing

/// The two programs of Examples/001-corebluetooth against each other, on the main queue; each branch that the document shows.
@MainActor @Suite(.serialized, .timeLimit(.minutes(5)))
struct CoreBluetoothExampleTests {
  @Test("both programs, on the radio that programs get by default: from the scan to the end of the connection")
  func theTwoProgramsDoWhatTheDocumentShows() async throws {
    let bench = Bench(options: nil)
    let (device, app) = (bench.device, bench.app)

    // Advertising begins when both services are added, in the order of the calls.
    let peripheral = bench.startDevice()
    await device.take("设备已打开....")
    await device.take("peripheralManagerDidStartAdvertising......")
    #expect(peripheral.peripheralManager.isAdvertising)

    // Scan: the name, and the services that the advertisement names. Connect.
    let central = bench.startApp()
    let row = await bench.find(LocalNameKey, in: central)
    #expect(central.rows[row].hasSuffix(" MyBlueDevice FFF0 FFE0"))
    #expect(central.centerManager.isScanning)
    central.didSelectRow(at: row)
    #expect(!central.centerManager.isScanning)
    await app.take("+++++++++++++++:\(central.deviceListArr[row].identifier.uuidString)")
    await app.take("连接成功...")

    // Both services, in order; the host's own two come first.
    await app.take("service UUID:FFF0")
    await app.take("service UUID:FFE0")
    let services = try #require(bench.screen as? PeripheralVC)
    await app.take("\(services.servicesList.count - 1)  FFE0")

    // The first service's characteristics, each as it describes itself.
    try bench.tap("FFF0")
    await app.take(
      "------------------订阅:<CBCharacteristic, UUID = FFF1, properties = 0x10, value = (null), notifying = NO>")
    await app.take(
      "------------------:<CBCharacteristic, UUID = FFF2, properties = 0xa, value = (null), notifying = NO>")
    await app.take("1  FFF2", after: ["0  FFF1"])

    // Subscribe: the peripheral sends at once. Unsubscribe: it sends again, without a subscriber.
    try bench.tap("FFF1")
    let notify = try #require(bench.screen as? CharacteristicHandleVC)
    notify.subscribe(true)
    await device.take("订阅了 FFF1的数据")
    await app.take("isNotifying:true")
    await app.take("msgShowLabel: success")
    notify.subscribe(false)
    await device.take("取消订阅 FFF1的数据")
    await app.take("isNotifying:false")

    // A read of the characteristic that only notifies is put to the program, which refuses it; the label shows no text.
    notify.read()
    await device.take("didReceiveReadRequest")
    await app.take("msgShowLabel: success")

    // Write, then read back.
    bench.navigation.pop()
    try bench.tap("FFF2")
    let readwrite = try #require(bench.screen as? CharacteristicHandleVC)
    readwrite.msgTextField = "你好"
    readwrite.sendMsgBtnClicked()
    await device.take("didReceiveReadRequest", after: ["didReceiveWriteRequests"])
    await app.take("msgShowLabel: 你好")
    #expect(peripheral.readwriteCharacteristic.value == "你好".data(using: .utf8))
    readwrite.msgTextField = ""
    readwrite.sendMsgBtnClicked()
    await app.take("msgShowLabel: 无")
    await device.take("didReceiveReadRequest", after: ["didReceiveWriteRequests"])

    // The user description.
    readwrite.readDescriptors()
    await app.take("descriptor 2901:readwrite")

    // The read-only one is answered without the program, and refuses writes.
    bench.navigation.pop()
    bench.navigation.pop()
    try bench.tap("FFE0")
    await app.take(
      "------------------读:<CBCharacteristic, UUID = FFE1, properties = 0x2, value = (null), notifying = NO>")
    await app.take("0  FFE1")
    try bench.tap("FFE1")
    let read = try #require(bench.screen as? CharacteristicHandleVC)
    read.read()
    await app.take("msgShowLabel: readCharacteristic")
    read.msgTextField = "x"
    read.sendMsgBtnClicked()
    await app.take("msgShowLabel: didWriteValueForCharacteristic error")
    #expect(device.lines == [], "a fixed value is the stack's to answer, and a refused write never reaches the program")

    // 完成后断开连接.
    central.disconnect(services.peripheral)
    await app.take("断开连接...")
    #expect(bench.navigation.viewControllers.count == 1)
    #expect(services.peripheral.state == .disconnected)
  }

  @Test("连接失败: a device that does not answer the connection requests")
  func connectionFails() async throws {
    let bench = Bench()
    let peripheral = bench.startDevice()
    await bench.device.take("peripheralManagerDidStartAdvertising......")
    let central = bench.startApp()
    let row = await bench.find(LocalNameKey, in: central)
    var faults = ControllerFaults()
    faults.lostConnectionRequests = .max
    bench.radio.setFaults(faults, on: "central")
    central.didSelectRow(at: row)
    await bench.app.take("连接失败...")
    #expect(bench.navigation.viewControllers.count == 1)
    #expect(!bench.app.lines.contains("连接成功..."))

    // The same row again, once the device answers.
    bench.radio.setFaults(ControllerFaults(), on: "central")
    central.didSelectRow(at: row)
    await bench.app.take("连接成功...")
    #expect(peripheral.peripheralManager.isAdvertising)
  }

  @Test("异常状态: both programs without a controller, and when it is switched off")
  func abnormalStates() async throws {
    let bench = Bench(options: [CBManagerOptionControllerKey: "no-such-controller:"])
    _ = bench.startDevice()
    _ = bench.startApp()
    await bench.device.take("异常状态:\(CBManagerState.poweredOff.rawValue)")
    await bench.app.take("异常状态:\(CBManagerState.poweredOff.rawValue)")

    let other = Bench()
    _ = other.startDevice()
    await other.device.take("peripheralManagerDidStartAdvertising......")
    let central = other.startApp()
    _ = await other.find(LocalNameKey, in: central)
    other.radio.setPowered(false, "central")
    await other.app.take("异常状态:\(CBManagerState.poweredOff.rawValue)")
    other.radio.setPowered(false, "peripheral")
    await other.device.take("异常状态:\(CBManagerState.poweredOff.rawValue)")
  }

  @Test("设备已打开 again: a radio that comes back does not bring the services twice")
  func radioComesBack() async throws {
    let bench = Bench()
    let device = bench.startDevice()
    await bench.device.take("peripheralManagerDidStartAdvertising......")
    for _ in 0..<2 {
      bench.radio.setPowered(false, "peripheral")
      await bench.device.take("异常状态:\(CBManagerState.poweredOff.rawValue)")
      bench.radio.setPowered(true, "peripheral")
      await bench.device.take("didAdd FFE0", after: ["设备已打开....", "didAdd FFF0"])
    }
    #expect(device.peripheralManager.isAdvertising)
    let central = bench.startApp()
    central.didSelectRow(at: await bench.find(LocalNameKey, in: central))
    await bench.app.take("service UUID:FFE0")
    let services = try #require(bench.screen as? PeripheralVC).servicesList.map(\.uuid.uuidString)
    #expect(services.filter { $0.hasPrefix("FF") } == ["FFF0", "FFE0"])
  }

  @Test("didDiscoverServices with an error: the connection ends while the services are asked for")
  func discoveryOfServicesFails() async throws {
    let bench = Bench()
    _ = bench.startDevice()
    await bench.device.take("peripheralManagerDidStartAdvertising......")
    let central = bench.startApp()
    let row = await bench.find(LocalNameKey, in: central)
    // The device receives packets and sends nothing back: the request stays open until the link is dropped.
    bench.withholdCredits()
    central.didSelectRow(at: row)
    await bench.app.take("连接成功...")
    bench.radio.dropLinks(of: "central")
    let error = await bench.app.take(beginningWith: "didDiscoverServices:")
    #expect(error.count > "didDiscoverServices:".count)
    await bench.app.take("断开连接...")
    #expect(bench.navigation.viewControllers.count == 1)
  }

  @Test("didDiscoverCharacteristicsForService with an error: a service that the device has removed meanwhile")
  func discoveryOfCharacteristicsFails() async throws {
    let bench = Bench()
    let peripheral = bench.startDevice()
    await bench.device.take("peripheralManagerDidStartAdvertising......")
    let central = bench.startApp()
    central.didSelectRow(at: await bench.find(LocalNameKey, in: central))
    await bench.app.take("service UUID:FFE0")
    let services = try #require(bench.screen as? PeripheralVC)
    peripheral.peripheralManager.removeAllServices()
    while services.peripheral.services?.contains(where: { $0.uuid == CBUUID(string: ServiceUUID1) }) == true {
      await Task.yield()
    }
    try bench.tap("FFF0")
    let error = await bench.app.take(beginningWith: "didDiscoverCharacteristicsForService:")
    #expect(error.count > "didDiscoverCharacteristicsForService:".count)
  }

  @Test("断开连接: a device that is gone ends the connection, and the app is back at its list")
  func theDeviceGoesAway() async throws {
    let bench = Bench()
    _ = bench.startDevice()
    await bench.device.take("peripheralManagerDidStartAdvertising......")
    let central = bench.startApp()
    central.didSelectRow(at: await bench.find(LocalNameKey, in: central))
    await bench.app.take("service UUID:FFE0")
    bench.radio.dropLinks(of: "peripheral")
    await bench.app.take("断开连接...")
    #expect(bench.navigation.viewControllers.count == 1)
  }
}

/// The two programs of one test, on a radio of its own unless the options say otherwise.
@MainActor
private final class Bench {
  let device = Log()
  let app = Log()
  let navigation: NavigationController
  let radio: VirtualRadio
  private let options: [String: Any]?
  private var programs: [AnyObject] = []

  init() {
    let name = UUID().uuidString
    radio = VirtualRadio.named(name)
    options = [CBManagerOptionControllerKey: "virtual:\(name)"]
    navigation = NavigationController(log: app.add, show: app.add)
  }

  init(options: [String: Any]?) {
    radio = VirtualRadio.named("unused")
    self.options = options
    navigation = NavigationController(log: app.add, show: app.add)
  }

  func startDevice() -> PeripheralProgram {
    let program = PeripheralProgram(options: options, log: device.add)
    programs.append(program)
    return program
  }

  func startApp() -> CentralProgram {
    let program = CentralProgram(options: options, navigationController: navigation)
    programs.append(program)
    navigation.push(program)
    return program
  }

  /// The screen that is seen.
  var screen: (any ViewController)? { navigation.viewControllers.last }

  /// Waits until a device of this name is in the list; its row.
  func find(_ name: String, in central: CentralProgram) async -> Int {
    while true {
      if let row = central.rows.firstIndex(where: { $0.contains(" \(name)") }) { return row }
      await app.next()
      // At the end of its time: nothing comes any more, and nothing would end this.
      guard !Task.isCancelled else { return 0 }
    }
  }

  /// Taps the row of this text.
  func tap(_ text: String) throws {
    let screen = try #require(screen)
    let row = try #require(screen.rows.firstIndex(of: text))
    screen.didSelectRow(at: row)
  }

  /// From now on the central's controller never says that a packet has left, and so its host sends no more than it has buffers for.
  func withholdCredits() {
    var faults = ControllerFaults()
    faults.buffers = ACLBuffers(length: 27, count: 1)
    faults.credits = .withheld
    radio.setFaults(faults, on: "central")
  }
}

/// A program's log and output, in order, to be waited for.
@MainActor
private final class Log {
  private(set) var lines: [String] = []
  private let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  nonisolated init() {}

  func add(_ line: String) {
    lines.append(line)
    continuation.yield()
  }

  /// Waits until something was added since the last wait.
  func next() async {
    var iterator = stream.makeAsyncIterator()
    await iterator.next()
  }

  /// Waits until a line has come, and forgets it and those before it, which have to end with `others`.
  func take(_ line: String, after others: [String] = [], at location: SourceLocation = #_sourceLocation) async {
    while !lines.contains(line), !Task.isCancelled { await next() }
    guard let index = lines.firstIndex(of: line) else {
      Issue.record("no \(line) in \(lines)", sourceLocation: location)
      return
    }
    #expect(Array(lines[..<index].suffix(others.count)) == others, sourceLocation: location)
    lines.removeSubrange(...index)
  }

  /// Waits until a line has come that begins so; forgets it and those before it.
  func take(beginningWith prefix: String) async -> String {
    while true {
      if let index = lines.firstIndex(where: { $0.hasPrefix(prefix) }) {
        defer { lines.removeSubrange(...index) }
        return lines[index]
      }
      guard !Task.isCancelled else { return "" }
      await next()
    }
  }
}
