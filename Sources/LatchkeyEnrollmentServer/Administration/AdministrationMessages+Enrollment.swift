internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

// What stands on the wire about enrollments, between an administrator and the admin listener. Times are seconds since 1970.

struct EnrollmentTokenAnswer: Encodable {
  let token: String
  let user: String
  let deviceName: String?
  let profile: String
  let created: Int64
  let expires: Int64
  /// `unused`, `used`, `revoked` or `expired`.
  let state: String
  /// The device that used it.
  let device: String?

  init(_ record: EnrollmentTokenRecord, now: Int64) {
    (token, user, deviceName) = (record.id.description, record.user.text, record.deviceName)
    (profile, created, expires) = (record.profile, record.created, record.expires)
    device = record.use?.device.description
    state =
      record.use != nil ? "used" : record.revoked != nil ? "revoked" : record.isUsable(at: now) ? "unused" : "expired"
  }
}

struct NewEnrollmentToken: Decodable {
  let user: String
  let deviceName: String?
  let profile: String?
  let lifetime: Int64
}

struct CreatedEnrollmentToken: Encodable {
  let token: String
  /// A secret.
  let text: String
  let expires: Int64
}

struct NamedEnrollmentToken: Decodable { let token: String }

struct PendingDeviceAnswer: Encodable {
  let device: String
  let name: String
  let user: String
  let profile: String
  /// The digits that the device shows, too.
  let digits: String
  let created: Int64
  let expires: Int64
  /// Who has approved the device, which has no certificate yet; nil while it is undecided.
  let approvedBy: String?
  /// The names that its signing request asks for.
  let requestedNames: [String]

  init(_ record: PendingDeviceRecord, names: [String]) {
    requestedNames = names
    approvedBy = record.decision?.maker.description
    let pending = PendingDevice(record, names: names)
    (device, name, user, digits) = (pending.device, pending.name, pending.user, pending.comparedDigits)
    (profile, created, expires) = (record.profile, record.created, record.expires)
  }
}

struct NamedDevice: Decodable { let device: String }

struct ProfileAnswer: Encodable {
  let name: String
  let certificateLifetime: Int64?
  let alternativeNames: [String]
  let attestation: String?
  let ways: [String]
  let approval: String
  let renewalAfterExpiry: Int64?
  let issuer: String?
  let requestedNames: [String]

  init(_ profile: DeviceProfile) {
    (name, certificateLifetime) = (profile.name, profile.certificateLifetime)
    (alternativeNames, attestation) = (profile.alternativeNames, profile.attestation?.rawValue)
    (renewalAfterExpiry, requestedNames) = (profile.renewalAfterExpiry, profile.requestedNames ?? [])
    (ways, approval, issuer) = (profile.ways.map(\.rawValue).sorted(), profile.approval.rawValue, profile.issuer)
  }
}

struct NewProfile: Decodable {
  let name: String
  let certificateLifetime: Int64?
  let alternativeNames: [String]?
  let attestation: String?
  let ways: [String]?
  let approval: String?
  let renewalAfterExpiry: Int64?
  let issuer: String?
  let requestedNames: [String]?
  let replaces: Bool?

  /// - Throws: ``Problem``: `.invalidValue` for a word that is none of a member's.
  func profile() throws -> DeviceProfile {
    var profile = DeviceProfile(name: name)
    profile.certificateLifetime = certificateLifetime
    profile.alternativeNames = alternativeNames ?? []
    (profile.renewalAfterExpiry, profile.issuer) = (renewalAfterExpiry, issuer)
    profile.requestedNames = requestedNames?.isEmpty == false ? requestedNames : nil
    if let attestation { profile.attestation = try Self.word(attestation, "attestation") }
    if let ways { profile.ways = Set(try ways.map { try Self.word($0, "ways") }) }
    if let approval { profile.approval = try Self.word(approval, "approval") }
    return profile
  }

  private static func word<Word: RawRepresentable & CaseIterable>(_ text: String, _ member: String) throws -> Word
  where Word.RawValue == String {
    guard let word = Word(rawValue: text) else {
      let all = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(.invalidValue, detail: "\(member) is of \(all)")
    }
    return word
  }
}

struct NamedProfile: Decodable { let name: String }

struct PolicyAnswer: Encodable {
  let allowsPasswordEnrollment: Bool
  let certificateLifetime: Int64
  let renewalAfterExpiry: Int64
  let tokenLifetime: Int64
  let challengeLifetime: Int64
  let answerLifetime: Int64
  let pendingLifetime: Int64
  let revocationListLifetime: Int64
  let statusLifetime: Int64
  let passwordCost: Int
  /// Whether registrations need an attested identity key.
  let requiresIdentityAttestation: Bool

  init(_ policy: ServerPolicy) {
    allowsPasswordEnrollment = policy.allowsPasswordEnrollment
    (certificateLifetime, renewalAfterExpiry) = (policy.certificateLifetime, policy.renewalAfterExpiry)
    (tokenLifetime, challengeLifetime) = (policy.tokenLifetime, policy.challengeLifetime)
    (answerLifetime, pendingLifetime) = (policy.answerLifetime, policy.pendingLifetime)
    (revocationListLifetime, statusLifetime) = (policy.revocationListLifetime, policy.statusLifetime)
    (passwordCost, requiresIdentityAttestation) = (policy.passwordCost, policy.identityAttestationPolicy != nil)
  }
}
