import Security

extension Keychain {
  /// The attributes that distinguish the internet passwords of one use from those of another.
  public struct Server: Hashable, Sendable {
    /// The host name (`kSecAttrServer`).
    public var name: String
    /// The protocol (`kSecAttrProtocol`).
    public var `protocol`: ProtocolType
    /// The server's authentication method (`kSecAttrAuthenticationType`).
    public var authenticationType: AuthenticationType
    /// The port (`kSecAttrPort`); nil: not part of the item.
    public var port: Int?
    /// The path (`kSecAttrPath`); nil: not part of the item.
    public var path: String?
    /// The realm (`kSecAttrSecurityDomain`); nil: not part of the item.
    public var securityDomain: String?
  }

  /// A protocol of internet passwords, by the values of `kSecAttrProtocol…`.
  public struct ProtocolType: RawRepresentable, Hashable, Sendable {
    /// The value of `kSecAttrProtocol`.
    public let rawValue: String

    /// Creates a protocol from its value.
    public init(rawValue: String) { self.rawValue = rawValue }

    private init(_ value: CFString) { rawValue = value as String }

    /// HTTP.
    public static let http = ProtocolType(kSecAttrProtocolHTTP)
    /// HTTP over TLS.
    public static let https = ProtocolType(kSecAttrProtocolHTTPS)
    /// HTTP proxy.
    public static let httpProxy = ProtocolType(kSecAttrProtocolHTTPProxy)
    /// HTTPS proxy.
    public static let httpsProxy = ProtocolType(kSecAttrProtocolHTTPSProxy)
    /// FTP.
    public static let ftp = ProtocolType(kSecAttrProtocolFTP)
    /// FTP over TLS.
    public static let ftps = ProtocolType(kSecAttrProtocolFTPS)
    /// SSH.
    public static let ssh = ProtocolType(kSecAttrProtocolSSH)
    /// SMTP.
    public static let smtp = ProtocolType(kSecAttrProtocolSMTP)
    /// POP3.
    public static let pop3 = ProtocolType(kSecAttrProtocolPOP3)
    /// POP3 over TLS.
    public static let pop3s = ProtocolType(kSecAttrProtocolPOP3S)
    /// IMAP.
    public static let imap = ProtocolType(kSecAttrProtocolIMAP)
    /// IMAP over TLS.
    public static let imaps = ProtocolType(kSecAttrProtocolIMAPS)
    /// LDAP.
    public static let ldap = ProtocolType(kSecAttrProtocolLDAP)
    /// LDAP over TLS.
    public static let ldaps = ProtocolType(kSecAttrProtocolLDAPS)
    /// SMB.
    public static let smb = ProtocolType(kSecAttrProtocolSMB)
    /// AFP.
    public static let afp = ProtocolType(kSecAttrProtocolAFP)
    /// Telnet.
    public static let telnet = ProtocolType(kSecAttrProtocolTelnet)
    /// SOCKS.
    public static let socks = ProtocolType(kSecAttrProtocolSOCKS)
  }

  /// A server's authentication method, by the values of `kSecAttrAuthenticationType…`.
  public struct AuthenticationType: RawRepresentable, Hashable, Sendable {
    /// The value of `kSecAttrAuthenticationType`.
    public let rawValue: String

    /// Creates a method from its value.
    public init(rawValue: String) { self.rawValue = rawValue }

    private init(_ value: CFString) { rawValue = value as String }

    /// The default method.
    public static let `default` = AuthenticationType(kSecAttrAuthenticationTypeDefault)
    /// HTTP Basic.
    public static let httpBasic = AuthenticationType(kSecAttrAuthenticationTypeHTTPBasic)
    /// HTTP Digest.
    public static let httpDigest = AuthenticationType(kSecAttrAuthenticationTypeHTTPDigest)
    /// An HTML form.
    public static let htmlForm = AuthenticationType(kSecAttrAuthenticationTypeHTMLForm)
    /// NTLM.
    public static let ntlm = AuthenticationType(kSecAttrAuthenticationTypeNTLM)
    /// MSN.
    public static let msn = AuthenticationType(kSecAttrAuthenticationTypeMSN)
    /// DPA.
    public static let dpa = AuthenticationType(kSecAttrAuthenticationTypeDPA)
    /// RPA.
    public static let rpa = AuthenticationType(kSecAttrAuthenticationTypeRPA)
  }
}
