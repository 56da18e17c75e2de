internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

// What stands on the wire between an administrator and the admin listener. Times are seconds since 1970.

/// A page of a list.
struct AdministrationPage<Item: Encodable>: Encodable {
  let items: [Item]
  /// The cursor of the next page; missing after the last.
  let next: String?

  init<Record>(_ page: RecordPage<Record>, _ item: (Record) -> Item) {
    (items, next) = (page.records.map(item), page.next)
  }
}

struct AdministratorAnswer: Encodable {
  let name: String
  let role: String
  let created: Int64
  /// `token` or `certificate`.
  let proof: String

  init(_ record: AdministratorRecord) {
    (name, role, created) = (record.name, record.role.rawValue, record.created)
    proof = record.tokenHash == nil ? "certificate" : "token"
  }
}

struct AdministratorList: Encodable { let items: [AdministratorAnswer] }

struct NewAdministrator: Decodable {
  let name: String
  let role: String
}

struct NewAdministratorAnswer: Encodable {
  let name: String
  let role: String
  let token: String
}

struct NamedAdministrator: Decodable { let name: String }

struct UserAnswer: Encodable {
  let user: String
  let state: String
  let failures: Int
  let lockedUntil: Int64?
  let disabled: Int64?
  let hasPassword: Bool

  init(_ record: UserRecord, now: Int64) {
    (user, failures, disabled) = (record.name.text, record.failures, record.disabled)
    let lock = record.lockedUntil.flatMap { $0 > now ? $0 : nil }
    lockedUntil = lock
    state = UserFilter.State(of: record, now: now).rawValue
    hasPassword = record.passwordHash != nil
  }
}

struct NewUser: Decodable {
  let user: String
  let password: String
}

struct NewPassword: Decodable {
  let user: String
  let password: String
  let endSessions: Bool?
}

struct NamedUser: Decodable { let user: String }

struct DeviceAnswer: Encodable {
  let device: String
  let user: String
  let name: String
  let created: Int64
  let revoked: Int64?
  let identityKeyEvidence: String?
  let hasApprovalKey: Bool
  let approvalKeyEvidence: String?
  let isUserDisabled: Bool

  init(_ record: DeviceRecord) {
    (device, user, name) = (record.id.description, record.user.text, record.name)
    (created, revoked) = (record.created, record.revoked)
    (identityKeyEvidence, approvalKeyEvidence) = (record.identityEvidence, record.approvalEvidence)
    (hasApprovalKey, isUserDisabled) = (record.approvalKey != nil, record.isUserDisabled)
  }
}

struct DeviceRevocation: Decodable {
  let device: String
  let reason: String?
}

struct NewDeviceName: Decodable {
  let device: String
  let name: String
}

struct CertificateAnswer: Encodable {
  let serial: String
  let fingerprint: String
  let device: String
  let notAfter: Int64
  let revoked: Int64?
  let reason: Int?

  init(_ record: CertificateRecord) {
    serial = Hexadecimal.encode(record.serial)
    fingerprint = Hexadecimal.encode(record.fingerprint.bytes)
    (device, notAfter, revoked, reason) = (record.device.description, record.notAfter, record.revoked, record.reason)
  }
}

struct CertificateSerial: Decodable {
  let serial: String
  let reason: String?
}

struct SessionAnswer: Encodable {
  let session: String
  let user: String
  let device: String?
  let expires: Int64

  init(_ record: TokenRecord) {
    session = Hexadecimal.encode(record.hash)
    (user, device, expires) = (record.user.text, record.device?.description, record.expires)
  }
}

struct NamedSession: Decodable { let session: String }

struct EndedSessions: Encodable { let sessions: Int }

struct AuditEntryAnswer: Encodable {
  let node: String
  let sequence: Int64
  let time: Int64
  let event: String
  let fields: [String: String]
  let hash: String

  init(_ record: ChainedEntry) {
    (node, sequence, hash) = (record.node, record.sequence, Hexadecimal.encode(record.hash))
    (time, event, fields) = (record.entry.time, record.entry.event, record.entry.fields)
  }
}
