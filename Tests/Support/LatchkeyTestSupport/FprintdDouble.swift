import Foundation
import Glibc
import Testing

/// `Tests/Interop/peers/fprintd_double.py` on a D-Bus of its own: both are processes that end with this object.
package final class FprintdDouble {
  /// Where the bus is.
  package let address: String
  private let folder: Folder
  private let bus = TestProcess()
  private let service = TestProcess()
  private let (input, output) = (Pipe(), Pipe())

  /// Whether its programs are installed.
  package static let isHere: Bool = {
    access(daemon, X_OK) == 0 && (try? ProgramRun(python, ["-c", "import dbus, gi"]).status) == 0
  }()

  /// - Parameter scenario: JSON, as the double's documentation describes; nil for a bus without fprintd.
  package init(_ scenario: String?) throws {
    folder = try Folder()
    address = "unix:path=\(folder.path)/bus"
    let configuration = try folder.write(
      "bus.conf",
      Array(
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig><listen>\(address)</listen><policy context="default"><allow send_destination="*"/>
        <allow receive_sender="*"/><allow own="*"/><allow user="*"/></policy></busconfig>
        """.utf8))
    let printed = Pipe()
    bus.executableURL = URL(filePath: Self.daemon)
    bus.arguments = ["--config-file=\(configuration)", "--nofork", "--print-address"]
    (bus.standardOutput, bus.standardError) = (printed, FileHandle.nullDevice)
    try bus.start()
    try #require(Self.line(printed)?.hasPrefix("unix:") == true)
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
    for process in [service, bus] where process.isRunning {
      process.kill()
      process.waitUntilExit()
    }
  }

  /// The double's next line; nil at its end.
  package func line() -> String? { Self.line(output) }

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

  private static func line(_ pipe: Pipe) -> String? {
    var bytes: [UInt8] = []
    while let byte = try? pipe.fileHandleForReading.read(upToCount: 1)?.first, byte != 10 { bytes.append(byte) }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  private static let daemon = "/usr/bin/dbus-daemon"
  private static let python = "/usr/bin/python3"
}
