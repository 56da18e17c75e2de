import CoreBluetooth
import Foundation
package import LatchkeyBluetoothTransports
public import LatchkeyProvisioningProtocol

/// Finds devices that can be provisioned, by whatever protocol, and opens sessions with them.
///
/// ```swift
/// let provisioner = Provisioner()
/// let device = try await provisioner.find { $0.name == "Lamp" }
/// let session = provisioner.session(with: device, code: try ProvisioningCode("83629174"))
/// try await session.opened()
/// for network in try await session.networks() { print(network.name, network.rssi) }
/// try await session.provision(NetworkCredentials(ssid: Array("Home".utf8), passphrase: Array("secret".utf8)))
/// await session.close()
/// ```
public final class Provisioner: Sendable {
  private let options: ProvisionerOptions
  private let managerOptions: [String: any Sendable]
  private let scheduler: any Scheduler

  /// A provisioner.
  ///
  /// - Parameters:
  ///   - options: The protocols that are accepted, and timeouts.
  ///   - managerOptions: The options of the `CBCentralManager` that each search and session creates.
  public convenience init(
    options: ProvisionerOptions = ProvisionerOptions(), managerOptions: [String: any Sendable] = [:]
  ) {
    self.init(options: options, managerOptions: managerOptions, scheduler: DispatchScheduler())
  }

  package init(
    options: ProvisionerOptions, managerOptions: [String: any Sendable], scheduler: any Scheduler
  ) {
    self.options = options
    self.managerOptions = managerOptions
    self.scheduler = scheduler
  }

  /// The devices in reach, each when it is found and again when what it advertises has changed, for as long as the stream is
  /// read. The stream throws `radioUnavailable`.
  public func devices() -> AsyncThrowingStream<FoundDevice, any Error> {
    let (stream, continuation) = AsyncThrowingStream<FoundDevice, any Error>.makeStream(
      bufferingPolicy: .bufferingNewest(DeviceSearch.maximumDevices))
    let search = DeviceSearch(continuation)
    continuation.onTermination = { _ in search.stop() }
    search.start(managerOptions: managerOptions)
    return stream
  }

  /// The first device that `isWanted` accepts.
  ///
  /// - Throws: `notFound` after the search's time, `radioUnavailable`, `cancelled`.
  public func find(
    _ isWanted: @escaping @Sendable (FoundDevice) -> Bool
  ) async throws(ProvisioningFailure) -> FoundDevice {
    let devices = devices()
    let limit = options.searchTimeout
    let scheduler = scheduler
    let result = await withTaskGroup(of: Result<FoundDevice, ProvisioningFailure>.self) { group in
      group.addTask {
        do {
          for try await device in devices where isWanted(device) { return .success(device) }
          return .failure(.cancelled)
        } catch {
          return .failure(error as? ProvisioningFailure ?? .disconnected)
        }
      }
      group.addTask {
        await scheduler.wait(limit)
        return .failure(Task.isCancelled ? .cancelled : .notFound)
      }
      defer { group.cancelAll() }
      return await group.next() ?? .failure(.notFound)
    }
    return try result.get()
  }

  /// Connects to a device, and opens a session by the strongest protocol that it offers and the options accept.
  ///
  /// - Parameters:
  ///   - device: A device that was found.
  ///   - code: The device's code; nil if it has none.
  public func session(with device: FoundDevice, code: ProvisioningCode?) -> ProvisioningSession {
    let (progress, continuation) = AsyncStream<ProvisioningProgress>.makeStream(
      bufferingPolicy: .bufferingNewest(256))
    let makers = AppMachines(options: options, code: code, peripheral: device.identifier)
    let connection = AppConnection(
      to: device, options: options, isKnownSecure: makers.isKnownSecure, now: scheduler.now
    ) { kind throws(ProvisioningFailure) in try makers.make(kind) }
    let operation = ProvisioningOperation(
      connection, to: device.identifier, known: options.knownDevices, scheduler: scheduler, progress: continuation)
    operation.start(managerOptions: managerOptions)
    return ProvisioningSession(operation, progress: progress)
  }
}

extension Scheduler {
  /// Returns after `duration`, or when the task is canceled.
  func wait(_ duration: Duration) async {
    let promise = Promise<Void>()
    let timer = makeTimer(at: now + duration) { promise.fulfill(()) }
    await withTaskCancellationHandler {
      await promise.value()
    } onCancel: {
      timer.cancel()
      promise.fulfill(())
    }
  }
}
