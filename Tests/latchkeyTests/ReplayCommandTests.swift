import Foundation
import LatchkeyTestSupport
import Testing

/// `latchkey ble replay`: recorded devices.
@Suite(.timeLimit(.minutes(5))) struct ReplayCommandTests {
  /// A cassette of two reads, a subscription with a value behind it, and a refused write.
  private func cassette(_ scene: RadioScene) throws -> String { try scene.file("lamp.json", Self.lamp) }

  private static let lamp = """
    {"cassette": 1, "mtu": 185,
     "device": {"name": "Lamp", "services": [{"uuid": "FFF0", "characteristics": [
       {"uuid": "FFF1", "properties": ["read", "write", "notify"]}]}]},
     "steps": [
       {"time": 1, "at": [0, 0], "read": "hex:01"}, {"time": 2, "at": [0, 0], "read": "hex:02"},
       {"time": 3, "at": [0, 0], "subscribe": "notifications"}, {"time": 3.05, "at": [0, 0], "notification": "hex:07"},
       {"time": 4, "at": [0, 0], "subscribe": "none"}, {"time": 5, "at": [0, 0], "write": "hex:09", "answer": "0x80"}]}
    """

  private func run(_ scene: RadioScene, _ arguments: String...) throws -> BuiltCommand.Result {
    try BuiltCommand.run(
      ["ble"] + arguments + ["--hci", scene.controller], input: [], folder: scene.folder,
      environment: ProcessInfo.processInfo.environment.merging(["LATCHKEY_STATE": scene.folder.path + "/app"]) { $1 })
  }

  @Test("A loose replay answers in turn, sends what was sent, and ends by ^C with 0") func loose() async throws {
    let scene = try await RadioScene()
    let device = try scene.start(["ble", "replay", "--json", try cassette(scene)])
    #expect(await device.wait(for: #"{"event":"advertising","name":"Lamp"}"#), "\(device.lines)")
    for value in ["01", "02", "02"] {
      #expect(try run(scene, "read", "Lamp", "FFF1", "--as", "hex").output == "\(value)\n")
    }
    let values = try run(scene, "subscribe", "Lamp", "FFF1", "--count", "1", "--as", "uint8", "--json")
    #expect(values.status == 0 && values.output.contains(#""value":"07""#), "\(values.output)")
    #expect(try run(scene, "write", "Lamp", "FFF1", "hex:09").status == 69)
    device.interrupt()
    #expect(try await device.end() == 0)
    #expect(device.lines.last == #"{"event":"done"}"#)
    for event in [#""event":"read""#, #""event":"subscribed""#, #""event":"refused""#, #""code":128"#] {
      #expect(device.lines.contains { $0.contains(event) }, "\(device.lines)")
    }
  }

  @Test("A strict replay prints what differs and what is missing, and ends with 1") func strict() async throws {
    let scene = try await RadioScene()
    let device = try scene.start(["ble", "replay", "--strict", "--json", try cassette(scene)])
    #expect(await device.wait(for: "advertising"))
    #expect(try run(scene, "write", "Lamp", "FFF1", "hex:0a").status != 0)
    #expect(try run(scene, "read", "Lamp", "FFF1", "--as", "hex").output == "01\n")
    device.interrupt()
    #expect(try await device.end() == 1)
    let difference = #"{"event":"differed","step":0,"expected":"read FFF0/FFF1","actual":"write FFF0/FFF1: 0a"}"#
    #expect(device.lines.contains(difference), "\(device.lines)")
    #expect(
      device.lines.filter { $0.contains("unplayed") } == [
        #"{"event":"unplayed","step":1,"expected":"read FFF0/FFF1"}"#,
        #"{"event":"unplayed","step":2,"expected":"subscribe FFF0/FFF1"}"#,
        #"{"event":"unplayed","step":4,"expected":"unsubscribe FFF0/FFF1"}"#,
        #"{"event":"unplayed","step":5,"expected":"write FFF0/FFF1: 09"}"#,
      ])
    #expect(device.lines.last?.contains("1 request differed from the recording, 4 requests were not done") == true)
  }

  @Test("A strict replay of which all was done ends with 0, and prints a diff for people where not") func complete()
    async throws
  {
    let scene = try await RadioScene()
    let file = try cassette(scene)
    let device = try scene.start(["ble", "replay", "--strict", file])
    #expect(await device.wait(for: "advertising Lamp"))
    for _ in 0..<2 { #expect(try run(scene, "read", "Lamp", "FFF1").status == 0) }
    #expect(try run(scene, "subscribe", "Lamp", "FFF1", "--count", "1").status == 0)
    #expect(try run(scene, "write", "Lamp", "FFF1", "hex:09").status == 69)
    device.interrupt()
    #expect(try await device.end() == 0)

    let other = try scene.start(["ble", "replay", "--strict", file])
    #expect(await other.wait(for: "advertising Lamp"))
    #expect(try run(scene, "write", "Lamp", "FFF1", "hex:0a").status != 0)
    other.interrupt()
    #expect(try await other.end() == 1)
    let begin = try #require(other.lines.firstIndex(of: "@@ steps[0] @@"))
    #expect(other.lines[(begin + 1)...].prefix(2) == ["-read FFF0/FFF1", "+write FFF0/FFF1: 0a"], "\(other.lines)")
  }

  @Test(
    "What is wrong with a cassette is named, with its status",
    arguments: [("{", 65, "the text is not JSON"), (nil, 74, "cannot be read")] as [(String?, Int32, String)])
  func refused(text: String?, status: Int32, message: String) async throws {
    let scene = try await RadioScene()
    let path = try text.map { try scene.file("bad.json", $0) } ?? scene.folder.path + "/none.json"
    let result = try run(scene, "replay", path)
    #expect(result.status == status && result.errors.contains(message), "\(result.errors)")
  }
}
