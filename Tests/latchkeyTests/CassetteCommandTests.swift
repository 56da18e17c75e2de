import CoreBluetooth
import Foundation
import LatchkeyTestSupport
import Testing

/// `latchkey ble record`, `import` and `show`: each in a process of its own, over a radio.
@Suite(.timeLimit(.minutes(5))) struct CassetteCommandTests {
  private static let lamp = """
    {"name": "Lamp", "services": [{"uuid": "FFF0", "characteristics": [
      {"uuid": "FFF1", "properties": ["read", "write", "notify"], "value": "text:off!", "behavior": {"kind": "echo"},
       "descriptors": [{"uuid": "2901", "value": "text:Lamp"}]},
      {"uuid": "FFF2", "properties": ["notify"],
       "behavior": {"kind": "notifyEvery", "seconds": 0.1, "values": ["hex:01", "hex:02"]}}]},
      {"uuid": "180A", "characteristics": [{"uuid": "2A25", "properties": ["read"], "value": "text:SN-1234"}]}]}
    """

  private func run(_ scene: RadioScene, _ arguments: String...) throws -> BuiltCommand.Result {
    try BuiltCommand.run(
      arguments, input: [], folder: scene.folder,
      environment: ProcessInfo.processInfo.environment.merging(["LATCHKEY_STATE": scene.folder.path + "/app"]) { $1 })
  }

  /// A radio with the lamp.
  private func lamp() async throws -> (RadioScene, RunningCommand) {
    let scene = try await RadioScene()
    let device = try scene.start("ble", "serve", "--json", try scene.file("lamp.json", Self.lamp))
    #expect(await device.wait(for: "advertising"))
    return (scene, device)
  }

  private func text(_ scene: RadioScene, _ name: String) throws -> String {
    try String(contentsOf: scene.folder.appendingPathComponent(name), encoding: .utf8)
  }

  @Test("record writes what a device advertises, has and sends, without its serial number") func records()
    async throws
  {
    let (scene, device) = try await lamp()
    let recorded = try run(
      scene, "ble", "record", "Lamp", "tape.json", "--seconds", "0.5", "--hci", scene.controller, "--json")
    #expect(recorded.status == 0, "\(recorded.output) \(recorded.errors)")
    #expect(
      recorded.output.contains(#""event":"recorded""#) && recorded.output.contains(#""name":"Lamp","services":2"#))
    let tape = try text(scene, "tape.json")
    #expect(tape.hasPrefix("{\n  \"cassette\": 1,\n"))
    #expect(tape.contains(#""at": [0, 0], "uuid": "FFF1", "read": "text:off!"}"#), "\(tape)")
    #expect(tape.contains(#""at": [0, 0, 0], "uuid": "2901", "read": "text:Lamp"}"#))
    #expect(tape.contains(#""at": [0, 1], "uuid": "FFF2", "subscribe": "notifications"}"#))
    #expect(tape.contains(#""at": [0, 1], "uuid": "FFF2", "notification": "hex:01"}"#))
    #expect(tape.contains(#""uuid": "2A25", "read": {"masked": 7}}"#) && !tape.contains("SN-1234"))
    #expect(tape.contains(#""advertisements": ["#))
    let shown = try run(scene, "ble", "show", "tape.json")
    #expect(shown.status == 0 && shown.output.hasPrefix("cassette of \"Lamp\", ATT_MTU "), "\(shown.output)")
    #expect(shown.output.contains("FFF0/FFF1  read 6f666621 \"off!\"\n"))
    #expect(shown.output.contains("180A/2A25 (Serial Number String)  read 7 masked bytes\n"))
    device.interrupt()
    _ = try await device.end()
  }

  @Test("import makes of a trace what record makes of the device") func imports() async throws {
    let (scene, device) = try await lamp()
    let read = try run(
      scene, "ble", "read", "Lamp", "FFF0/FFF1", "180A/2A25", "--hci", scene.controller, "--trace", "air.btsnoop")
    #expect(read.status == 0, "\(read.errors)")
    let imported = try run(scene, "ble", "import", "air.btsnoop", "tape.json", "--mask", "FFF1")
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(imported.output.contains("tape.json: Lamp, 2 services, "), "\(imported.output)")
    let tape = try text(scene, "tape.json")
    #expect(tape.contains(#""uuid": "FFF1", "read": {"masked": 4}}"#) && !tape.contains("off!"), "\(tape)")
    let kept = try run(
      scene, "ble", "import", "air.btsnoop", "kept.json", "--device", "Lamp", "--keep-identifiers", "--json")
    #expect(kept.status == 0 && kept.output.contains(#""event":"imported""#))
    #expect(try text(scene, "kept.json").contains("SN-1234"))
    let absent = try run(scene, "ble", "import", "air.btsnoop", "no.json", "--device", "Bulb", "--json")
    #expect(absent.status == 64 && absent.output.contains(#""code":"noDevice""#), "\(absent.output)")
    let shown = try run(scene, "ble", "show", "air.btsnoop")
    #expect(shown.output.contains("Read Response 6f666621"), "\(shown.output)")
    device.interrupt()
    _ = try await device.end()
  }

  @Test("A file that is there is replaced on request alone, and then whole") func existingFiles() async throws {
    let scene = try await RadioScene()
    let tape = try scene.file("tape.json", "mine")
    let capture = try scene.file("capture", "no capture")
    let kept = try run(scene, "ble", "import", capture, tape, "--json")
    #expect(kept.status == 64 && kept.output.contains(#""code":"fileExists""#), "\(kept.output)")
    let recorded = try run(scene, "ble", "record", "Lamp", tape, "--hci", scene.controller)
    #expect(recorded.status == 64 && recorded.errors.contains("--replace"), "\(recorded.errors)")
    // What fails after that replaces nothing.
    #expect(try run(scene, "ble", "import", capture, tape, "--replace").status == 65)
    #expect(try text(scene, "tape.json") == "mine")
  }

  @Test("What is no capture, no cassette and no definition is refused, with its status") func refusals() async throws {
    let scene = try await RadioScene()
    let capture = try scene.file("capture", "no capture")
    let noCapture = try run(scene, "ble", "import", capture, "tape.json", "--json")
    #expect(noCapture.status == 65 && noCapture.output.contains(#""code":"notACapture""#), "\(noCapture.output)")
    #expect(try run(scene, "ble", "import", "absent", "tape.json").status == 74)
    #expect(try run(scene, "ble", "import", capture, "tape.json", "--mask", "no-such-thing").status == 64)
    let empty = try scene.file("empty", "")
    #expect(try run(scene, "ble", "show", empty).status == 65)
    let future = try run(scene, "ble", "show", try scene.file("future", #"{"cassette":2}"#))
    #expect(future.status == 65 && future.errors.contains("only version 1 is known here"), "\(future.errors)")
    let definition = try run(scene, "ble", "show", try scene.file("wrong", #"{"name":"A"}"#))
    #expect(definition.status == 65 && definition.errors.contains("lacks services"), "\(definition.errors)")
    #expect(try run(scene, "ble", "record", "Lamp", "x.json", "--seconds", "-1", "--hci", "virtual").status == 64)
    let gone = try run(
      scene, "ble", "record", "Lamp", "x.json", "--timeout", "0.2", "--hci", scene.controller, "--json")
    #expect(gone.status == 69 && gone.output.contains(#""code":"notFound""#), "\(gone.output)")
    #expect(!FileManager.default.fileExists(atPath: scene.folder.appendingPathComponent("x.json").path))
  }

  @Test("show prints a definition, in lines and in JSON") func definitions() async throws {
    let scene = try await RadioScene()
    let file = try scene.file("lamp.json", Self.lamp)
    let plain = try run(scene, "ble", "show", file)
    #expect(
      plain.output == """
        device "Lamp"
        service FFF0
          FFF0/FFF1  read write notify = 6f666621 "off!"
          FFF0/FFF1:2901 (Characteristic User Description) = 4c616d70 "Lamp"
          FFF0/FFF2  notify
        service 180A (Device Information)
          180A/2A25 (Serial Number String)  read = 534e2d31323334 "SN-1234"

        """, "\(plain.output)")
    let json = try run(scene, "ble", "show", file, "--json")
    #expect(
      json.output.contains(
        #"{"event":"characteristic","path":"180A/2A25","service":"180A","characteristic":"2A25","descriptor":null,"#),
      "\(json.output)")
  }
}
