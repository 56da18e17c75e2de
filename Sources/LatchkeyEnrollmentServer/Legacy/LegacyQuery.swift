internal import Foundation
internal import Hummingbird
internal import LatchkeyByteCoding

/// The query parameters of an old client. A plus is a literal plus: the old client never escapes it, and base64 contains it.
struct LegacyQuery {
  private let parameters: [String: String]

  init(_ request: Request) { self.init(request.head.path ?? "") }

  /// Parses the parameters of a path with its query; repeated names, and values that are not percent-encoded UTF-8, are
  /// ignored.
  init(_ target: String) {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var parameters: [String: String] = [:]
    var twice: Set<String> = []
    for pair in parts.count == 2 ? parts[1].split(separator: "&") : [] {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = String(sides[0]).removingPercentEncoding,
        let value = String(sides.count == 2 ? sides[1] : "").removingPercentEncoding
      else { continue }
      if parameters.updateValue(value, forKey: name) != nil { twice.insert(name) }
    }
    self.parameters = parameters.filter { !twice.contains($0.key) }
  }

  subscript(_ name: String) -> String? { parameters[name] }
}

/// User and password of HTTP Basic (RFC 7617). Both are secret.
struct BasicCredentials: Sendable {
  let user: String
  let password: String

  /// Parses an Authorization field; nil if it is not Basic.
  init?(_ field: String?) {
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
