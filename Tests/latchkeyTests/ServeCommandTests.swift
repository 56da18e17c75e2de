import Foundation
import LatchkeyTestSupport
import Testing

/// `latchkey ble serve FILE`: the devices that tests take.
@Suite(.timeLimit(.minutes(5))) struct ServeCommandTests {
  private static let lamp = """
    {"name": "Lamp", "services": [{"uuid": "FFF0", "characteristics": [
      {"uuid": "FFF1", "properties": ["read", "write", "notify"], "value": "text:off", "behavior": {"kind": "echo"}},
      {"uuid": "FFF2", "properties": ["write"],
       "behavior": {"kind": "program", "rules": [{"write": "hex:01"}], "otherwise": "0x80"}}]}]}
    """

  private func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  @Test("A definition is served: explore reads, writes and is notified") func served() async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("lamp.json")
    try Data(Self.lamp.utf8).write(to: file)
    let controller = "unix-client:\(folder.path)/radio"
    let radio = try RunningCommand(
      ["radio", "--json", "--listen", "unix-server:\(folder.path)/radio"], state: folder)
    #expect(await radio.wait(for: "listening"))
    let device = try RunningCommand(["ble", "serve", "--json", "--hci", controller, file.path], state: folder)
    #expect(await device.wait(for: #"{"event":"advertising","name":"Lamp"}"#), "\(device.lines)")
    let explore = try RunningCommand(
      ["ble", "explore", "--json", "--name", "Lamp", "--hci", controller], state: folder, named: "phone")
    #expect(await explore.wait(for: "\"connected\""), "\(explore.lines)")
    try explore.type("read FFF1")
    #expect(await explore.wait(for: "6f6666"), "\(explore.lines)")
    try explore.type("write FFF1 hex:6f6e")
    #expect(await device.wait(for: #""characteristic":"FFF1","value":"6f6e""#), "\(device.lines)")
    try explore.type("write FFF2 hex:02")
    #expect(await explore.wait(for: "\"failed\""), "\(explore.lines)")
    #expect(!device.lines.contains { $0.contains("FFF2") })
    device.interrupt()
    #expect(try await device.end() == 130)
  }

  @Test(
    "What is wrong with a definition or the options is named, with its status",
    arguments: [
      (#"{"name":"A","services":[{"uuid":"FFF0"}]}"#, [], 65, "services[0]: lacks characteristics"),
      ("{", [], 65, "the text is not JSON"),
      (nil, [], 74, "cannot be read"),
      (Self.lamp, ["--name", "Lamp"], 64, "a definition says all of the device"),
      (Self.lamp, ["--pair"], 64, "a definition says all of the device"),
    ] as [(String?, [String], Int32, String)])
  func refused(definition: String?, options: [String], status: Int32, text: String) throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("device.json")
    if let definition { try Data(definition.utf8).write(to: file) }
    let run = try BuiltCommand.run(["ble", "serve", "--hci", "virtual", file.path] + options, input: [])
    #expect(run.status == status)
    #expect(run.errors.contains(text), "\(run.errors)")
  }

  @Test("Without a definition and a name there is nothing to serve") func nothing() throws {
    let run = try BuiltCommand.run(["ble", "serve", "--hci", "virtual"], input: [])
    #expect(run.status == 64)
    #expect(run.errors.contains("give --name, or the file of a definition"))
  }
}
