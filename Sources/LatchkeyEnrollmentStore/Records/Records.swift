public import LatchkeyEnrollmentProtocol

// What the store knows. Times are seconds since 1970.

/// A user who may log in.
public struct UserRecord: Sendable, Hashable {
  /// The user's name; unique, 1 to 128 characters.
  public var name: UserName
  /// What the password is checked with: scrypt in PHC form. Nil: no login by password.
  public var passwordHash: String?
  /// Wrong passwords in a row.
  public var failures: Int
  /// Until when no password counts.
  public var lockedUntil: Int64?

  /// A user.
  public init(name: UserName, passwordHash: String?, failures: Int = 0, lockedUntil: Int64? = nil) {
    self.name = name
    self.passwordHash = passwordHash
    self.failures = failures
    self.lockedUntil = lockedUntil
  }
}

/// A device of a user.
public struct DeviceRecord: Sendable, Hashable {
  /// Its name in certificates and signatures.
  public var id: Identifier
  /// The user's name.
  public var user: UserName
  /// What people call it.
  public var name: String
  /// When it was registered.
  public var created: Int64
  /// When it was revoked: nothing of it counts any more.
  public var revoked: Int64?
  /// X9.63 of the key of its certificate.
  public var identityKey: [UInt8]
  /// X9.63 of the key that approves.
  public var approvalKey: [UInt8]?
  /// What vouches for it: `tpm`, `tpm-unguarded`, `tpm-unverified`, `latchkey-software`.
  public var approvalEvidence: String?
  /// When the approval key was registered; nil for one from before that was recorded.
  public var approvalSince: Int64?
  /// What vouched for the key of its certificate: `tpm`, `tpm-unverified`, `latchkey-software`, `server-made`, `none`; nil for one
  /// from before that was recorded.
  public var identityEvidence: String?

  /// A device.
  public init(
    id: Identifier, user: UserName, name: String, created: Int64, revoked: Int64? = nil, identityKey: [UInt8],
    approvalKey: [UInt8]? = nil, approvalEvidence: String? = nil, approvalSince: Int64? = nil,
    identityEvidence: String? = nil
  ) {
    self.id = id
    self.user = user
    self.name = name
    self.created = created
    self.revoked = revoked
    self.identityKey = identityKey
    self.approvalKey = approvalKey
    self.approvalEvidence = approvalEvidence
    self.approvalSince = approvalSince
    self.identityEvidence = identityEvidence
  }
}

/// A certificate that was issued.
public struct CertificateRecord: Sendable, Hashable {
  /// SHA-256 of the DER.
  public var fingerprint: Fingerprint
  /// The serial number, big endian, as it stands in the certificate.
  public var serial: [UInt8]
  /// Whose it is.
  public var device: Identifier
  /// Its end.
  public var notAfter: Int64
  /// When it was revoked.
  public var revoked: Int64?
  /// CRLReason (RFC 5280 5.3.1).
  public var reason: Int?

  /// A certificate.
  public init(
    fingerprint: Fingerprint, serial: [UInt8], device: Identifier, notAfter: Int64, revoked: Int64? = nil,
    reason: Int? = nil
  ) {
    self.fingerprint = fingerprint
    self.serial = serial
    self.device = device
    self.notAfter = notAfter
    self.revoked = revoked
    self.reason = reason
  }
}

/// A session's token; the token itself is not stored.
public struct TokenRecord: Sendable, Hashable {
  /// SHA-256 of the token.
  public var hash: [UInt8]
  /// The user's name.
  public var user: UserName
  /// The device that the token counts for, over its certificate alone; nil after a login by password without one.
  public var device: Identifier?
  /// Its end.
  public var expires: Int64
  /// Whether a device was registered with it: once each.
  public var hasRegistered: Bool

  /// A token.
  public init(hash: [UInt8], user: UserName, device: Identifier?, expires: Int64, hasRegistered: Bool = false) {
    self.hash = hash
    self.user = user
    self.device = device
    self.expires = expires
    self.hasRegistered = hasRegistered
  }
}

/// A challenge that was given out.
public struct ChallengeRecord: Sendable, Hashable {
  /// Its name.
  public var id: Identifier
  /// 32 random bytes.
  public var value: [UInt8]
  /// The device it is for.
  public var device: Identifier
  /// What it is for.
  public var purpose: ChallengePurpose
  /// SHA-256 of what is approved.
  public var content: ApprovedDigest?
  /// Its end.
  public var expires: Int64

