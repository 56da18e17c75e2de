public import Foundation

/// A payload that a central sent to a legacy device. **Unauthenticated**: nothing proves its origin.
///
/// It may carry a network's password, so it prints its length alone.
public struct LegacyUnauthenticatedRequest: Sendable {
  /// The sender: `CBCentral.identifier`.
  public let central: UUID
  /// The service: with `plain` the payload was sent in the clear.
  public let service: LegacyService
  /// The payload, decrypted, without the zero fill.
  public let bytes: [UInt8]

  private let send: @Sendable (LegacyUnauthenticatedAnswer) -> Void

  init(
    central: UUID, service: LegacyService, bytes: [UInt8],
    send: @escaping @Sendable (LegacyUnauthenticatedAnswer) -> Void
  ) {
    self.central = central
    self.service = service
    self.bytes = bytes
    self.send = send
  }

  /// The bytes as text; nil if they are not UTF-8.
  public var text: String? { String(validating: bytes, as: UTF8.self) }

  /// The credentials that the request holds.
  ///
  /// - Throws: as `LegacyWiFiCredentials.init(json:)`.
  public func credentials() throws(LegacyPayloadError) -> LegacyWiFiCredentials {
    guard let text else { throw .notCredentials }
    return try LegacyWiFiCredentials(json: text)
  }

  /// Answers at once, before the handler returns: `code(.accepted)`, say, while the network is being joined.
  public func answer(_ answer: LegacyUnauthenticatedAnswer) {
    send(answer)
  }
}

extension LegacyUnauthenticatedRequest: CustomStringConvertible, CustomReflectable {
  /// The length alone.
  public var description: String { "LegacyUnauthenticatedRequest(\(bytes.count) bytes)" }
  /// Empty: a request never prints its bytes.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
