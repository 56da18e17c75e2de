import Foundation
import LatchkeyTestSupport
import Testing

/// `latchkey ble explore` at a terminal, as a user types.
@Suite(.timeLimit(.minutes(5))) struct ExploreTerminalTests {
  private static let clear = "\r\u{1B}[K"

  private func explore(_ scene: RadioScene, terminal: String = "xterm", _ options: String...) throws -> TerminalSession
  {
    try TerminalSession(
      ["ble", "explore", "--hci", scene.controller] + options, folder: scene.folder,
      environment: ProcessInfo.processInfo.environment.merging([
        "LATCHKEY_STATE": scene.folder.path + "/app", "TERM": terminal,
      ]) { $1 })
  }

  @Test("An advertisement stands above the line that is typed, which stays") func advertisement() async throws {
    let scene = try await RadioScene()
    let session = try explore(scene)
    try session.pass("> ")
    session.type("conn")
    try session.pass("> conn")
    let device = try scene.start("ble", "serve", "--json", "--name", "Lamp")
    try session.pass("\(Self.clear)1  -")
    try session.pass("Lamp")
    try session.pass("\r\n\(Self.clear)> conn")
    // The commands, the device and the characteristic are completed; the line before comes back.
    session.type("\t")
    try session.pass("> connect ")
    session.type("la\t")
    try session.pass("> connect Lamp")
    session.type("\r")
    try session.pass("characteristic FFF1")
    try session.pass("\(Self.clear)> ")
    session.type("read fff\t")
    try session.pass("> read FFF1")
    session.type("\r")
    try session.pass("FFF1: (empty)")
    try session.pass("\(Self.clear)> ")
    session.type("\u{1B}[A")
    try session.pass("> read FFF1")
    session.type("\u{1}\u{1B}[3~\u{1B}[3~\u{1B}[3~\u{1B}[3~write\u{5} on\r")
    try session.pass("written FFF1")
    #expect(await device.wait(for: #""value":"6f6e""#))
    session.type("quit\r")
    #expect(session.end() == 0)
    #expect(session.isAsBefore)
    device.interrupt()
    _ = try await device.end()
  }

  @Test(
    "The terminal is as it was, however explore ends",
    arguments: [
      ("\u{4}", nil, 0), ("quit\r", nil, 0), ("half\u{3}", nil, 130), ("half\u{1C}", nil, 131), ("", SIGTERM, 143),
      ("half", SIGINT, 130), ("connect Nobody\r\u{3}", nil, 130),
    ] as [(String, Int32?, Int32)]) func ends(keys: String, signal: Int32?, status: Int32) async throws
  {
    let scene = try await RadioScene()
    let session = try explore(scene)
    try session.pass("> ")
    session.type(keys)
    if let signal { try session.signal(signal) }
    #expect(session.end() == status)
    #expect(session.isAsBefore)
  }

  @Test("A radio that is lost ends it with 69, and the terminal is as it was") func radioLost() async throws {
    let scene = try await RadioScene()
    let session = try explore(scene)
    try session.pass("> ")
    try await scene.loseRadio()
    session.type("\u{4}")
    #expect(session.end() == 69)
    #expect(session.isAsBefore)
  }

  @Test("A terminal that cannot move its cursor gets lines and a prompt, and nothing else") func dumb() async throws {
    let scene = try await RadioScene()
    let session = try explore(scene, terminal: "dumb")
    try session.pass("> ")
    session.type("help\n")
    try session.pass("WHERE is UUID")
    session.type("quit\n")
    #expect(session.end() == 0)
    #expect(!session.screen.contains("\u{1B}"))
  }

  @Test("A name that steers the terminal does nothing to the line") func hostileName() async throws {
    let scene = try await RadioScene()
    let session = try explore(scene)
    try session.pass("> ")
    let device = PeripheralInTest("Lamp\r\u{1B}[2J", [PeripheralInTest.service("FFF0", [])])
    #expect(await device.start(scene.controller))
    try session.pass("Lamp\\u{d}\\u{1b}[2J")
    session.type("connect la\t")
    try session.pass("\u{7}")
    session.type("\u{15}quit\r")
    #expect(session.end() == 0)
    #expect(!session.screen.contains("\u{1B}[2J"))
    device.stop()
  }
}