  /// A challenge.
  public init(
    id: Identifier, value: [UInt8], device: Identifier, purpose: ChallengePurpose, content: ApprovedDigest?,
    expires: Int64
  ) {
    self.id = id
    self.value = value
    self.device = device
    self.purpose = purpose
    self.content = content
    self.expires = expires
  }
}

/// An account of the ledger.
public struct AccountRecord: Sendable, Hashable {
  /// 12 digits.
  public var number: String
  /// Whose it is; empty for the house's own.
  public var user: UserName
  /// What people call it.
  public var name: String
  /// ISO 4217.
  public var currency: String
  /// Minor units. Always the sum of the account's entries.
  public var balance: Int64
  /// How far below zero the balance may go; minor units, zero or above. The house's own account has all there is.
  public var overdraft: Int64

  /// An account.
  public init(number: String, user: UserName, name: String, currency: String, balance: Int64, overdraft: Int64 = 0) {
    self.number = number
    self.user = user
    self.name = name
    self.currency = currency
    self.balance = balance
    self.overdraft = overdraft
  }
}

/// A transfer to book: two entries whose sum is zero.
public struct Booking: Sendable, Hashable {
  /// Its name.
  public var id: Identifier
  /// The account that gives.
  public var from: String
  /// The account that gets.
  public var to: String
  /// Minor units, above zero.
  public var amount: Int64
  /// ISO 4217.
  public var currency: String
  /// A remark.
  public var notes: String
  /// When.
  public var booked: Int64
  /// The date that the transfer asked for: recorded beside the booking, which happens when it happens. Nil for none.
  public var valueDate: Int64?
  /// The device that asked; nil for the operator.
  public var device: Identifier?

  /// A booking.
  public init(
    id: Identifier, from: String, to: String, amount: Int64, currency: String, notes: String, booked: Int64,
    valueDate: Int64? = nil, device: Identifier?
  ) {
    self.id = id
    self.from = from
    self.to = to
    self.amount = amount
    self.currency = currency
    self.notes = notes
    self.booked = booked
    self.valueDate = valueDate
    self.device = device
  }
}

/// A transfer as the ledger has it.
public struct BookedTransfer: Sendable, Hashable {
  /// One side.
  public struct Entry: Sendable, Hashable {
    /// The account.
    public var account: String
    /// ISO 4217.
    public var currency: String
    /// Minor units: below zero where the account gives.
    public var amount: Int64
  }

  /// Its name.
  public var id: Identifier
  /// The device that asked; nil for the operator.
  public var device: Identifier?
  /// The date that it asked for; nil for none.
  public var valueDate: Int64?
  /// Its entries, the giving one first: two that add up to zero, unless another program wrote them.
  public var entries: [Entry]
}

/// How a booking ended.
public enum BookingResult: Sendable, Hashable {
  /// Booked; what the giving account has now.
  case booked(balance: Int64)
  /// The giving account has not so much.
  case insufficientFunds
  /// One of the accounts is not there, or has another currency, or both are one.
  case noSuchAccounts
}

/// Within which an Idempotency-Key means one request.
public enum AnswerScope {
  static let transferPrefix = "transfer-"

  /// A user's transfers, over whichever of the user's devices they come: a transfer whose answer was lost is the same one after
  /// the device enrolled again.
  public static func transfers(of user: UserName) -> String { transferPrefix + user.text }

  /// A user's registrations.
  public static func registrations(of user: UserName) -> String { "registration-" + user.text }
}

/// What an account has given within some hours, minor units.
public struct Spending: Sendable, Hashable {
  /// With the approval key's word.
  public var approved: Int64
  /// Without.
  public var unapproved: Int64

  /// These amounts.
  public init(approved: Int64, unapproved: Int64) {
    self.approved = approved
    self.unapproved = unapproved
  }
}

/// What was answered to a request with an Idempotency-Key.
public struct StoredAnswer: Sendable, Hashable {
  /// What makes the request the same request.
  public var digest: RequestDigest
  /// The HTTP status.
  public var status: Int
  /// The body.
  public var body: [UInt8]
  /// When it may be deleted.
  public var expires: Int64

  /// An answer.
  public init(digest: RequestDigest, status: Int, body: [UInt8], expires: Int64) {
    self.digest = digest
    self.status = status
    self.body = body
    self.expires = expires
  }
}
