import LatchkeyProvisioning
import Synchronization

/// A device that runs as long as a test needs it, and what it was asked.
final class RunningDevice: Sendable {
  let device: LegacyUnauthenticatedDevice
  private let task = Mutex<Task<LegacyDeviceError?, Never>?>(nil)

  init(_ device: LegacyUnauthenticatedDevice) { self.device = device }

  deinit { task.withLock { $0 }?.cancel() }

  /// Returns when it advertises; later events are for the caller, who passes the iterator on.
  func start() async -> AsyncStream<LegacyUnauthenticatedDeviceEvent>.Iterator {
    let device = device
    task.withLock {
      $0 = Task {
        do throws(LegacyDeviceError) {
          try await device.run()
          return nil
        } catch {
          return error
        }
      }
    }
    var events = device.events.makeAsyncIterator()
    while let event = await events.next(), event != .advertising {}
    return events
  }

  /// Why it ends by itself.
  func failure() async -> LegacyDeviceError? { await task.withLock { $0 }?.value }

  /// Stops it; nil if nothing was wrong.
  func stop() async -> LegacyDeviceError? {
    let task = task.withLock { $0 }
    task?.cancel()
    return await task?.value
  }
}
