internal import Foundation
internal import Hummingbird
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// A verified request of ACME: who signed it, and what.
struct ACMERequest: Sendable {
  static let mediaType = "application/jose+json"

  /// The account's key.
  let account: ACMEAccountKey
  /// Whether the request has the key itself, and not the account's URL.
  let hasKey: Bool
  /// The content; empty for POST-as-GET.
  let content: [UInt8]
  /// The start of this server's URLs, by the name of its that the client calls.
  let base: String
  private let nonce: (nonce: Nonce, expires: Int64)

  /// Reads and verifies a request (RFC 8555 6.2 to 6.5).
  ///
  /// - Throws: ``ACMEProblem``; `Problem`.
  init(_ request: Request, _ services: Services) async throws {
    let type = request.headers[.contentType]?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    guard type == Self.mediaType else {
      throw ACMEProblem(.malformed, status: 415, detail: "send \(Self.mediaType)")
    }
    let signed: JSONWebSignature
    do throws(JSONWebSignatureError) {
      signed = try JSONWebSignature(try await Self.body(request, services))
    } catch {
      throw ACMEProblem(error)
    }
    base = try services.acmeHosts.base(of: request)
    // Compared byte by byte: String compares by characters, some of which have several forms.
    guard signed.url.utf8.elementsEqual((base + Self.target(of: request)).utf8) else {
      throw ACMEProblem(.unauthorized, status: 403, detail: "url is another one than the request's")
    }
    nonce = try await services.acmeNonces.verified(signed.nonce, services)
    switch signed.signer {
    case .key(let key): (account, hasKey) = (key, true)
    case .account(let url):
      let start = base + Routes.acmeAccount("")
      guard url.hasPrefix(start), let key = ACMEAccountKey(accountID: String(url.dropFirst(start.count))) else {
        throw ACMEProblem(.accountDoesNotExist, detail: "kid is no account's URL of this server")
      }
      (account, hasKey) = (key, false)
    }
    guard signed.isSigned(by: account) else {
      throw ACMEProblem(.unauthorized, status: 403, detail: "the signature does not verify")
    }
    content = signed.payload
  }

  private static func body(_ request: Request, _ services: Services) async throws(JSONWebSignatureError) -> [UInt8] {
    do { return try await request.bytes(within: services.limits) } catch {
      throw .malformed("the body is too large")
    }
  }

  /// Path and query as they were sent: `?` without a query counts.
  private static func target(of request: Request) -> String {
    let text = request.uri.string
    // The absolute form of HTTP/1.1 (RFC 9112 3.2.2), whose host is the request's.
    guard !text.hasPrefix("/"), let scheme = text.firstRange(of: "://") else { return text }
    return String(text[scheme.upperBound...].drop { !"/?".contains($0) })
  }

  /// Requires the account's URL as `kid`; only a new account and a revocation may send the key.
  func requireAccount() throws(ACMEProblem) {
    if hasKey { throw ACMEProblem(.malformed, detail: "send the account's URL as kid; the key alone makes an account") }
  }

  /// Requires POST-as-GET.
  func requireNoContent() throws(ACMEProblem) {
    guard content.isEmpty else { throw ACMEProblem(.malformed, detail: "this is read by POST-as-GET: send no payload") }
  }

  /// Requires POST-as-GET by an account.
  func requireRead() throws(ACMEProblem) {
    try requireAccount()
    try requireNoContent()
  }

  /// The content as a JSON object.
  var payload: ACMEPayload {
    get throws(ACMEProblem) {
      do throws(JSONWebSignatureError) { return try ACMEPayload(content) } catch { throw ACMEProblem(error) }
    }
  }

  /// Uses up the request's nonce.
  ///
  /// - Throws: ``ACMEProblem/badNonce`` if it was used.
  func claimNonce(in store: any StoreTransaction) throws {
    // The table is of devices; two accounts that share these 16 bytes share nothing but the places of random nonces.
    guard let owner = Identifier(bytes: account.thumbprint.prefix(16)),
      try store.claimNonce(nonce.nonce, device: owner, expires: nonce.expires)
    else { throw ACMEProblem.badNonce }
  }
}
