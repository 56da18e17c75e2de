import CoreBluetooth
import Foundation
import LatchkeyBluetoothTesting
import MyBlueApp
import Testing

/// The document's app with a recording of its device, in place of the device.
@MainActor @Suite(.serialized, .timeLimit(.minutes(5)))
struct ReplayedDeviceTests {
  /// What `MyBlueDevice` advertises and has, and a session with it: a subscription with the value that it sends at once, the end of
  /// it, a refused read, a write with the read behind it, and a fixed value.
  private static let cassette: Cassette = {
    func step(_ milliseconds: Int, _ service: Int, _ characteristic: Int, _ event: Cassette.Event) -> Cassette.Step {
      Cassette.Step(
        time: .milliseconds(milliseconds), attribute: .init(service: service, characteristic: characteristic),
        event: event)
    }
    func text(_ text: String) -> Cassette.Value { .bytes(Data(text.utf8)) }
    return Cassette(
      device: DeviceDefinition(
        name: "MyBlueDevice",
        services: [
          .init(
            "FFF0",
            characteristics: [
              .init("FFF1", .notify), .init("FFF2", [.read, .write], descriptors: [.userDescription("readwrite")]),
            ]), .init("FFE0", characteristics: [.init("FFE1", .read, value: Data("readCharacteristic".utf8))]),
        ]),
      advertisements: [
        .init(
          time: .zero, rssi: -50,
          data: Data([2, 1, 6, 5, 3, 0xF0, 0xFF, 0xE0, 0xFF, 13, 9]) + Data("MyBlueDevice".utf8))
      ], mtu: 185,
      steps: [
        step(1000, 0, 0, .subscription(.notifications, answer: .success)),
        step(1020, 0, 0, .notification(text("success"))),
        step(2000, 0, 0, .subscription(.none, answer: .success)), step(3000, 0, 0, .readRefused(.unlikelyError)),
        step(4000, 0, 1, .write(text("你好"), answer: .success)), step(4100, 0, 1, .read(text("你好"))),
        step(5000, 1, 0, .read(text("readCharacteristic"))),
      ])
  }()

  @Test("The app does with the recording what it does with the device, and a strict replay finds no difference")
  func replay() async throws {
    let bench = Bench()
    let device = try bench.radio.add(Self.cassette, replay: .strict)
    await bench.openCharacteristics(of: "FFF0")
    try bench.tap("FFF1")
    let notify = try #require(bench.screen as? CharacteristicHandleVC)
    notify.subscribe(true)
    await bench.wait { notify.msgShowLabel == "success" }
    notify.subscribe(false)
    await bench.wait { bench.lines.contains("isNotifying:false") }
    notify.read()
    await bench.wait { device.cassetteUnplayedSteps.count == 3 }
    bench.navigation.pop()

    try bench.tap("FFF2")
    let readwrite = try #require(bench.screen as? CharacteristicHandleVC)
    readwrite.msgTextField = "你好"
    readwrite.sendMsgBtnClicked()
    await bench.wait { readwrite.msgShowLabel == "你好" }
    readwrite.readDescriptors()
    await bench.wait { bench.lines.contains("descriptor 2901:readwrite") }
    bench.navigation.pop()
    bench.navigation.pop()

    try bench.tap("FFE0")
    await bench.wait { bench.screen?.rows == ["FFE1"] }
    try bench.tap("FFE1")
    let read = try #require(bench.screen as? CharacteristicHandleVC)
    read.read()
    await bench.wait { read.msgShowLabel == "readCharacteristic" }
    #expect(device.cassetteReport == "", "\(device.cassetteReport)")
  }

  @Test("The app reads and subscribes to what BlueZ's server was recorded with") func bluez() async throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "LatchkeyBluetoothTestingTests/Captures/bluez.json")
    let bench = Bench()
    let device = try bench.radio.add(Cassette(json: Data(contentsOf: file)))
    await bench.openCharacteristics(of: "F200", at: " BlueZ F200")
    try bench.tap("F202")
    let screen = try #require(bench.screen as? CharacteristicHandleVC)
    screen.read()
    await bench.wait { screen.msgShowLabel == "ready" }
    screen.subscribe(true)
    await bench.wait { bench.lines.contains("isNotifying:true") }
    #expect(device.hasSubscriber("F202"))
  }

  @Test("Another text than the recorded one is refused, shown by the app as an error, and told")
  func difference() async throws {
    let bench = Bench()
    var cassette = Self.cassette
    cassette.steps = Array(cassette.steps[4...5])
    let device = try bench.radio.add(cassette, replay: .strict)
    await bench.openCharacteristics(of: "FFF0")
    try bench.tap("FFF2")
    let readwrite = try #require(bench.screen as? CharacteristicHandleVC)
    readwrite.sendMsgBtnClicked()
    await bench.wait { readwrite.msgShowLabel == "didWriteValueForCharacteristic error" }
    #expect(
      device.cassetteReport == """
        @@ steps[0] @@
        -write FFF0/FFF2: e4bda0e5a5bd
        +write FFF0/FFF2: e697a0
        @@ steps[0] @@
        -write FFF0/FFF2: e4bda0e5a5bd
        @@ steps[1] @@
        -read FFF0/FFF2
        """)
  }
}

/// The app on a radio of tests, in virtual time.
@MainActor
private final class Bench {
  let radio = TestRadio()
  private let log = Lines()
  let navigation: NavigationController

  var lines: [String] { log.lines }

  init() {
    let log = log
    navigation = NavigationController(log: { log.lines.append($0) }, show: { log.lines.append($0) })
  }

  /// The screen that is seen.
  var screen: (any ViewController)? { navigation.viewControllers.last }

  /// Lets time pass until something is so.
  func wait(until isSo: () -> Bool, at location: SourceLocation = #_sourceLocation) async {
    for _ in 0..<600 {
      await radio.advanced(by: .milliseconds(50))
      if isSo() { return }
    }
    Issue.record("it never came: \(lines)\n\(radio)", sourceLocation: location)
  }

  private func start() -> CentralProgram {
    let navigation = navigation
    return radio.use {
      let app = CentralProgram(options: nil, navigationController: navigation)
      navigation.push(app)
      return app
    }
  }

  /// Starts the app, connects it, and opens the screen of a service.
  func openCharacteristics(of service: String, at device: String = " MyBlueDevice FFF0 FFE0") async {
    let app = start()
    await wait { app.rows.contains { $0.contains(device) } }
    app.didSelectRow(at: 0)
    await wait { screen?.rows.contains(service) == true }
    try? tap(service)
    await wait { screen.map { !$0.rows.isEmpty && !$0.rows.contains(service) } == true }
  }

  /// Taps the row of this text.
  func tap(_ text: String) throws {
    let screen = try #require(screen)
    let row = try #require(screen.rows.firstIndex(of: text))
    screen.didSelectRow(at: row)
  }
}

/// What the app logs and shows.
@MainActor
private final class Lines {
  var lines: [String] = []
}
