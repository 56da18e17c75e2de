public import LatchkeySealedMessages

/// The old service of `Examples/002-sealed-transfer`, for clients that cannot be changed. Weaknesses that an old client does
/// not depend on are closed, and each can be reopened by a switch.
public struct LegacyEnrollmentService: Sendable {
  /// The keys of the envelope: one pair in every copy of the old client.
  public var keys: LegacyEnvelopeKeys
  /// The number of digits of an account number, which makes the MAC's text unambiguous. Nil: any text, as in the old service.
  public var accountDigits: Int? = 12
  /// The seconds that a transfer's date may lie from now, which bounds how long a message is valid; nil: as
  /// ``LedgerPolicy/dateAhead`` and ``allowsAnyDate`` permit, since users may choose a date.
  public var dateWindow: Int64?
  /// Whether a transfer may have any date, as in the old service; without ``accountDigits`` also a text that is no date.
  public var allowsAnyDate = false
  /// Whether replays are accepted, as in the old service.
  public var allowsReplay = false
  /// Whether requests without a client certificate are served, as in the old service.
  public var allowsMissingCertificate = false
  /// Whether to book transfers that otherwise need the approval key (``LedgerPolicy/approvalFrom``), which the old client
  /// lacks.
  public var allowsUnapproved = false

  /// Creates the legacy service with these keys, with its weaknesses closed as far as old clients permit.
  public init(keys: LegacyEnvelopeKeys) { self.keys = keys }
}
