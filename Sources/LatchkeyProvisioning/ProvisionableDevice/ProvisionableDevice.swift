import CoreBluetooth
public import Foundation
package import LatchkeyBluetoothTransports
public import LatchkeyProvisioningProtocol
import Synchronization

/// A device that apps bring into a wireless network, by every protocol that it offers.
///
/// ```swift
/// var options = ProvisionableDeviceOptions(code: try ProvisioningCode("83629174"))
/// options.protocols = [.secure, .espressif]
/// let device = ProvisionableDevice(name: "Lamp", options: options, joiner: NetworkManagerJoiner())
/// try await device.run()
/// ```
///
/// A device that offers the secure protocol lets a weaker one in only after `press()`, for two minutes. Tries with a wrong code
/// are counted over all protocols; after ten, even if others succeeded between them, only `press()` opens the device again.
public final class ProvisionableDevice: Sendable {
  /// Handles a request to an endpoint of the maker's, and returns its answer. An error refuses the request; nothing of it is sent.
  public typealias Endpoint = @Sendable (Data) async throws -> Data

  private static let eventLimit = 256

  /// The events, for one reader; the stream ends with the device.
  public let events: AsyncStream<ProvisionableDeviceEvent>

  private let name: String
  private let options: ProvisionableDeviceOptions
  private let joiner: any NetworkJoiner
  private let managerOptions: [String: any Sendable]
  private let scheduler: any Scheduler
  private let continuation: AsyncStream<ProvisionableDeviceEvent>.Continuation
  private let operation = Mutex<ProvisionableDeviceOperation?>(nil)

  /// A device that does nothing until `run()`.
  ///
  /// - Parameters:
  ///   - name: The name that it advertises, 1 to 29 bytes of UTF-8. Espressif's apps look for names that begin with `PROV_`.
  ///   - options: The protocols, the code, and what guards them.
  ///   - joiner: What scans for networks and joins them.
  ///   - managerOptions: The options of the `CBPeripheralManager` that each run creates.
  public convenience init(
    name: String, options: ProvisionableDeviceOptions, joiner: any NetworkJoiner,
    managerOptions: [String: any Sendable] = [:]
  ) {
    self.init(
      name: name, options: options, joiner: joiner, managerOptions: managerOptions, scheduler: DispatchScheduler())
  }

  package init(
    name: String, options: ProvisionableDeviceOptions, joiner: any NetworkJoiner,
    managerOptions: [String: any Sendable], scheduler: any Scheduler
  ) {
    self.name = name
    self.options = options
    self.joiner = joiner
    self.managerOptions = managerOptions
    self.scheduler = scheduler
    (events, continuation) = AsyncStream<ProvisionableDeviceEvent>.makeStream(
      bufferingPolicy: .bufferingNewest(Self.eventLimit))
  }

  deinit { continuation.finish() }

  /// Somebody has acted at the device: pressed its button, or said `latchkey device press`. Weaker protocols are open for two
  /// minutes then, and tries with a code are counted from zero.
  public func press() { operation.withLock { $0 }?.press() }

  /// Adds the services, advertises, and serves until the task is canceled.
  ///
  /// - Throws: `ProvisionableDeviceError` if the options do not fit each other, the stored state cannot be read, there is no radio
  ///   at the start, or the radio refuses the services.
  public func run() async throws(ProvisionableDeviceError) {
    let core = try options.core(name: name, now: scheduler.now)
    let operation = ProvisionableDeviceOperation(
      name: name, core: core, worker: options.worker(joiner), store: options.store, scheduler: scheduler
    ) { [continuation] event in continuation.yield(event) }
    self.operation.withLock { $0 = operation }
    defer { self.operation.withLock { $0 = nil } }
    operation.start(managerOptions: managerOptions)
    let result = await withTaskCancellationHandler {
      await operation.result.value()
    } onCancel: {
      operation.stop()
    }
    try result.get()
  }
}

/// Why a device does not run.
public enum ProvisionableDeviceError: Error, Hashable, Sendable {
  /// The options do not fit each other; the words say how.
  case options(String)
  /// The stored state cannot be read: the system's words. A device that went on would forget how often a code was tried.
  case stateUnreadable(String)
  /// There is no radio to use: the manager's state, and why the controller was lost where that is known.
  case radioUnavailable(String, cause: String?)
  /// The radio refused this service.
  case serviceRefused(String, String)
  /// The radio refused to advertise.
  case advertisingFailed(String)
}
