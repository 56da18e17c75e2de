import Foundation
import Testing

/// `Tests/Interop/peers/fprintd_double.py` on a D-Bus of its own: both are processes that end with this object.
package final class FprintdDouble {
  /// Where the bus is.
  package var address: String { bus.address }
  private let bus: PrivateBus
  private let service = TestProcess()
  private let (input, output) = (Pipe(), Pipe())

  /// Whether its programs are installed.
  package static let isHere: Bool = {
    PrivateBus.isHere && (try? ProgramRun(python, ["-c", "import dbus, gi"]).status) == 0
  }()

  /// - Parameter scenario: JSON, as the double's documentation describes; nil for a bus without fprintd.
  package init(_ scenario: String?) throws {
    bus = try PrivateBus()
    guard let scenario else { return }
    service.executableURL = URL(filePath: Self.python)
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    service.arguments = [tests.appending(path: "Interop/peers/fprintd_double.py").path, address, scenario]
    (service.standardInput, service.standardOutput) = (input, output)
    service.standardError = FileHandle.nullDevice
    try service.start()
    try #require(line() == "ready")
  }

  deinit {
    guard service.isRunning else { return }
    service.kill()
    service.waitUntilExit()
  }

  /// The double's next line; nil at its end.
  package func line() -> String? { PrivateBus.line(output) }

  /// The next lines.
  package func lines(_ count: Int) -> [String?] { (0..<count).map { _ in line() } }

  /// Replaces the enrolled fingers.
  package func enrol(_ fingers: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("fingers \(fingers)\n".utf8))
    #expect(line() == "fingers")
  }

  /// Runs fprintd's own program against the double, and returns its status and output.
  package func fprintdVerify() throws -> (Int32, String) {
    let run = try ProgramRun(
      "/usr/bin/fprintd-verify", [], environment: ["DBUS_SYSTEM_BUS_ADDRESS": address], joined: true)
    return (run.status, run.output)
  }

  private static let python = "/usr/bin/python3"
}
