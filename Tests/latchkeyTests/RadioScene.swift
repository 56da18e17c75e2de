import Foundation
import LatchkeyTestSupport
import Testing

/// A folder, a radio in it, and those who join.
final class RadioScene {
  let folder: URL
  private(set) var radio: RunningCommand
  var controller: String { "unix-client:\(folder.path)/radio" }

  init(isTraced: Bool = false, _ options: String...) async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let trace = isTraced ? ["--trace", folder.appendingPathComponent("air").path] : []
    radio = try RunningCommand(
      ["radio", "--json", "--listen", "unix-server:\(folder.path)/radio"] + trace + options, state: folder)
    #expect(await radio.wait(for: "listening"))
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func start(_ arguments: String...) throws -> RunningCommand { try start(arguments) }

  func start(_ arguments: [String]) throws -> RunningCommand {
    try RunningCommand(arguments + ["--hci", controller], state: folder)
  }

  /// Starts one that finds the state of the one before of that name.
  func start(as name: String, _ arguments: String...) throws -> RunningCommand {
    try RunningCommand(arguments + ["--hci", controller], state: folder, named: name)
  }

  /// Kills the radio.
  func loseRadio() async throws {
    radio.kill()
    #expect(try await radio.end() == SIGKILL)
  }

  /// Starts a radio where the one before was.
  func replaceRadio() async throws {
    radio = try RunningCommand(["radio", "--json", "--listen", "unix-server:\(folder.path)/radio"], state: folder)
    #expect(await radio.wait(for: "listening"))
  }

  /// The packets of a capture: btsnoop's header, then 24 bytes and a packet each. Of those the bytes 8 to 11 name controller
  /// and kind.
  func packets(_ name: String) throws -> [(controller: UInt8, kind: UInt8, bytes: [UInt8])] {
    let trace = Array(try Data(contentsOf: folder.appendingPathComponent(name)))
    #expect(trace.starts(with: Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x07, 0xD1]))
    var packets: [(controller: UInt8, kind: UInt8, bytes: [UInt8])] = []
    var place = 16
    while place + 24 <= trace.count {
      let end = place + 24 + trace[place + 4..<place + 8].reduce(0) { $0 << 8 | Int($1) }
      guard end <= trace.count else { break }
      packets.append((trace[place + 9], trace[place + 11], Array(trace[place + 24..<end])))
      place = end
    }
    #expect(place == trace.count)
    return packets
  }

  func file(_ name: String, _ text: String) throws -> String {
    let url = folder.appendingPathComponent(name)
    try Data(text.utf8).write(to: url)
    return url.path
  }
}
