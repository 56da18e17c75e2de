import CoreBluetooth
package import LatchkeyBluetoothTransports

/// The device's end of the documented legacy protocol: a GATT server with F200, and a handler that is given what is written.
/// **Unauthenticated**: anyone who is in range can write to it.
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
  /// Takes a payload and returns what to answer, in order. A central's payloads are handled one after the other. When the
  /// central is gone, or the device stops, the task is cancelled and what it returns goes nowhere.
  public typealias Handler = @Sendable (LegacyUnauthenticatedRequest) async -> [LegacyUnauthenticatedAnswer]

  /// How many events are kept for a reader that is slow; older ones are lost.
  private static let eventLimit = 256

  /// What happens, as long as the device lives. It is meant for one reader.
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
  ///   - options: What it offers, and how long it keeps what it knows of a central.
  ///   - managerOptions: The options of the `CBPeripheralManager` that each run makes.
  ///   - handler: Is given each payload.
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

  /// Adds the services, advertises, and serves until the task is cancelled: then advertising stops, services and keys go, and
  /// this returns.
  ///
  /// A radio that is lost is waited for: the event `radioLost` says so, and `advertising` when the device is back.
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
