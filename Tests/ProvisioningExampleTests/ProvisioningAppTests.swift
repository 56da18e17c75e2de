import CoreBluetooth
import EncryptedProvisioning
import LatchkeyBluetoothEmulator
import LatchkeyBluetoothTransports
import LatchkeyProvisioning
import Testing

/// The document's app over the radio: with the device of this package, and with devices that go wrong where the document has a
/// callback for it.
@MainActor @Suite(.serialized, .timeLimit(.minutes(5)))
struct ProvisioningAppTests {
  private let radio: VirtualRadio
  private let options: [String: String]

  init() {
    let name = UUID().uuidString
    radio = VirtualRadio.named(name)
    options = [CBManagerOptionControllerKey: "virtual:\(name)"]
  }

  private let message = #"{"ssid":"客厅","password":"口令口令"}"#

  /// Runs the app until it ends; `during` is called with each of its steps.
  private func run(
    limit: DispatchTimeInterval = .seconds(600), _ during: @escaping (String) -> Void = { _ in }
  ) async -> (end: ProvisioningEnd, steps: [String]) {
    var steps: [String] = []
    var app: ProvisioningApp?
    let end = await withCheckedContinuation { done in
      app = ProvisioningApp(
        name: "Lamp", message: message, options: options, limit: limit,
        log: {
          steps.append($0)
          during($0)
        }, end: { done.resume(returning: $0) })
    }
    withExtendedLifetime(app) {}
    return (end, steps)
  }

  /// Runs `body` beside a device of this package.
  private func withDevice<T>(_ body: () async throws -> T) async rethrows -> T {
    let device = LegacyUnauthenticatedDevice(name: "Lamp", managerOptions: options) { request in
      guard (try? request.credentials())?.ssid == "客厅" else { return [.code(.refused)] }
      return [.code(.accepted)]
    }
    let running = Task { try await device.run() }
    for await event in device.events where event == .advertising { break }
    let result = try await body()
    running.cancel()
    _ = await running.result
    return result
  }

