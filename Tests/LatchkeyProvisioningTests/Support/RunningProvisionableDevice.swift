import Foundation
import LatchkeyProvisioning
import Synchronization

/// A provisionable device that runs as long as a test needs it.
final class RunningProvisionableDevice: Sendable {
  let device: ProvisionableDevice
  private let task: Task<ProvisionableDeviceError?, Never>
  private let seen = Mutex<[ProvisionableDeviceEvent]>([])

  /// Starts it.
  init(_ device: ProvisionableDevice) {
    self.device = device
    task = Task {
      do throws(ProvisionableDeviceError) {
        try await device.run()
        return nil
      } catch {
        return error
      }
    }
  }

  deinit { task.cancel() }

  /// The events so far that `event` was waited for in.
  var events: [ProvisionableDeviceEvent] { seen.withLock { $0 } }

  /// Returns when an event fits.
  @discardableResult
  func event(_ fits: @Sendable (ProvisionableDeviceEvent) -> Bool) async -> ProvisionableDeviceEvent? {
    for await event in device.events {
      seen.withLock { $0.append(event) }
      if fits(event) { return event }
    }
    return nil
  }

  /// Returns when it can be found.
  func isAdvertising() async { await event { $0 == .advertising } }

  /// Why it ends by itself.
  func failure() async -> ProvisionableDeviceError? { await task.value }

  /// Stops it; nil if nothing was wrong.
  @discardableResult
  func stop() async -> ProvisionableDeviceError? {
    task.cancel()
    return await task.value
  }
}

/// A store in memory that can be full, and that outlives a device as a disk does.
final class MemoryDeviceStore: ProvisionableDeviceStore {
  struct Full: Error {}

  private let state = Mutex<(stored: ProvisionableDeviceState?, isFull: Bool, writes: Int)>((nil, false, 0))

  init(_ stored: ProvisionableDeviceState? = nil) { state.withLock { $0.stored = stored } }

  var stored: ProvisionableDeviceState? { state.withLock { $0.stored } }
  func setFull(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

  func load() throws -> ProvisionableDeviceState? { stored }

  func store(_ new: ProvisionableDeviceState) throws {
    try state.withLock { state in
      if state.isFull { throw Full() }
      state.stored = new
      state.writes += 1
    }
  }
}
