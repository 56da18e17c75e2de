import CoreFoundation
import Foundation
import Glibc
import LatchkeyProcessEnvironment

/// Tells the service manager how the server does, by the protocol of sd_notify(3): units with `Type=notify` and `WatchdogSec=`.
struct ServiceManager: Sendable {
  private let path: String
  /// How often it wants to hear that the server lives; nil for never.
  let interval: Duration?

  /// The manager that started this process; nil without one.
  init?() {
    guard let path = Environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@"),
      path.utf8.count > 1, path.utf8.count < Self.pathSize
    else { return nil }
    self.path = path
    // sd_watchdog_enabled(3): the variable may be meant for another process.
    let isMine = Environment["WATCHDOG_PID"].map { pid_t($0) == getpid() } ?? true
    let microseconds = isMine ? Environment["WATCHDOG_USEC"].flatMap(Int64.init) : nil
    interval = microseconds.flatMap { $0 > 0 ? .microseconds($0 / 2) : nil }
  }

  /// The server listens, or goes on after ``reloading()``.
  func ready(_ status: String? = nil) { send("READY=1" + (status.map { "\nSTATUS=\($0)" } ?? "")) }

  /// The certificate is being read again; ``ready(_:)`` follows.
  func reloading() {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    send("RELOADING=1\nMONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1000)")
  }

  /// The server ends.
  func stopping() { send("STOPPING=1") }

  /// Says that the server lives, until canceled.
  func keepAlive() async {
    guard let interval else { return }
    while !Task.isCancelled {
      send("WATCHDOG=1")
      do { try await Task.sleep(for: interval) } catch { return }
    }
  }

  private static let pathSize = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

  /// A manager that does not read is no reason to end.
  private func send(_ text: String) {
    let file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard file >= 0 else { return }
    defer { close(file) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    // An abstract name begins with a zero, and ends where the address does.
    if path.hasPrefix("@") { address.sun_path.0 = 0 }
    let count = MemoryLayout<sa_family_t>.size + path.utf8.count + (path.hasPrefix("@") ? 0 : 1)
    let bytes = Array(text.utf8)
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(file, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, socklen_t(count))
      }
    }
  }
}
