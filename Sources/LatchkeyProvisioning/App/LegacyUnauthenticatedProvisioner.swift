import CoreBluetooth
package import LatchkeyBluetoothTransports
import LatchkeyProvisioningProtocol

/// Sends a payload to a device over the documented legacy protocol. **Unauthenticated**: the key is agreed on with anyone who
/// answers, so anybody in range can be in between; nothing in a result proves where it came from.
///
/// ```swift
/// let provisioner = LegacyUnauthenticatedProvisioner()
/// let credentials = try LegacyWiFiCredentials(ssid: "Home", password: "secret")
/// let result = try await provisioner.provision(.name("Lamp"), with: credentials)
/// print(result.unauthenticatedOutcome)
/// ```
public final class LegacyUnauthenticatedProvisioner: Sendable {
  /// The longest payload, in bytes of UTF-8: what one frame carries at most. The plain service takes 512 at most.
  public static let maximumPayloadLength = LegacySession.greatestMessageLength

  private let options: LegacyProvisioningOptions
  private let managerOptions: [String: any Sendable]
  private let scheduler: any Scheduler
  private let generator: @Sendable () -> any RandomNumberGenerator

  /// A provisioner.
  ///
  /// - Parameters:
  ///   - options: What it allows, and how long it waits.
  ///   - managerOptions: The options of the `CBCentralManager` that each attempt makes.
  public convenience init(
    options: LegacyProvisioningOptions = LegacyProvisioningOptions(), managerOptions: [String: any Sendable] = [:]
  ) {
    self.init(options: options, managerOptions: managerOptions, scheduler: DispatchScheduler()) {
      SystemRandomNumberGenerator()
    }
  }

  package init(
    options: LegacyProvisioningOptions, managerOptions: [String: any Sendable], scheduler: any Scheduler,
    generator: @escaping @Sendable () -> any RandomNumberGenerator
  ) {
    self.options = options
    self.managerOptions = managerOptions
    self.scheduler = scheduler
    self.generator = generator
  }

  /// Begins to send `credentials` to `target`; follow `progress`, and wait for `result()`.
  public func attempt(
    _ target: LegacyProvisioningTarget, with credentials: LegacyWiFiCredentials
  ) -> LegacyUnauthenticatedAttempt {
    attempt(target, text: credentials.json)
  }

  /// Begins to send `text`, as it stands, to `target`; follow `progress`, and wait for `result()`.
  ///
  /// Zero characters at its end are lost to the receiver: the protocol's zero fill looks the same.
  public func attempt(_ target: LegacyProvisioningTarget, text: String) -> LegacyUnauthenticatedAttempt {
    let attempt = LegacyUnauthenticatedAttempt()
    guard text.utf8.count <= Self.maximumPayloadLength else {
      attempt.end(.failure(.payloadTooLong(text.utf8.count, maximum: Self.maximumPayloadLength)))
      return attempt
    }
    var random = generator()
    guard let key = try? Secp192k1.PrivateKey(using: &random) else {
      attempt.end(.failure(.noRandomness))
      return attempt
    }
    let machine = LegacyProvisioningMachine(
      target: target, payload: text, options: options, privateKey: key, now: scheduler.now)
    attempt.start(CentralOperation(machine, scheduler: scheduler, managerOptions: managerOptions))
    return attempt
  }

  /// Sends `credentials` to `target` and returns what the device answered. Cancelling the task ends the exchange.
  public func provision(
    _ target: LegacyProvisioningTarget, with credentials: LegacyWiFiCredentials
  ) async throws(LegacyProvisioningError) -> LegacyUnauthenticatedResult {
    try await attempt(target, with: credentials).result()
  }

  /// Sends `text`, as it stands, to `target` and returns what the device answered. Cancelling the task ends the exchange.
  public func provision(
    _ target: LegacyProvisioningTarget, text: String
  ) async throws(LegacyProvisioningError) -> LegacyUnauthenticatedResult {
    try await attempt(target, text: text).result()
  }
}
