import CoreFoundation
import Foundation
import Glibc
import LatchkeyProcessEnvironment
import LatchkeySystem

/// Tells the service manager how the server does, by the protocol of sd_notify(3): units with `Type=notify` and `WatchdogSec=`.
struct ServiceManager: Sendable {
  private let notification: ServiceNotification
  /// How often it wants to hear that the server lives; nil for never.
  let interval: Duration?

  /// The manager that started this process; nil without one.
  init?() {
    guard let notification = ServiceNotification(socket: Environment["NOTIFY_SOCKET"]) else { return nil }
    self.notification = notification
    // sd_watchdog_enabled(3): the variable may be meant for another process.
    let isMine = Environment["WATCHDOG_PID"].map { pid_t($0) == getpid() } ?? true
    let microseconds = isMine ? Environment["WATCHDOG_USEC"].flatMap(Int64.init) : nil
    interval = microseconds.flatMap { $0 > 0 ? .microseconds($0 / 2) : nil }
  }

  /// The server listens, or goes on after ``reloading()``.
  func ready(_ status: String? = nil) { notification.send("READY=1" + (status.map { "\nSTATUS=\($0)" } ?? "")) }

  /// The certificate is being read again; ``ready(_:)`` follows.
  func reloading() {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    notification.send("RELOADING=1\nMONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1000)")
  }

  /// The server ends.
  func stopping() { notification.send("STOPPING=1") }

  /// Says that the server lives, until canceled.
  func keepAlive() async {
    guard let interval else { return }
    while !Task.isCancelled {
      notification.send("WATCHDOG=1")
      do { try await Task.sleep(for: interval) } catch { return }
    }
  }
}
