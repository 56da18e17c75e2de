import CoreBluetooth
public import Foundation
package import LatchkeyBluetoothTransports
import LatchkeyProvisioningProtocol

/// Sends a payload to a device over the legacy protocol. **Unauthenticated**: the key is agreed on with any device that
/// answers, so an attacker in range can intercept; nothing in a result proves its origin.
///
/// ```swift
/// let provisioner = LegacyUnauthenticatedProvisioner()
/// let credentials = try LegacyWiFiCredentials(ssid: "Home", password: "secret")
/// let result = try await provisioner.provision(.name("Lamp"), with: credentials)
/// print(result.unauthenticatedOutcome)
/// ```
public final class LegacyUnauthenticatedProvisioner: Sendable {
  /// The longest payload, in bytes of UTF-8: the most that one frame carries. The plain service accepts at most 512.
  public static let maximumPayloadLength = LegacySession.greatestMessageLength

  private let options: LegacyProvisioningOptions
  private let managerOptions: [String: any Sendable]
  private let scheduler: any Scheduler
  private let generator: @Sendable () -> any RandomNumberGenerator

  /// A provisioner.
  ///
  /// - Parameters:
  ///   - options: The services that it may use, and its timeouts.
  ///   - managerOptions: The options of the `CBCentralManager` that each attempt creates.
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

  /// Starts to send `credentials` to `target`; follow `progress`, and wait for `result()`.
  public func attempt(
    _ target: LegacyProvisioningTarget, with credentials: LegacyWiFiCredentials
  ) -> LegacyUnauthenticatedAttempt {
    attempt(target, text: credentials.json)
  }

  /// Starts to send `text`, unchanged, to `target`; follow `progress`, and wait for `result()`.
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

  /// Sends `credentials` to `target` and returns the device's answers. Canceling the task ends the exchange.
  public func provision(
    _ target: LegacyProvisioningTarget, with credentials: LegacyWiFiCredentials
  ) async throws(LegacyProvisioningError) -> LegacyUnauthenticatedResult {
    try await attempt(target, with: credentials).result()
  }

  /// Sends `text`, unchanged, to `target` and returns the device's answers. Canceling the task ends the exchange.
  public func provision(
    _ target: LegacyProvisioningTarget, text: String
  ) async throws(LegacyProvisioningError) -> LegacyUnauthenticatedResult {
    try await attempt(target, text: text).result()
  }
}

/// The device to provision. Neither form proves anything: any device can advertise a name.
public enum LegacyProvisioningTarget: Hashable, Sendable {
  /// The first device found that advertises this name.
  case name(String)
  /// The device with this identifier, as `CBPeripheral.identifier` gave it on this host.
  case identifier(UUID)
}

/// The services that a legacy provisioner may use, and its timeouts.
public struct LegacyProvisioningOptions: Sendable {
  /// Whether a device that lacks F200 is provisioned over F100, **in the clear**: any listener reads the payload, and an attacker
  /// who hides F200 gets it that way. F100 is never used where F200 is present.
  public var allowsPlainService = false
  /// The time for the radio to be switched on and the device to be found; the radio has at least a second.
  public var searchTimeout = Duration.seconds(30)
  /// The time for the connection. Core Bluetooth itself has no limit.
  public var connectTimeout = Duration.seconds(15)
  /// The time from the connection to the device's first answer to the payload.
  public var exchangeTimeout = Duration.seconds(60)
  /// The time, after the device accepted the payload, for its report on the network. Without a report the result is `accepted`.
  public var statusTimeout = Duration.seconds(3)

  /// The defaults: F200 alone, and no step that waits for longer than a minute.
  public init() {}
}
