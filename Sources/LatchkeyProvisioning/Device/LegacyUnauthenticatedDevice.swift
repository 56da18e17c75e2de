import CoreBluetooth
package import LatchkeyBluetoothTransports
import LatchkeyProvisioningProtocol

/// The device's side of the legacy protocol: a GATT server with F200, and a handler that receives the payloads.
/// **Unauthenticated**: any central in range can write to it.
///
/// ```swift
/// let device = LegacyUnauthenticatedDevice(name: "Lamp") { request in
///   guard let credentials = try? request.credentials() else { return [.code(.refused)] }
///   request.answer(.code(.accepted))
///   return [.status(await join(credentials) ? .connected : .failed)]
/// }
/// try await device.run()
/// ```
public final class LegacyUnauthenticatedDevice: Sendable {
  /// Handles a payload and returns the answers, in order. A central's payloads are handled one after the other. When the
  /// central disconnects, or the device stops, the task is canceled and its answers are dropped.
  public typealias Handler = @Sendable (LegacyUnauthenticatedRequest) async -> [LegacyUnauthenticatedAnswer]

  /// The number of events that are buffered for a slow reader; older ones are lost.
  private static let eventLimit = 256

  /// The events, for one reader; the stream ends with the device.
  public let events: AsyncStream<LegacyUnauthenticatedDeviceEvent>

  private let name: String
  private let options: LegacyDeviceOptions
  private let managerOptions: [String: any Sendable]
  private let scheduler: any Scheduler
  private let generator: @Sendable () -> any RandomNumberGenerator
  private let handler: Handler
  private let continuation: AsyncStream<LegacyUnauthenticatedDeviceEvent>.Continuation

  /// A device that does nothing until `run()`.
  ///
  /// - Parameters:
  ///   - name: The name that it advertises; of more than 29 bytes of UTF-8 only the beginning is advertised.
  ///   - options: The services that it offers, and the limits of a session.
  ///   - managerOptions: The options of the `CBPeripheralManager` that each run creates.
  ///   - handler: Handles each payload.
  public convenience init(
    name: String, options: LegacyDeviceOptions = LegacyDeviceOptions(), managerOptions: [String: any Sendable] = [:],
    handler: @escaping Handler
  ) {
    self.init(
      name: name, options: options, managerOptions: managerOptions, scheduler: DispatchScheduler(),
      generator: { SystemRandomNumberGenerator() }, handler: handler)
  }

  package init(
    name: String, options: LegacyDeviceOptions, managerOptions: [String: any Sendable], scheduler: any Scheduler,
    generator: @escaping @Sendable () -> any RandomNumberGenerator, handler: @escaping Handler
  ) {
    self.name = name
    self.options = options
    self.managerOptions = managerOptions
    self.scheduler = scheduler
    self.generator = generator
    self.handler = handler
    (events, continuation) = AsyncStream<LegacyUnauthenticatedDeviceEvent>.makeStream(
      bufferingPolicy: .bufferingNewest(Self.eventLimit))
  }

  deinit { continuation.finish() }

  /// Adds the services, advertises, and serves until the task is cancelled: then advertising stops, services are removed, keys are
  /// erased, and this returns.
  ///
  /// The device waits for a lost radio: it emits `radioLost`, and `advertising` when it can be found again.
  ///
  /// - Throws: `LegacyDeviceError` if there is no radio at the start, and if it refuses the services or to advertise.
  public func run() async throws(LegacyDeviceError) {
    let operation = PeripheralOperation(
      name: name, options: options, scheduler: scheduler, generator: generator(), handler: handler,
      report: { [continuation] in continuation.yield($0) })
    let result = await withTaskCancellationHandler {
      operation.start(managerOptions: managerOptions)
      return await operation.result.value()
    } onCancel: {
      operation.stop()
    }
    try result.get()
  }
}

/// The services that a legacy device offers, and the limits of a session.
public struct LegacyDeviceOptions: Sendable {
  /// Whether F100 is offered beside F200: its payloads are sent **in the clear**.
  public var allowsPlainService = false
  /// The time without an exchange after which a central's keys are erased.
  public var idleLimit = Duration.seconds(120)
  /// The greatest frame that is accepted, in bytes, its header included.
  public var maximumFrameLength = LegacyFrameParser.defaultMaximumFrameLength

  /// The defaults: F200 alone.
  public init() {}
}

/// Why a legacy device had to stop.
public enum LegacyDeviceError: Error, Equatable, Sendable {
  /// There was no radio at the start, or one without Low Energy: the name of the manager's state, and why the controller was
  /// lost, such as "cannot connect to /tmp/radio: No such file or directory"; nil where no cause is known.
  case radioUnavailable(String, cause: String?)
  /// A service could not be added: the system's message.
  case serviceRefused(LegacyService, String)
  /// Advertising could not start: the system's message.
  case advertisingFailed(String)
}
