internal import Foundation
public import LatchkeyEnrollmentProtocol
public import Security

/// A request to any service that accepts this device: over its client certificate, and signed with its identity key.
///
/// The signature is that of the enrollment protocol, RFC 9421 with `ecdsa-p256-sha256`: it covers method, target URI, content (by
/// `Content-Digest`, RFC 9530), its type and the idempotency key. A service verifies it with the public key in the certificate; `keyid` is
/// the device's identifier.
public struct ServiceRequest: Sendable {
  /// The content of a request.
  public enum Content: Sendable, Hashable {
    /// None.
    case none
    /// These bytes.
    case bytes([UInt8])
    /// The content of a file, of any size, which is read as it is sent. A signed request reads it twice. What is no regular file, such as a
    /// pipe, is copied to an unnamed file in the folder of temporary files first.
    case file(path: String)
  }

  /// The method, in upper case as a rule.
  public var method: String
  /// The URL: `https`, a host, optionally a port, a path and a query. A fragment is not sent.
  public var url: String
  /// Further fields. With content, `Content-Type` is `application/octet-stream` unless it is among them.
  public var fields: [(name: String, value: String)]
  /// The content.
  public var content: Content
  /// Whether the identity key signs the request.
  public var isSigned = true
  /// Whether the client certificate is presented.
  public var showsCertificate = true
  /// Whether a response that is not signed by the enrollment server's key is refused. Without it, a response that claims to be signed by
  /// that key is verified, and others are not.
  public var requiresSignedResponse = false
  /// The value of `Idempotency-Key`; nil for none.
  public var idempotencyKey: String?
  /// The approval key's signature, of ``EnrollmentClient/approval(of:challenge:for:reason:)``: the field `Latchkey-Approval`. Nil for none.
  public var approval: Approval?
  /// The trusted roots for the service's certificate. Nil: those of the enrollment for its server, and the system's for any other.
  public var trustRoots: [SecCertificate]?
  /// The limit from the connection to the end of the response. Nil: none, but a minute without a byte ends a response.
  public var timeout: Duration?
  /// Called with the request line and the fields before they are sent: for a protocol of what is sent. They may contain secrets.
  public var onSend: (@Sendable (_ target: String, _ fields: [(name: String, value: String)]) -> Void)?

  /// Creates a request; all other properties have defaults.
  public init(
    method: String = "GET", url: String, fields: [(name: String, value: String)] = [], content: Content = .none
  ) {
    self.method = method
    self.url = url
    self.fields = fields
    self.content = content
  }
}

/// The target of a request, in the form that is sent and signed.
struct RequestTarget: Hashable, Sendable {
  let server: ServerAddress
  /// Path and query.
  let path: String

  /// - Throws: `.misuse`.
  init(_ text: String) throws(EnrollmentError) {
    let wrong = EnrollmentError.misuse(
      "a service's URL is https://HOST/PATH, with a port or a query if need be, and without a user")
    guard text.utf8.count <= 16_384, let parts = URLComponents(string: text), parts.scheme?.lowercased() == "https",
      let host = parts.percentEncodedHost, !host.isEmpty, parts.user == nil, parts.password == nil
    else { throw wrong }
    guard let server = try? ServerAddress("https://\(host)\(parts.port.map { ":\($0)" } ?? "")") else { throw wrong }
    self.server = server
    let path = parts.percentEncodedPath
    self.path = (path.isEmpty ? "/" : path) + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
    guard self.path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw wrong }
  }

  /// The URL: RFC 9421's target URI.
  var uri: String { "\(server)\(path)" }
}

extension ServiceRequest {
  /// The most bytes of all fields.
  private static let largestFields = 256 * 1024
  /// Fields that the client sets itself.
  private static let reserved: Set<String> = [
    "host", "content-length", "transfer-encoding", "connection", "content-digest", "signature", "signature-input",
    "accept-signature",
  ]

  /// The fields to send, but for those of the signature.
  ///
  /// - Throws: `.misuse` for fields that are none, or that the client sets itself.
  func checkedFields() throws(EnrollmentError) -> [(name: String, value: String)] {
    guard !method.isEmpty, method.utf8.count <= 32, method.utf8.allSatisfy(Self.isToken) else {
      throw .misuse("a method is a word: GET, POST")
    }
    var checked: [(name: String, value: String)] = []
    var names: Set<String> = []
    for field in fields {
      let name = field.name.lowercased()
      guard !name.isEmpty, name.utf8.allSatisfy(Self.isToken),
        field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
      else { throw .misuse("a field is NAME: VALUE in one line, and this name or value is none") }
      guard !Self.reserved.contains(name) else {
        throw .misuse("the field \(field.name) is set by the client itself: leave it out")
      }
      guard names.insert(name).inserted || !["content-type", "idempotency-key", "latchkey-approval"].contains(name)
      else { throw .misuse("the field \(field.name) is given twice, and a signature covers one") }
      checked.append(field)
    }
    if let idempotencyKey {
      guard names.insert("idempotency-key").inserted, (1...255).contains(idempotencyKey.utf8.count),
        idempotencyKey.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
      else { throw .misuse("an idempotency key is given once, and has 1 to 255 printable characters without spaces") }
      checked.append(("idempotency-key", idempotencyKey))
    }
    if let approval {
      guard names.insert("latchkey-approval").inserted else {
        throw .misuse("the field \(HeaderNames.approval) is given twice, and a signature covers one")
      }
      checked.append((HeaderNames.approval, Base64URL.encode(try JSON.encode(approval))))
    }
    if !names.contains("accept") { checked.append(("accept", "*/*")) }
    if content != .none, !names.contains("content-type") {
      checked.append(("content-type", "application/octet-stream"))
    }
    guard checked.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count }) <= Self.largestFields else {
      throw .misuse("the fields have more than \(Self.largestFields) bytes")
    }
    return checked
  }

  /// Whether a byte may stand in a token (RFC 9110 5.6.2).
  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
