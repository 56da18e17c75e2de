/// The rules for a kind of devices, defined by the operator: how they enroll, what their certificates hold, and for how long.
public struct DeviceProfile: Codable, Sendable, Hashable {
  /// A way to register a device.
  public enum Way: String, Codable, Sendable, CaseIterable {
    /// A session that a user's password opened.
    case password
    /// A one-time enrollment token.
    case token
  }

  /// The required evidence for the identity key, at registration and at renewals.
  public enum Attestation: String, Codable, Sendable, CaseIterable {
    /// None.
    case none
    /// An attestation of any kind, which proves possession of the key but not where the key lives.
    case software
    /// A TPM's, under an authority that the server trusts.
    case tpm
    /// Apple's, of a key in the Secure Enclave of a device of theirs, under an authority that the server trusts for it. Such devices enroll
    /// by ACME.
    case apple
  }

  /// The approval of a new device.
  public enum Approval: String, Codable, Sendable, CaseIterable {
    /// None: the certificate is issued at once.
    case none
    /// By another device of the same user, or by the operator.
    case device
    /// By the operator only.
    case `operator`
  }

  /// The name of the profile of devices that are registered by a password, and of devices from before profiles.
  public static let defaultName = "default"

  /// The profile's name: 1 to 64 lower-case letters, digits and dashes.
  public var name: String
  /// The lifetime of a certificate in seconds; nil: the server's.
  public var certificateLifetime: Int64?
  /// Additional names in the certificate (RFC 5280 4.2.1.6): `dns:`, `ip:` or `uri:` and a text in which `{device}`, `{name}` and
  /// `{user}` are replaced. With `{name}`, only names that a token prescribed or the operator approved or gave get into
  /// certificates (``NameApproval``).
  public var alternativeNames: [String] = []
  /// The required evidence for the identity key, beside what the server requires of all devices; nil: no more.
  public var attestation: Attestation?
  /// The permitted ways to register.
  public var ways: Set<Way> = Set(Way.allCases)
  /// The approval that a new device needs.
  public var approval = Approval.none
  /// The seconds after its certificate's end within which a device gets another by the proof of its key; 0: none; nil: the
  /// server's.
  public var renewalAfterExpiry: Int64?
  /// The name of the authority that issues the certificates, one of the server's named ones; nil: the server's own.
  public var issuer: String?

  /// The names that a device may ask for in its signing request, beside those (`NamePattern` of LatchkeyCertificateAuthority), at most
  /// 16; `{user}` is replaced. Nil or none: requested names are ignored.
  public var requestedNames: [String]?

  /// Creates a profile with the server's rules.
  public init(name: String) { self.name = name }

  /// The profile `default` of a store that defines none of that name.
  public static let builtIn = DeviceProfile(name: defaultName)

  /// Whether a text is a profile's name.
  public static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
  }
}
