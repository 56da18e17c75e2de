import Foundation
import LatchkeyTestSupport
import Testing

/// `latchkey controller` between a radio, which has the controllers, and programs without one.
@Suite(.timeLimit(.minutes(5))) struct ControllerCommandTests {
  private let folder: URL
  private let radio: RunningCommand
  private let device: RunningCommand

  /// A device on a radio, whose other controllers are the adapters.
  init() async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    radio = try RunningCommand(
      ["radio", "--json", "--listen", "unix-server:\(folder.path)/radio"], state: folder)
    #expect(await radio.wait(for: "listening"))
    device = try RunningCommand(
      ["device", "--json", "--name", "Lamp", "--hci", "unix-client:\(folder.path)/radio"], state: folder)
    #expect(await device.wait(for: "advertising"))
  }

  private func lend(_ options: String...) throws -> RunningCommand {
    try RunningCommand(
      [
        "controller", "--json", "--hci", "unix-client:\(folder.path)/radio", "--listen",
        "unix-server:\(folder.path)/adapter",
      ] + options, state: folder)
  }

  private func scan(_ seconds: String = "0.5") throws -> RunningCommand {
    try RunningCommand(
      ["ble", "scan", "--json", "--seconds", seconds, "--hci", "unix-client:\(folder.path)/adapter"], state: folder)
  }

  private func end() async throws {
    for command in [device, radio] {
      command.interrupt()
      _ = try await command.end()
    }
    try FileManager.default.removeItem(at: folder)
  }

  @Test("Programs use the adapter one after the other, one of which is killed") func oneAfterTheOther() async throws {
    let controller = try lend()
    #expect(await controller.wait(for: "\"opened\""))
    for round in 1...3 {
      let killed = try scan("60")
      #expect(await killed.wait(for: "Lamp"))
      // While it scans, another one is turned away: 69 after its attempts.
      if round == 1 {
        let second = try scan("0.1")
        #expect(try await second.end() == 69)
        #expect(await controller.wait(for: "another program has the controller"))
        #expect(second.lines.contains { $0.contains("another program may have the controller") })
      }
      killed.kill()
      #expect(try await killed.end() == SIGKILL)
    }
    let last = try scan()
    #expect(try await last.end() == 0)
    #expect(last.lines.contains { $0.contains("Lamp") })
    controller.interrupt()
    #expect(try await controller.end() == 130)
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/adapter"))
    try await end()
  }

  @Test("An adapter that goes is reported with its reason, and its program told") func lost() async throws {
    let controller = try lend("--trace", folder.path + "/air")
    #expect(await controller.wait(for: "\"opened\""))
    let explore = try RunningCommand(
      ["ble", "explore", "--json", "--name", "Lamp", "--hci", "unix-client:\(folder.path)/adapter"], state: folder)
    #expect(await explore.wait(for: "\"connected\""))
    radio.kill()
    #expect(try await radio.end() == SIGKILL)
    #expect(await controller.wait(for: "\"lost\""))
    #expect(controller.lines.contains { $0.contains("; it is sought again") })
    #expect(try await explore.end() == 69)
    let refused = try scan("0.1")
    #expect(try await refused.end() == 69)
    controller.interrupt()
    #expect(try await controller.end() == 130)
    // Reset, at least, went through it.
    let trace = try Data(contentsOf: folder.appendingPathComponent("air"))
    #expect(trace.range(of: Data([0x03, 0x0C, 0x00])) != nil)
    device.interrupt()
    _ = try await device.end()
    try FileManager.default.removeItem(at: folder)
  }

  @Test("An adapter that is not there does not end the command, which says what to do") func absent() async throws {
    let controller = try RunningCommand(
      ["controller", "--hci", "serial:/dev/null", "--listen", "unix-server:\(folder.path)/adapter"], state: folder)
    #expect(await controller.wait(for: "/dev/null is no serial device"))
    controller.interrupt()
    #expect(try await controller.end() == 130)
    try await end()
  }
}
