package import Foundation
import Glibc
import Testing

/// A D-Bus of its own, for the double of a service: a dbus-daemon that lets everybody do everything, and ends with this object.
package final class PrivateBus: Sendable {
  /// Where the bus is, as libraries of D-Bus read it.
  package let address: String
  private let folder: Folder
  private let process = TestProcess()

  private static let daemon = "/usr/bin/dbus-daemon"

  /// Whether dbus-daemon is installed (Debian: dbus).
  package static var isHere: Bool { access(daemon, X_OK) == 0 }

  /// Starts the bus, and waits until it listens.
  package init() throws {
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
    process.executableURL = URL(filePath: Self.daemon)
    process.arguments = ["--config-file=\(configuration)", "--nofork", "--print-address"]
    (process.standardOutput, process.standardError) = (printed, FileHandle.nullDevice)
    try process.start()
    try #require(Self.line(printed)?.hasPrefix("unix:") == true)
  }

  deinit { end() }

  /// Ends the bus, if it has not ended.
  package func end() {
    guard process.isRunning else { return }
    process.kill()
    process.waitUntilExit()
  }

  /// The next line of a double's output; nil at its end, and for an empty line.
  package static func line(_ pipe: Pipe) -> String? {
    var bytes: [UInt8] = []
    while let byte = try? pipe.fileHandleForReading.read(upToCount: 1)?.first, byte != 10 { bytes.append(byte) }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }
}
