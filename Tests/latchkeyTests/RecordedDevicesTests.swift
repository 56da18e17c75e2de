import Foundation
import LatchkeyTestSupport
import Testing

/// Recordings of devices of others: of BlueZ's GATT server, made by `ble record`, and of a toy car, by a phone.
@Suite(.timeLimit(.minutes(5))) struct RecordedDevicesTests {
  private static func recording(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "LatchkeyBluetoothTestingTests/Captures/\(name)").path
  }

  /// What the explorer prints of a device.
  private func explore(_ scene: RadioScene, _ lines: [String]) async throws -> [String] {
    let explore = try scene.start(["ble", "explore", "--json"])
    for line in lines + ["disconnect", "quit"] { try explore.type(line) }
    #expect(try await explore.end() == 0, "\(explore.lines)")
    return explore.lines
  }

  @Test("The explorer reads of BlueZ's server what it read of it, and is sent what it was sent") func bluez()
    async throws
  {
    let scene = try await RadioScene()
    let device = try scene.start(["ble", "replay", "--json", Self.recording("bluez.json")])
    #expect(await device.wait(for: #""advertising""#), "\(device.lines)")
    let lines = try await explore(scene, ["connect BlueZ", "read F202", "read 2A50", "subscribe F202"])
    for value in [#""value":"7265616479""#, #""value":"026b1d46024205""#] {
      #expect(lines.contains { $0.contains(value) }, "\(lines)")
    }
    device.interrupt()
    #expect(try await device.end() == 0)
    #expect(device.lines.contains { $0.contains(#""event":"subscribed""#) }, "\(device.lines)")
  }

  @Test("The explorer drives the car of a phone's log") func car() async throws {
    let scene = try await RadioScene()
    let made = try BuiltCommand.run(
      ["ble", "import", Self.recording("model-car.btsnoop"), "car.json"], input: [], folder: scene.folder,
      environment: ProcessInfo.processInfo.environment.merging(["LATCHKEY_STATE": scene.folder.path + "/app"]) { $1 })
    #expect(made.status == 0, "\(made.errors)")
    let device = try scene.start(["ble", "replay", "--json", scene.folder.path + "/car.json"])
    #expect(await device.wait(for: #""advertising""#), "\(device.lines)")
    let name = try #require(made.output.split(separator: ": ").last?.split(separator: ",").first.map(String.init))
    let lines = try await explore(
      scene, ["connect \(name)", "read 180A/2A26", "read 180A/2A23", "command FFE5/FFE9 hex:00"])
    // Its version, and the identifier that the recording masks.
    #expect(lines.contains { $0.contains(#""value":"56302e32395f56302e340000""#) }, "\(lines)")
    #expect(lines.contains { $0.contains(#""value":"0000000000000000""#) }, "\(lines)")
    device.interrupt()
    #expect(try await device.end() == 0)
  }
}
