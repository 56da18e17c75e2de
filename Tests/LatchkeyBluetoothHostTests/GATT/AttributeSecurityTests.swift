import Testing

@testable import LatchkeyBluetoothHost

/// The errors of Core 6.0 Vol 3 Part C 10.3.1 and Part F 4.1, for each permission and each security of a link.
@Suite("Access to an attribute") struct AttributeSecurityTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var permissions: GATTPermissions
    var security: LinkSecurity
    var hasKey = true
    var least: UInt8 = 7
    var read: UInt8?
    var write: UInt8?
    var testDescription: String { "\(permissions.rawValue), \(security), key: \(hasKey), at least \(least)" }
  }

  private static let clear = LinkSecurity()
  private static let encrypted = security(size: 16, isAuthenticated: false)
  private static let authenticated = security(size: 16, isAuthenticated: true)
  private static let open: GATTPermissions = [.readable, .writeable]
  private static let secret: GATTPermissions = [.readEncryptionRequired, .writeEncryptionRequired]
  private static let personal: GATTPermissions = [.readAuthenticationRequired, .writeAuthenticationRequired]

  private static func security(size: UInt8, isAuthenticated: Bool) -> LinkSecurity {
    var security = LinkSecurity()
    security.isEncrypted = true
    security.isAuthenticated = isAuthenticated
    security.keySize = size
    return security
  }

  static let cases: [Case] = [
    // Without a need, everything passes; without permission, nothing does, whatever the link.
    Case(permissions: open, security: clear, hasKey: false),
    Case(permissions: open, security: security(size: 0, isAuthenticated: false), least: 16),
    Case(permissions: [], security: clear, hasKey: false, read: 0x02, write: 0x03),
    Case(permissions: [], security: authenticated, read: 0x02, write: 0x03),
    Case(permissions: .readEncryptionRequired, security: authenticated, write: 0x03),
    Case(permissions: .writeAuthenticationRequired, security: authenticated, read: 0x02),
    // Encryption.
    Case(permissions: secret, security: clear, hasKey: false, read: 0x05, write: 0x05),
    Case(permissions: secret, security: clear, read: 0x0F, write: 0x0F),
    Case(permissions: secret, security: encrypted),
    Case(permissions: secret, security: encrypted, hasKey: false),
    Case(permissions: open.union(secret), security: clear, hasKey: false, read: 0x05, write: 0x05),
    Case(permissions: [.readable, .writeEncryptionRequired], security: clear, hasKey: false, write: 0x05),
    Case(permissions: [.readEncryptionRequired, .writeable], security: clear, read: 0x0F),
    // The size of the key, before authentication.
    Case(permissions: secret, security: security(size: 6, isAuthenticated: true), read: 0x0C, write: 0x0C),
    Case(permissions: secret, security: security(size: 7, isAuthenticated: false)),
    Case(permissions: secret, security: security(size: 15, isAuthenticated: true), least: 16, read: 0x0C, write: 0x0C),
    Case(permissions: secret, security: encrypted, least: 16),
    Case(
      permissions: personal, security: security(size: 7, isAuthenticated: false), least: 16, read: 0x0C, write: 0x0C),
    // Authentication.
    Case(permissions: personal, security: clear, hasKey: false, read: 0x05, write: 0x05),
    Case(permissions: personal, security: clear, read: 0x0F, write: 0x0F),
    Case(permissions: personal, security: encrypted, read: 0x05, write: 0x05),
    Case(permissions: personal.union(open), security: encrypted, read: 0x05, write: 0x05),
    Case(permissions: personal, security: authenticated),
  ]

  @Test("is refused by what the link lacks", arguments: cases) func refusals(_ access: Case) {
    let attribute = GATTAttribute(
      type: 0xFFF1, permissions: access.permissions, content: .dynamic, owner: nil, groupEnd: 1)
    let (security, hasKey, least) = (access.security, access.hasKey, access.least)
    #expect(attribute.readRefusal(for: security, hasKey: hasKey, leastKeySize: least)?.rawValue == access.read)
    #expect(attribute.writeRefusal(for: security, hasKey: hasKey, leastKeySize: least)?.rawValue == access.write)
  }

  @Test("counts the smaller of the key's size and the one that the controller reports") func reportedSize() throws {
    let key = LongTermKey(
      key: try #require(SecurityKey(Array(1...16))), size: 12, isAuthenticated: true, isSecureConnections: true)
    #expect(LinkSecurity(key, reportedSize: nil).keySize == 12)
    #expect(LinkSecurity(key, reportedSize: 7).keySize == 7)
    #expect(LinkSecurity(key, reportedSize: 255).keySize == 12)
    #expect(LinkSecurity(key, reportedSize: 0).keySize == 0)
  }
}