  @Test("the whole flow with F200: each step in the document's order")
  func encrypted() async {
    let (end, steps) = await withDevice { await run() }
    #expect(end == .answered(#"{"code":0}"#))
    #expect(
      steps.filter { $0 != "written" } == [
        "scanning", "discovered Lamp", "connected", "service F200", "sends its public key", "sends its text, encrypted",
        "disconnected",
      ])
    #expect(steps.filter { $0 == "written" }.count >= 1)
  }

  @Test("A device with F100 alone gets the message in the clear")
  func plain() async throws {
    let device = Peripheral(options, services: [("F100", "F101", "F102")])
    await device.isAdvertising()
    device.answer = { value in value == Data(self.message.utf8) ? Data(#"{"code":0}"#.utf8) : Data("other".utf8) }
    let (end, steps) = await run()
    #expect(end == .answered(#"{"code":0}"#))
    #expect(steps.contains("service F100") && !steps.contains("sends its public key"))
  }

  @Test("On a device with both services, F200 is used")
  func both() async {
    let device = Peripheral(options, services: [("F100", "F101", "F102"), ("F200", "F201", "F202")])
    await device.isAdvertising()
    device.answer = { _ in Data([0x99, 0, 0]) }
    let (end, steps) = await run()
    #expect(steps.contains("service F200"))
    #expect(end == .failed("the device's answer has the unknown type 99"))
  }

  @Test("连接失败: a device that does not answer the connection requests")
  func connectionFails() async {
    var faults = ControllerFaults()
    faults.lostConnectionRequests = .max
    radio.setFaults(faults, on: "central")
    let (end, steps) = await withDevice { await run() }
    #expect(end.isFailure("no connection: "))
    #expect(!steps.contains("connected"))
  }

  @Test("断开连接: a device that goes away")
  func connectionIsLost() async {
    let (end, _) = await withDevice {
      await run { [radio] step in if step == "sends its public key" { radio.dropLinks(of: "central") } }
    }
    #expect(end.isFailure("the connection was lost: ") || end.isFailure("the device refuses: "))
  }

  @Test("a device without either service, and one whose service lacks a characteristic")
  func servicesAreMissing() async {
    let other = Peripheral(options, services: [("F300", "F301", "F302")])
    await other.isAdvertising()
    #expect(await run().end == .failed("the device has neither F200 nor F100"))
  }

  @Test("a service that lacks a characteristic")
  func characteristicsAreMissing() async {
    let device = Peripheral(options, services: [("F200", "F201", "F203")])
    await device.isAdvertising()
    #expect(await run().end == .failed("the service lacks F201 or F202"))
  }

  @Test("a device that refuses the write")
  func writeIsRefused() async {
    let device = Peripheral(options, services: [("F200", "F201", "F202")])
    await device.isAdvertising()
    #expect(await run().end.isFailure("the device refuses: "))
  }

  @Test("a public key that is no point, and a text that does not decrypt, in values of 20 bytes")
  func badFrames() async {
    let device = Peripheral(options, services: [("F200", "F201", "F202")])
    await device.isAdvertising()
    device.answer = { _ in Data([0x11, 0x00, 0x30]) + Data(repeating: 0, count: 48) }
    #expect(await run().end == .failed("the device's public key is none"))
    device.answer = { _ in Data([0x21, 0x00, 0x10]) + Data(repeating: 0, count: 16) }
    #expect(await run().end == .failed("the device's answer cannot be decrypted"))
  }

  @Test("The app waits, not for ever, for a device that is not there or that receives the key and does not answer")
  func silence() async throws {
    #expect(await run(limit: .milliseconds(300)).end.isFailure("no device named Lamp was found"))
    let device = Peripheral(options, services: [("F200", "F201", "F202")])
    await device.isAdvertising()
    device.answer = { _ in Data() }
    #expect(await run(limit: .seconds(5)).end.isFailure("the device takes too long to answer"))
  }

  @Test("The end is reported after the disconnection, and the next app starts afresh")
  func theConnectionEndsFirst() async {
    await withDevice {
      for _ in 0..<3 {
        let (end, steps) = await run()
        #expect(end == .answered(#"{"code":0}"#))
        #expect(steps.last == "disconnected")
      }
    }
  }

  @Test("an abnormal state: no controller")
  func withoutBluetooth() async {
    radio.setPowered(false, "central")
    #expect(await run().end == .noRadio)
  }
}

extension ProvisioningEnd {
  func isFailure(_ prefix: String) -> Bool {
    guard case .failed(let reason) = self else { return false }
    return reason.hasPrefix(prefix)
  }
}

/// A device named Lamp with these services, each with a characteristic to write and one that notifies.
@MainActor
private final class Peripheral: NSObject, @preconcurrency CBPeripheralManagerDelegate {
  private var manager: CBPeripheralManager?
  private let services: [(service: String, write: String, notify: String)]
  private var answers: [CBUUID: CBMutableCharacteristic] = [:]
  private var added = 0
  private let (advertising, continuation) = AsyncStream.makeStream(of: Void.self)
  /// The answer to a written value; nil: the write is refused.
  var answer: ((Data) -> Data)?

  init(_ options: [String: String], services: [(String, String, String)]) {
    self.services = services
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: nil, options: options)
  }

  /// Waits until it can be found.
  func isAdvertising() async { for await _ in advertising { return } }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    for names in services {
      let write = CBMutableCharacteristic(
        type: CBUUID(string: names.write), properties: .write, value: nil, permissions: .writeable)
      let notify = CBMutableCharacteristic(
        type: CBUUID(string: names.notify), properties: .notify, value: nil, permissions: .readable)
      answers[write.uuid] = notify
      let service = CBMutableService(type: CBUUID(string: names.service), primary: true)
      service.characteristics = [write, notify]
      peripheral.add(service)
    }
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    added += 1
    if added == services.count { peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "Lamp"]) }
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    continuation.yield()
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    guard let answer, let notify = answers[requests[0].characteristic.uuid] else {
      return peripheral.respond(to: requests[0], withResult: .writeNotPermitted)
    }
    let value = requests.reduce(into: Data()) { $0 += $1.value ?? Data() }
    peripheral.respond(to: requests[0], withResult: .success)
    let bytes = answer(value)
    var rest = bytes[...]
    while !rest.isEmpty {
      peripheral.updateValue(Data(rest.prefix(20)), for: notify, onSubscribedCentrals: nil)
      rest = rest.dropFirst(20)
    }
  }
}
