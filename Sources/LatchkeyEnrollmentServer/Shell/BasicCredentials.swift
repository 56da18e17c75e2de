internal import LatchkeyByteCoding

/// User and password of HTTP Basic (RFC 7617). Both are secret.
package struct BasicCredentials: Sendable {
  package let user: String
  package let password: String

  /// Parses an Authorization field; nil if it is not Basic.
  package init?(_ field: String?) {
    let parts = field?.split(separator: " ", omittingEmptySubsequences: true) ?? []
    guard parts.count == 2, parts[0].lowercased() == "basic", parts[1].utf8.count <= 4096,
      var credentials = try? Base64.decode(String(parts[1]))
    else { return nil }
    defer { credentials.wipe() }
    guard let text = String(validating: credentials, as: UTF8.self), let colon = text.firstIndex(of: ":") else {
      return nil
    }
    user = String(text[..<colon])
    password = String(text[text.index(after: colon)...])
    guard !user.isEmpty, !password.isEmpty else { return nil }
  }
}
