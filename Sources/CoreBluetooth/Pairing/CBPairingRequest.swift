public import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

/// A question about a pairing, for the user.
///
/// The first answer counts; one that does not fit the question, or comes after the end of the pairing, has no effect.
public final class CBPairingRequest: Sendable {
  /// What the user is asked.
  public enum Question: Equatable, Sendable {
    /// Whether to pair, unprotected: answered by `accept()` or `reject()`.
    case confirm
    /// Whether both devices show these six digits: answered by `accept()` or `reject()`.
    case compare(digits: String)
    /// To enter these six digits in the other device; `reject()` cancels.
    case show(digits: String)
    /// For the six digits that the other device shows: answered by `enter(_:)` or `reject()`.
    case enter
    /// For data that the other device gave by another way than Bluetooth: answered by `provide(outOfBandData:)` or
    /// `reject()`.
    case outOfBandData(secureConnections: Bool)
  }

  /// The identifier of the device.
  public let peerIdentifier: UUID
  /// What the user is asked.
  public let question: Question

  private let driver: HostDriver
  private let client: ClientID
  private let link: LinkID

  init(_ prompt: PairingPrompt, peerIdentifier: UUID, driver: HostDriver, client: ClientID, link: LinkID) {
    self.peerIdentifier = peerIdentifier
    self.driver = driver
    self.client = client
    self.link = link
    question =
      switch prompt.question {
      case .confirm: .confirm
      case .compare(let passkey): .compare(digits: passkey.digits)
      case .show(let passkey): .show(digits: passkey.digits)
      case .enter: .enter
      case .outOfBandData(let secureConnections): .outOfBandData(secureConnections: secureConnections)
      }
  }

  /// Yes: to pair, or the digits are the same.
  public func accept() { answer(.accept) }

  /// No, or the user cancels: the pairing fails.
  public func reject() { answer(.reject) }

  /// The digits that the user entered.
  ///
  /// - Returns: Whether they are six decimal digits; if not, nothing was answered.
  @discardableResult
  public func enter(_ digits: String) -> Bool {
    guard digits.utf8.count == 6, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let value = UInt32(digits),
      let passkey = PairingPasskey(value)
    else { return false }
    answer(.passkey(passkey))
    return true
  }

  /// The data that the other device gave, as it is sent: for Secure Connections the confirm value and the random value,
  /// 16 bytes each; else the temporary key, 16 bytes (Core Specification Supplement Part A 1.6).
  ///
  /// - Returns: Whether the length fits the question; if not, nothing was answered.
  @discardableResult
  public func provide(outOfBandData data: Data) -> Bool {
    guard case .outOfBandData(let secureConnections) = question else { return false }
    let bytes = [UInt8](data)
    guard bytes.count == (secureConnections ? 32 : 16), let key = SecurityKey(Array(bytes.suffix(16))) else {
      return false
    }
    answer(
      .outOfBand(
        secureConnections
          ? .secureConnections(random: key, confirm: Array(bytes.prefix(16))) : .legacy(temporaryKey: key)))
    return true
  }

  private func answer(_ answer: PairingAnswer) {
    driver.withHost { host, now in host.answerPairing(answer, on: link, client: client, now: now) }
  }
}

extension CBPairingRequest: CustomReflectable {
  /// No digits: they are for the user's eyes.
  public var customMirror: Mirror { Mirror(self, children: ["peerIdentifier": peerIdentifier]) }
}
