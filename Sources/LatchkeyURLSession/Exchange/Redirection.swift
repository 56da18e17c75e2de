internal import Foundation
internal import FoundationNetworking

/// The rule of redirections (RFC 9110 15.4; Fetch 4.4 for methods and bodies).
enum Redirection {
  /// How many are followed.
  static let most = 20

  /// Fields that are for the origin of the request alone.
  private static let secret = ["Authorization", "Cookie", "Proxy-Authorization"]
  /// Fields that describe a body.
  private static let ofBodies = [
    "Content-Encoding", "Content-Language", "Content-Length", "Content-Location", "Content-Type",
  ]

  /// The request that follows this response; nil if it is no redirection, or names no place.
  ///
  /// Whether the new URL may be used is not asked here: the next step refuses what is not https.
  static func request(after response: HTTPURLResponse, to request: URLRequest) -> URLRequest? {
    guard [301, 302, 303, 307, 308].contains(response.statusCode), let url = request.url,
      let place = response.value(forHTTPHeaderField: "Location"),
      let target = URL(string: place, relativeTo: url)?.absoluteURL
    else { return nil }
    var next = request
    next.url = target
    let method = request.httpMethod ?? "GET"
    let becomesGet: Bool
    switch response.statusCode {
    case 303: becomesGet = method != "GET" && method != "HEAD"
    case 301, 302: becomesGet = method == "POST"
    default: becomesGet = false
    }
    if becomesGet {
      next.httpMethod = "GET"
      next.httpBody = nil
      for field in ofBodies { next.setValue(nil, forHTTPHeaderField: field) }
    }
    if !isSameOrigin(url, target) {
      for field in secret { next.setValue(nil, forHTTPHeaderField: field) }
    }
    return next
  }

  private static func isSameOrigin(_ a: URL, _ b: URL) -> Bool {
    guard let a = try? Origin(a), let b = try? Origin(b) else { return false }
    return a == b
  }
}
