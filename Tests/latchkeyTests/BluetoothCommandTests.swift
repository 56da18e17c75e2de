import Foundation
import LatchkeyTestSupport
import Testing

/// The commands that need a radio, each in a process of its own, as in several terminals.
@Suite(.timeLimit(.minutes(5))) struct BluetoothCommandTests {
  private typealias Scene = RadioScene

  @Test("A radio, a device and a phone in three terminals find each other") func threeTerminals() async throws {
    let scene = try await Scene()
    let device = try scene.start("device", "--json", "--name", "Lamp", "--once", "--show-secrets")
    #expect(await device.wait(for: "advertising"))
    let password = try scene.file("password", "口令 \"x\"\n")
    let provision = try scene.start(
      "provision", "--legacy", "--json", "--name", "Lamp", "--ssid", "客厅", "--password", "@\(password)",
      "--status-timeout", "0")
    #expect(try await provision.end() == 0)
    #expect(try await device.end() == 0)
    scene.radio.interrupt()
    #expect(try await scene.radio.end() == 130)
    try Golden.expect(provision.lines, are: "provision")
    // The handler reports the payload, beside the events.
    let payload = device.lines.filter { $0.contains("\"received\"") }
    try Golden.expect(payload, are: "device-received")
    try Golden.expect(device.lines.filter { !payload.contains($0) }, are: "device")
    try Golden.expect(scene.radio.lines.filter { !$0.contains("\"left\"") }, are: "radio")
  }

  @Test(
    "A program applies the credentials that the device received",
    arguments: [("true", "device-applies", Int32(0)), ("false", "device-cannot-apply", 75)])
  func aProgramAppliesCredentials(program: String, golden: String, status: Int32) async throws {
    let scene = try await Scene()
    let seen = scene.folder.appendingPathComponent("seen").path
    let script = try scene.file("apply", "#!/bin/sh\ncat > '\(seen)'\n\(program)\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
    let device = try scene.start("device", "--name", "Lamp", "--apply", script)
    #expect(await device.wait(for: "advertising"))
    let provision = try scene.start("provision", "--legacy", "--name", "Lamp", "--ssid", "Home", "--password", "secret")
    #expect(try await provision.end() == status)
    #expect(try String(contentsOfFile: seen, encoding: .utf8) == "{\"ssid\":\"Home\",\"password\":\"secret\"}")
    // Nothing else goes to the program.
    let text = try scene.start("provision", "--legacy", "--name", "Lamp", "--text", "hello")
    #expect(try await text.end() == 65)
    device.interrupt()
    #expect(try await device.end() == 130)
    #expect(!device.lines.contains { $0.contains("secret") && !$0.contains("--show-secrets") })
    try Golden.expect(provision.lines, are: golden)
  }

  @Test("an app that is killed leaves nothing that stops the next one of the same user, at once")
  func provisioningAgainAtOnce() async throws {
    let scene = try await Scene()
    let device = try scene.start("device", "--json", "--name", "Lamp")
    #expect(await device.wait(for: "advertising"))
    let password = try scene.file("password", "secret")
    for _ in 0..<2 {
      // With the same state they are one central for the device.
      let killed = try scene.start(
        as: "app", "provision", "--legacy", "--json", "--name", "Lamp", "--ssid", "Home", "--password", "@\(password)")
      #expect(await killed.wait(for: "keyAgreed"))
      killed.kill()
      _ = try await killed.end()
      let again = try scene.start(
        as: "app", "provision", "--legacy", "--json", "--name", "Lamp", "--ssid", "Home", "--password", "@\(password)",
        "--status-timeout", "0")
      #expect(try await again.end() == 0, "\(again.lines)")
    }
  }

  @Test("Explore runs the commands that are typed") func exploreDoesWhatIsTyped() async throws {
    let scene = try await Scene()
    let device = try scene.start("device", "--name", "Lamp")
    #expect(await device.wait(for: "advertising"))
    for form in ["explore", "explore-json"] {
      let explore = try scene.start(["ble", "explore"] + (form == "explore" ? [] : ["--json"]))
      for line in [
        "connect Lamp", "read F202", "read F200/F202:2902", "write F201 hex:7e", "command F201 text:x",
        "subscribe F202",
        "unsubscribe F202", "read FFFF", "nonsense", "# a comment", "disconnect", "quit",
      ] { try explore.type(line) }
      #expect(try await explore.end() == 69)
      try Golden.expect(explore.lines.filter { !$0.contains("dBm") && !$0.contains("\"device\"") }, are: form)
    }
  }

  @Test("send writes a value and reads it back, at the device of Examples/001-corebluetooth")
  func exploreSendsAndReadsBack() async throws {
    let scene = try await Scene()
    let device = try RunningCommand(
      [], of: "my-blue-device", state: scene.folder, environment: ["LATCHKEY_HCI": scene.controller])
    #expect(await device.wait(for: "peripheralManagerDidStartAdvertising"))
    for form in ["explore-send", "explore-send-json"] {
      let explore = try scene.start(["ble", "explore"] + (form == "explore-send" ? [] : ["--json"]))
      for line in [
        "send FFF2 x", "connect MyBlueDevice", "send FFF2 你好", "send FFF0/FFF2 hex:00FF", "send FFF2 hex:", "read FFF2",
        // A value that cannot be written is not read; a text that is no line is not written.
        "send FFE1 x", "send FFF9 x", "send", "send FFF2 hex:f", "read FFF2", "disconnect", "quit",
      ] { try explore.type(line) }
      #expect(try await explore.end() == 69)
      try Golden.expect(explore.lines.filter { !$0.contains("dBm") && !$0.contains("\"device\"") }, are: form)
    }
    device.interrupt()
    _ = try await device.end()
    #expect(device.lines.filter { $0 == "didReceiveWriteRequests" }.count == 6)
  }

  @Test(
    "A line that is too long or not UTF-8 and a value that was not typed are reported, change nothing, and end nothing")
  func exploreRefusesLines() async throws {
    let scene = try await Scene()
    let device = try RunningCommand(
      [], of: "my-blue-device", state: scene.folder, environment: ["LATCHKEY_HCI": scene.controller])
    #expect(await device.wait(for: "peripheralManagerDidStartAdvertising"))
    let lines: [[UInt8]] = [
      Array("connect MyBlueDevice\r".utf8), Array("send FFF2 kept".utf8), Array("send FFF2".utf8),
      Array("write FFF2  ".utf8), Array("command FFF2".utf8),
      // The longest line, one more, and one of several chunks.
      [0x23] + [UInt8](repeating: 0x78, count: 65_535), [0x23] + [UInt8](repeating: 0x78, count: 65_536),
      Array("write FFF2 ".utf8) + [UInt8](repeating: 0x79, count: 200_000), Array("write FFF2 ".utf8) + [0xFF],
      Array("read FFF2".utf8),
    ]
    for json in [false, true] {
      let explore = try BuiltCommand.run(
        ["ble", "explore", "--hci", scene.controller] + (json ? ["--json"] : []),
        input: Array(lines.joined(separator: [0x0A])), folder: scene.folder,
        environment: ProcessInfo.processInfo.environment.merging(["LATCHKEY_STATE": scene.folder.path + "/x"]) { $1 })
      #expect(explore.status == 69)
      let values = explore.output.components(
        separatedBy: json ? #""value":"6b657074""# : #"value FFF2: 6b657074 "kept""#)
      #expect(values.count == 3, "\(explore.output)")
      let reported = json ? explore.output : explore.errors
      for number in [7, 8] where !json {
        #expect(reported.contains("line \(number): it has more than 65536 bytes, and was not done"), "\(reported)")
      }
      #expect(reported.components(separatedBy: "more than 65536 bytes").count == 3)
      #expect(
        reported.contains("\(json ? #""command":null"# : "line 9"),") || reported.contains("line 9: it is not UTF-8"))
      #expect(
        reported.components(separatedBy: "it is not UTF-8, and was not done: give such bytes as hex:DIGITS").count == 2)
      #expect(reported.components(separatedBy: "the value is missing: type it behind FFF2").count == 4)
      #expect(reported.contains("6 lines could not be done"))
    }
    device.interrupt()
    _ = try await device.end()
    #expect(device.lines.filter { $0 == "didReceiveWriteRequests" }.count == 2)
  }

  @Test("an input that cannot be read ends explore with 74")
  func exploreReportsInputThatCannotBeRead() async throws {
    let scene = try await Scene()
    let explore = try BuiltCommand.run(
      ["-c", "exec \"$0\" ble explore --hci \(scene.controller) </", BuiltCommand.program.path], input: [],
      program: URL(fileURLWithPath: "/bin/sh"), folder: scene.folder,
      environment: ProcessInfo.processInfo.environment.merging(["LATCHKEY_STATE": scene.folder.path + "/x"]) { $1 })
    #expect(explore.status == 74)
    #expect(explore.errors.contains("standard input cannot be read: Is a directory"))
  }

  @Test("LATCHKEY_HOST_FLOW_CONTROL=off asks no controller to hold data back", arguments: ["off", "on", ""])
  func flowControl(word: String) async throws {
    let scene = try await Scene()
    let trace = scene.folder.appendingPathComponent("air").path
    let scan = try RunningCommand(
      ["ble", "scan", "--seconds", "0.1", "--hci", scene.controller, "--trace", trace], state: scene.folder,
      environment: ["LATCHKEY_HOST_FLOW_CONTROL": word])
    #expect(try await scan.end() == 0)
    // HCI Reset, Set Controller To Host Flow Control, Host Buffer Size (Core 6.0 Vol 4 Part E 7.3.2, 7.3.38, 7.3.39).
    let commands = try scene.packets("air").filter { $0.kind == 2 }.map { Array($0.bytes.prefix(2)) }
    #expect(commands.contains([0x03, 0x0C]))
    #expect(commands.contains([0x31, 0x0C]) == (word != "off"))
    #expect(commands.contains([0x33, 0x0C]) == (word != "off"))
  }

  @Test("LATCHKEY_PRIVATE_ADDRESS=on hides the host's own address", arguments: ["on", "off", ""])
  func privateAddress(word: String) async throws {
    let scene = try await Scene()
    let trace = scene.folder.appendingPathComponent("air").path
    let scan = try RunningCommand(
      ["ble", "scan", "--seconds", "0.1", "--hci", scene.controller, "--trace", trace], state: scene.folder,
      environment: ["LATCHKEY_PRIVATE_ADDRESS": word])
    #expect(try await scan.end() == 0)
    // LE Set Random Address (Core 6.0 Vol 4 Part E 7.8.4): the two top bits tell which kind it is.
    let commands = try scene.packets("air").filter { $0.kind == 2 && $0.bytes.prefix(2).elementsEqual([0x05, 0x20]) }
    #expect(commands.map { $0.bytes.last.map { $0 >> 6 } } == [word == "on" ? 0b01 : 0b11])
  }

  @Test("Scan lists the devices that advertise") func scanListsWhoAdvertises() async throws {
    let scene = try await Scene()
    let device = try scene.start("device", "--name", "Lamp", "--plain")
    #expect(await device.wait(for: "advertising"))
    let scan = try scene.start("ble", "scan", "--json", "--seconds", "0.5")
    #expect(try await scan.end() == 0)
    try Golden.expect(scan.lines, are: "scan")
  }

  @Test("A radio that is killed and started again is found by the device, and the device by all")
  func radioComesBack() async throws {
    let scene = try await Scene()
    let device = try scene.start("device", "--json", "--name", "Lamp", "--once")
    #expect(await device.wait(for: "advertising"))
    try await scene.loseRadio()
    #expect(await device.wait(for: "radioLost"))
    // Its socket still exists, and no process listens.
    let scan = try scene.start("ble", "scan", "--seconds", "0.1")
    #expect(try await scan.end() == 69)
    try await scene.replaceRadio()
    #expect(await device.wait(for: "advertising"))
    let password = try scene.file("password", "secret")
    let provision = try scene.start(
      "provision", "--legacy", "--name", "Lamp", "--ssid", "Home", "--password", "@\(password)", "--status-timeout", "0"
    )
    #expect(try await provision.end() == 0)
    #expect(try await device.end() == 0)
    #expect(device.lines.filter { $0.contains("advertising") || $0.contains("radioLost") }.count == 3)
  }

  @Test("A killed radio is reported, and its command ends with 69") func radioIsGone() async throws {
    let scene = try await Scene()
    let device = try scene.start("device", "--json", "--name", "Lamp")
    #expect(await device.wait(for: "advertising"))
    let explore = try scene.start("ble", "explore", "--json", "--name", "Lamp")
    #expect(await explore.wait(for: "\"connected\""))
    try explore.type("read F202")
    #expect(await explore.wait(for: "\"value\""))
    try await scene.loseRadio()
    #expect(await device.wait(for: "radioLost"))
    #expect(try await explore.end() == 69)
    #expect(explore.lines.last?.contains("\"code\":\"radioUnavailable\"") == true, "\(explore.lines)")
  }

  @Test("A controller of a radio holds as many links as --links says") func links() async throws {
    let scene = try await Scene("--links", "1")
    let device = try scene.start("device", "--json", "--name", "Lamp")
    #expect(await device.wait(for: "advertising"))
    let first = try scene.start("ble", "explore", "--json", "--name", "Lamp")
    #expect(await first.wait(for: "\"connected\""))
    let second = try scene.start("ble", "explore", "--json", "--name", "Lamp", "--search-timeout", "1")
    #expect(try await second.end() == 69)
    #expect(!second.lines.contains { $0.contains("\"connected\"") })
    #expect(try await first.end() == 0)
    let third = try scene.start("ble", "explore", "--json", "--name", "Lamp")
    #expect(await third.wait(for: "\"connected\""))
    #expect(try await third.end() == 0)
  }

  @Test("A device that is started again is the same device to the apps that know it") func sameDevice() async throws {
    let scene = try await Scene()
    var seen: [String] = []
    for _ in 0..<2 {
      let device = try scene.start(as: "lamp", "device", "--json", "--name", "Lamp")
      #expect(await device.wait(for: "advertising"))
      let scan = try scene.start(as: "phone", "ble", "scan", "--json", "--seconds", "0.5")
      #expect(try await scan.end() == 0)
      seen += scan.lines.filter { $0.contains("Lamp") }
      device.interrupt()
      #expect(try await device.end() == 130)
    }
    #expect(seen.count == 2 && seen[0] == seen[1], "\(seen)")
  }

  @Test("The demo reports each of its steps", arguments: ["demo", "demo-json"]) func demoReportsItsSteps(form: String)
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let arguments = ["demo", "--ssid", "Home", "--password", "你好"] + (form == "demo" ? [] : ["--json"])
    let demo = try RunningCommand(arguments, state: folder)
    #expect(try await demo.end() == 0)
    try Golden.expect(demo.lines, are: form)
  }

  @Test("The cause of a missing radio is reported, in JSON too", arguments: ["provision", "device", "scan"])
  func absentRadio(command: String) throws {
    let words =
      switch command {
      case "provision": ["provision", "--legacy", "--name", "Lamp", "--ssid", "Home", "--password", "-"]
      case "device": ["device", "--name", "Lamp"]
      default: ["ble", "scan"]
      }
    let result = try BuiltCommand.run(
      words + ["--json", "--hci", "unix-client:/nonexistent/radio"], input: Array("secret\n".utf8))
    #expect(result.status == 69)
    let last = result.output.split(separator: "\n").last ?? ""
    #expect(last.hasPrefix("{\"event\":\"error\",\"code\":\"radioUnavailable\""), "\(result.output)")
    #expect(last.contains("it is powered off: cannot connect to") && last.contains("/nonexistent/radio"))
    #expect(last.contains("\"cause\":\"cannot connect to "))
  }

  @Test("A list of no pairings makes no folder, and only a paired device is removed") func noPairings() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    func run(_ verb: String = "bonds", _ options: String...) throws -> BuiltCommand.Result {
      try BuiltCommand.run(
        ["ble", verb] + options, input: [],
        environment: ["PATH": "/usr/bin", "HOME": "/nonexistent", "LATCHKEY_STATE": folder.path])
    }
    let list = try run()
    #expect(list.status == 0)
    #expect(list.output.isEmpty)
    for device in ["C0:FF:EE:00:00:01", UUID().uuidString] {
      let removal = try run("pairings", "--json", "--remove", device)
      #expect(removal.status == 69)
      #expect(removal.output.contains("\"code\":\"notPaired\""), "\(removal.output)")
    }
    #expect(try run("bonds", "--remove", "lamp").status == 64)
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }

  @Test("radio --trace has both ends in one file, from the first command to the disconnection")
  func radioTrace() async throws {
    let scene = try await Scene(isTraced: true)
    let device = try scene.start("device", "--json", "--once", "--name", "Lamp")
    #expect(await device.wait(for: "advertising"))
    let password = try scene.file("password", "secret")
    let app = try scene.start(
      "provision", "--legacy", "--json", "--name", "Lamp", "--ssid", "Home", "--password", "@\(password)",
      "--status-timeout", "0")
    #expect(try await app.end() == 0)
    #expect(try await device.end() == 0)
    scene.radio.interrupt()
    _ = try await scene.radio.end()
    var kinds: [UInt8: Set<UInt8>] = [:]
    for packet in try scene.packets("air") { kinds[packet.controller, default: []].insert(packet.kind) }
    // Of both: it came, commands, events, data both ways, it went.
    #expect(kinds == [0: [0, 1, 2, 3, 4, 5], 1: [0, 1, 2, 3, 4, 5]])
  }

  @Test(
    "--verbose before the command logs what is logged at the level debug; behind it it is the command's own argument")
  func verbose() throws {
    let scan = ["ble", "scan", "--seconds", "0.1", "--hci", "virtual"]
    let quiet = try BuiltCommand.run(scan, input: [])
    let verbose = try BuiltCommand.run(["-v"] + scan, input: [])
    #expect(quiet.status == 0 && verbose.status == 0 && quiet.output == verbose.output)
    #expect(!quiet.errors.contains(" debug "), "\(quiet.errors)")
    #expect(verbose.errors.contains(" debug "), "\(verbose.errors)")
    let behind = try BuiltCommand.run(scan + ["-v"], input: [])
    #expect(behind.status == 64 && behind.errors.contains("Unknown option '-v'"), "\(behind.errors)")
  }

  @Test("--trace - is a capture on standard output, and nothing else is there")
  func traceToOutput() async throws {
    let scene = try await Scene()
    let result = try BuiltCommand.run(
      ["ble", "scan", "--json", "--seconds", "0.5", "--hci", scene.controller, "--trace", "-"], input: [])
    #expect(result.status == 0)
    #expect(result.output.utf8.starts(with: "btsnoop\0".utf8))
    #expect(!result.output.contains("\"event\""))
    #expect(result.errors.contains("{\"event\":\"done\"}"))
    #expect(!FileManager.default.fileExists(atPath: "-"))
  }
}
