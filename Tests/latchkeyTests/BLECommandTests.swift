import CoreBluetooth
import Foundation
import LatchkeyTestSupport
import Testing

/// The commands that do one thing with one device, each in a process of its own.
@Suite(.timeLimit(.minutes(5))) struct BLECommandTests {
  /// A device with one value.
  private func served(_ scene: RadioScene, _ options: String...) async throws -> RunningCommand {
    let device = try scene.start(["ble", "serve", "--json"] + options)
    #expect(await device.wait(for: "advertising"))
    return device
  }

  /// Runs a command to its end.
  private func run(
    _ scene: RadioScene, _ arguments: String..., input: [UInt8] = [], output: FileHandle? = nil
  ) throws -> BuiltCommand.Result {
    try BuiltCommand.run(
      arguments + ["--hci", scene.controller], input: input, folder: scene.folder,
      environment: ProcessInfo.processInfo.environment.merging(["LATCHKEY_STATE": scene.folder.path + "/app"]) { $1 },
      output: output)
  }

  @Test("read prints values in the form that is asked for, by number and by name") func reads() async throws {
    let scene = try await RadioScene()
    let device = try await served(scene, "--name", "Lamp", "--value", "hex:0102")
    let plain = try run(scene, "ble", "read", "Lamp", "FFF1", "device-name")
    #expect(plain.status == 0, "\(plain.errors)")
    #expect(plain.output.hasPrefix("FFF1: 0102 \"\\u{1}\\u{2}\"\n2A00 (Device Name): "), "\(plain.output)")
    #expect(try run(scene, "ble", "read", "Lamp", "FFF0/FFF1", "--as", "uint16le").output == "513\n")
    #expect(try run(scene, "ble", "read", "Lamp", "FFF1", "--as", "raw").output == "\u{1}\u{2}")
    let json = try run(scene, "ble", "read", "Lamp", "FFF1", "FFF1:2902", "--json")
    #expect(
      json.output.contains(#""path":"FFF1","service":"FFF0","characteristic":"FFF1","descriptor":null,"handle":"#))
    #expect(json.output.contains(#""name":null,"value":"0102""#))
    #expect(json.output.contains(#""descriptor":"2902","handle":"#))
    #expect(json.output.contains(#""name":"Client Characteristic Configuration","value":"0000""#), "\(json.output)")
    #expect(json.output.hasSuffix("{\"event\":\"done\"}\n"))
    // The identifier names the device, too.
    let identifier = try #require(
      json.output.firstMatch(of: /"connected","identifier":"([0-9A-F-]{36})"/)?.output.1)
    #expect(try run(scene, "ble", "read", identifier.lowercased(), "FFF1", "--as", "hex").output == "0102\n")
    device.interrupt()
    _ = try await device.end()
  }

  @Test("write writes what is typed, what is in a file and what comes by standard input") func writes() async throws {
    let scene = try await RadioScene()
    let device = try await served(scene, "--name", "Lamp")
    let file = try scene.file("value", "on\n")
    #expect(try run(scene, "ble", "write", "Lamp", "FFF1", "hex:00ff").status == 0)
    #expect(try run(scene, "ble", "write", "Lamp", "FFF1", "hex:x", "--text").status == 0)
    #expect(try run(scene, "ble", "write", "Lamp", "FFF1", "--file", file, "--text").status == 0)
    #expect(try run(scene, "ble", "write", "Lamp", "FFF1", "-", input: [0xFF, 0x0A]).status == 0)
    #expect(try run(scene, "ble", "write", "Lamp", "FFF1", "-", "--hex", input: Array("0a\n0b\n".utf8)).status == 0)
    let json = try run(scene, "ble", "write", "Lamp", "FFF1", String(repeating: "y", count: 512), "--json")
    #expect(json.output.contains(#"{"event":"written","path":"FFF1""#) && json.output.contains(#""length":512"#))
    // Refused before anything is done, and by what the device offers.
    #expect(try run(scene, "ble", "write", "Lamp", "FFF1", String(repeating: "y", count: 513)).status == 65)
    #expect(try run(scene, "ble", "write", "Lamp", "FFF1", "hex:0").status == 65)
    #expect(try run(scene, "ble", "write", "Lamp", "FFF1").status == 64)
    #expect(try run(scene, "ble", "write", "Lamp", "FFF1", "x", "--without-response").status == 77)
    #expect(try run(scene, "ble", "write", "Lamp", "device-name", "x").status == 77)
    device.interrupt()
    _ = try await device.end()
    let written = device.lines.compactMap { $0.firstMatch(of: /"written".*"value":"([0-9a-f]*)"/)?.output.1 }
    #expect(written.dropLast() == ["00ff", "6865783a78", "6f6e", "ff0a", "0a0b"], "\(device.lines)")
    #expect(written.last?.utf8.count == 1024)
  }

  @Test("What is written without a response arrives, although the link ends at once") func withoutResponse()
    async throws
  {
    let scene = try await RadioScene()
    let device = try scene.start("device", "--json", "--name", "Lamp")
    #expect(await device.wait(for: "advertising"))
    let sent = try run(scene, "ble", "write", "Lamp", "F201", "hex:7e", "--without-response", "--json")
    #expect(sent.status == 0 && sent.output.contains(#"{"event":"sent","path":"F201""#), "\(sent.output)")
  }

  @Test("subscribe prints each value with its time, and ends after so many") func subscribes() async throws {
    let scene = try await RadioScene()
    let notifying = PeripheralInTest.characteristic("2A37", [.notify, .read])
    let device = PeripheralInTest("Heart", [PeripheralInTest.service("180D", [notifying])])
    device.values = [Data([0, 72]), Data([0, 73]), Data([0, 74])]
    #expect(await device.start(scene.controller))
    defer { device.stop() }
    let plain = try run(scene, "ble", "subscribe", "Heart", "heart-rate-measurement", "--count", "2")
    #expect(plain.status == 0, "\(plain.errors)")
    let lines = plain.output.split(separator: "\n")
    #expect(lines.count == 2)
    let line = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z  180D\/2A37 \(Heart Rate Measurement\): 0048/
    #expect(lines.first?.wholeMatch(of: line) != nil, "\(lines)")
    let json = try run(scene, "ble", "subscribe", "Heart", "2A37", "--count", "3", "--as", "uint8", "--json")
    #expect(
      json.output.contains(#""path":"180D/2A37","service":"180D","characteristic":"2A37","descriptor":null,"handle":"#))
    #expect(json.output.contains(#""value":"004a""#) && json.output.contains(#"{"event":"update","time":"20"#))
    // Fewer values than asked for are a failure, no end of time by itself.
    let few = try run(scene, "ble", "subscribe", "Heart", "2A37", "--count", "4", "--seconds", "0.5", "--json")
    #expect(few.status == 69 && few.output.contains(#""code":"tooFew","message":"3 of 4 values came in time""#))
    #expect(try run(scene, "ble", "subscribe", "Heart", "2A37", "--seconds", "0.2").status == 0)
    // A value that cannot be printed as asked ends it.
    #expect(try run(scene, "ble", "subscribe", "Heart", "2A37", "--as", "uint32le").status == 65)
    // What does not notify is refused.
    #expect(try run(scene, "ble", "subscribe", "Heart", "device-name").status == 69)
  }

  @Test("^C ends subscribe with 130, and a device that leaves with 69") func subscriptionsEnd() async throws {
    let scene = try await RadioScene()
    let device = try await served(scene, "--name", "Lamp")
    let first = try scene.start("ble", "subscribe", "Lamp", "FFF1", "--json")
    #expect(await first.wait(for: "\"subscribed\""))
    first.interrupt()
    #expect(try await first.end() == 130)
    #expect(await device.wait(for: "unsubscribed"))
    let second = try scene.start("ble", "subscribe", "Lamp", "FFF1", "--json")
    #expect(await second.wait(for: "\"subscribed\""))
    device.kill()
    #expect(try await second.end() == 69)
    #expect(second.lines.last?.contains(#""code":"disconnected""#) == true, "\(second.lines)")
  }

  @Test("A characteristic that is there twice is refused with its places, and each of them is one") func ambiguous()
    async throws
  {
    let scene = try await RadioScene()
    let device = PeripheralInTest(
      "Twin",
      [
        PeripheralInTest.service("FFF0", [PeripheralInTest.characteristic("FFF1", [.read], [1])]),
        PeripheralInTest.service(
          "FFE0",
          [
            PeripheralInTest.characteristic("FFF1", [.read], [2]),
            PeripheralInTest.characteristic("FFF1", [.read], [3]),
          ]),
      ])
    #expect(await device.start(scene.controller))
    defer { device.stop() }
    let both = try run(scene, "ble", "read", "Twin", "FFF1", "--json")
    #expect(both.status == 69 && both.output.contains(#""code":"ambiguous","message":"there are 3 of FFF1"#))
    #expect(try run(scene, "ble", "read", "Twin", "FFF0/FFF1", "--as", "uint8").output == "1\n")
    #expect(try run(scene, "ble", "read", "Twin", "FFE0/FFF1", "--as", "uint8").status == 69)
    let handles = both.output.matches(of: /FFF1, (@[0-9A-F]{4})/).map { String($0.output.1) }
    #expect(handles.count == 3, "\(both.output)")
    let values = try handles.map { try run(scene, "ble", "read", "Twin", $0, "--as", "uint8").output }
    #expect(values == ["1\n", "2\n", "3\n"])
  }

  @Test("What is not there is named, with the next step") func absent() async throws {
    let scene = try await RadioScene()
    let device = try await served(scene, "--name", "Lamp")
    func message(_ arguments: String...) throws -> String {
      let result = try BuiltCommand.run(
        ["ble", "read", "--json", "--timeout", "1", "--hci", scene.controller] + arguments, input: [],
        folder: scene.folder,
        environment: ProcessInfo.processInfo.environment.merging(["LATCHKEY_STATE": scene.folder.path + "/app"]) { $1 })
      #expect(result.status == 69, "\(result.output)")
      return result.output
    }
    #expect(
      try message("Lantern", "FFF1").contains(
        #""code":"notFound","message":"Lantern was not found: `latchkey ble scan`"#))
    #expect(
      try message("Lamp", "2A37").contains(
        #""code":"noAttribute","message":"there is no characteristic 2A37 (Heart Rate"#))
    #expect(try message("Lamp", "180D/2A37").contains("there is no service 180D (Heart Rate)"))
    #expect(try message("Lamp", "FFF1:2901").contains("there is no descriptor 2901"))
    #expect(try message("Lamp", "@FFFF").contains("there is no characteristic or descriptor @FFFF"))
    let name = try run(scene, "ble", "read", "Lamp", "heart-rate")
    #expect(name.status == 64 && name.errors.contains("is it Heart Rate"), "\(name.errors)")
    device.interrupt()
    _ = try await device.end()
  }

  @Test("A device that never answers is left when the time is over") func silent() async throws {
    let scene = try await RadioScene()
    let device = PeripheralInTest(
      "Silent", [PeripheralInTest.service("FFF0", [PeripheralInTest.characteristic("FFF1", [.read, .write])])],
      answers: false)
    #expect(await device.start(scene.controller))
    defer { device.stop() }
    for words in [["read", "Silent", "FFF1"], ["write", "Silent", "FFF1", "x"]] {
      let result = try BuiltCommand.run(
        ["ble"] + words + ["--json", "--timeout", "2", "--hci", scene.controller], input: [], folder: scene.folder,
        environment: ProcessInfo.processInfo.environment.merging(["LATCHKEY_STATE": scene.folder.path + "/app"]) { $1 })
      #expect(result.status == 69)
      #expect(
        result.output.contains(#""code":"timedOut","message":"no answer came within 2 seconds""#), "\(result.output)")
    }
  }

  @Test("A device with a thousand services is read, and none of its names steers the terminal") func hostile()
    async throws
  {
    let scene = try await RadioScene()
    var services = (0..<1000).map { number in
      PeripheralInTest.service(String(format: "%08X-0000-4000-8000-000000000000", number), [])
    }
    services.append(
      PeripheralInTest.service("FFF0", [PeripheralInTest.characteristic("FFF1", [.read], Array("\u{1B}[2J".utf8))]))
    let device = PeripheralInTest("Lamp\u{1B}[2J\u{202E}", services)
    #expect(await device.start(scene.controller))
    defer { device.stop() }
    let scan = try run(scene, "ble", "scan", "--seconds", "0.5", "--name", "lamp", "--rssi", "-100")
    #expect(scan.output.contains("Lamp\\u{1b}[2J\\u{202e}"), "\(scan.output)")
    let read = try run(scene, "ble", "read", "Lamp\u{1B}[2J\u{202E}", "FFF1")
    #expect(read.status == 0 && read.output == "FFF1: 1b5b324a \"\\u{1b}[2J\"\n", "\(read.errors)")
    let text = try run(scene, "ble", "read", "Lamp\u{1B}[2J\u{202E}", "FFF0/FFF1", "--as", "text")
    #expect(text.output == "\\u{1b}[2J\n")
    let missing = try run(scene, "ble", "read", "X\u{1B}[2J", "FFF1", "--timeout", "0.5")
    #expect(missing.status == 69 && !missing.errors.contains("\u{1B}"))
  }

  @Test("A command whose output cannot be written does its work, and ends with 74") func fullOutput() async throws {
    let scene = try await RadioScene()
    let device = try await served(scene, "--name", "Lamp", "--value", "on")
    for options in [[], ["--as", "raw"], ["--json"]] {
      let full = try FileHandle(forWritingTo: URL(fileURLWithPath: "/dev/full"))
      let result = try BuiltCommand.run(
        ["ble", "read", "Lamp", "FFF1", "--hci", scene.controller] + options, input: [], folder: scene.folder,
        environment: ProcessInfo.processInfo.environment.merging(["LATCHKEY_STATE": scene.folder.path + "/app"]) { $1 },
        output: full)
      #expect(result.status == 74, "\(options)")
    }
    device.interrupt()
    _ = try await device.end()
  }

  @Test("A user who says no, and a user who is not there, do not pair", arguments: ["maybe\nno\n", ""])
  func refusedPairings(answers: String) async throws {
    let scene = try await RadioScene()
    let device = try await served(scene, "--name", "Lamp", "--protected")
    let refused = try run(scene, "ble", "pair", "Lamp", "FFF1", "--json", input: Array(answers.utf8))
    #expect(refused.status == 77)
    #expect(refused.output.contains(#""question":"confirm""#) && refused.output.contains("\"notPaired\""))
    #expect(refused.output.split(separator: "\n").last?.contains(#""code":"notPaired""#) == true, "\(refused.output)")
    device.interrupt()
    _ = try await device.end()
  }

  @Test("pair pairs once, and bonds lists and removes the pairing") func pairs() async throws {
    let scene = try await RadioScene()
    let device = try await served(scene, "--name", "Lamp", "--protected")
    let paired = try run(scene, "ble", "pair", "Lamp", input: Array("yes\n".utf8))
    #expect(paired.status == 0 && paired.output.hasSuffix("paired\n"), "\(paired.output) \(paired.errors)")
    let again = try run(scene, "ble", "pair", "Lamp", "FFF1", "--unattended", "--json")
    #expect(again.status == 0 && again.output.contains("\"alreadyPaired\""), "\(again.output)")
    // A paired device is read without a question.
    #expect(try run(scene, "ble", "read", "Lamp", "FFF1", "--as", "hex").status == 0)

    let environment = ProcessInfo.processInfo.environment.merging(["LATCHKEY_STATE": scene.folder.path + "/app"]) { $1 }
    let list = try BuiltCommand.run(["ble", "bonds", "--json"], input: [], environment: environment)
    let address = try #require(list.output.firstMatch(of: /"pairing","address":"([0-9A-F:]{17})"/)?.output.1)
    let removal = try BuiltCommand.run(
      ["ble", "bonds", "--remove", String(address)], input: [], environment: environment)
    #expect(removal.status == 0 && removal.output == "removed 1\n")
    #expect(try BuiltCommand.run(["ble", "bonds"], input: [], environment: environment).output.isEmpty)
    device.interrupt()
    _ = try await device.end()
  }

  @Test("pair without a question pairs, too, and a device that protects nothing is reported") func unattended()
    async throws
  {
    let scene = try await RadioScene()
    let safe = try await served(scene, "--name", "Safe", "--protected")
    let paired = try run(scene, "ble", "pair", "Safe", "--unattended", "--json")
    #expect(paired.status == 0 && paired.output.contains(#"{"event":"paired","#), "\(paired.output)")
    safe.interrupt()
    _ = try await safe.end()
    let open = try await served(scene, "--name", "Open")
    let none = try run(scene, "ble", "pair", "Open", "--json")
    #expect(none.status == 69 && none.output.contains(#""code":"notNeeded""#), "\(none.output)")
    open.interrupt()
    _ = try await open.end()
  }

  @Test("throughput reports latency and rate of writes with and without responses, and of notifications")
  func throughput() async throws {
    let scene = try await RadioScene()
    let device = PeripheralInTest(
      "Fast",
      [
        PeripheralInTest.service(
          "FFF0",
          [
            PeripheralInTest.characteristic("FFF1", [.read, .writeWithoutResponse]),
            PeripheralInTest.characteristic("FFF2", [.read, .write]),
            PeripheralInTest.characteristic("FFF3", [.notify]),
          ])
      ])
    device.values = (0..<10).map { Data([UInt8($0), 0]) }
    #expect(await device.start(scene.controller))
    defer { device.stop() }
    for uuid in ["FFF1", "FFF2"] {
      let result = try run(
        scene, "ble", "throughput", "Fast", uuid, "--write", "--seconds", "0.3", "--size", "20", "--json")
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.contains(#"{"event":"latency","count":10,"minimum":"#))
      let rate = try #require(result.output.firstMatch(of: /"direction":"write","values":(\d+),"bytes":(\d+)/)?.output)
      let (values, bytes) = (Int(rate.1) ?? 0, Int(rate.2) ?? 0)
      #expect(values > 0 && bytes == 20 * values, "\(result.output)")
    }
    // The first value starts the clock.
    let notified = try run(scene, "ble", "throughput", "Fast", "FFF3", "--notify", "--seconds", "0.5", "--json")
    #expect(notified.output.contains(#""direction":"notify","values":9,"bytes":18"#), "\(notified.output)")
    #expect(try run(scene, "ble", "throughput", "Fast", "FFF3", "--write", "--seconds", "0.1").status == 77)
    #expect(try run(scene, "ble", "throughput", "Fast", "FFF1", "--notify", "--seconds", "0.1").status == 69)
    #expect(try run(scene, "ble", "throughput", "Fast", "FFF1").status == 64)
  }

  @Test(
    "Filters of scan leave those that pass all",
    arguments: [
      (["--name", "LAM"], true), (["--name", "lantern"], false), (["--rssi", "-50"], true), (["--rssi", "-49"], false),
      (["--service", "FFF0"], true), (["--service", "heart-rate"], false),
      (["--name", "lamp", "--rssi", "-49"], false),
    ]) func filters(options: [String], isListed: Bool) async throws
  {
    let scene = try await RadioScene()
    let device = try await served(scene, "--name", "Lamp")
    let scan = try BuiltCommand.run(
      ["ble", "scan", "--seconds", "0.5", "--hci", scene.controller] + options, input: [], folder: scene.folder,
      environment: ProcessInfo.processInfo.environment.merging(["LATCHKEY_STATE": scene.folder.path + "/app"]) { $1 })
    #expect(scan.status == 0)
    #expect(scan.output.contains("Lamp") == isListed, "\(scan.output)")
    device.interrupt()
    _ = try await device.end()
  }
}
