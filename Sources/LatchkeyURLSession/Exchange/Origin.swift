internal import Foundation

/// Where a request goes: host and port of an https URL.
struct Origin: Hashable, Sendable {
  /// A name or an address, without brackets, in lower case.
  let host: String
  let port: Int
  let url: URL

  /// - Throws: `URLError`: `.appTransportSecurityRequiresSecureConnection` for http, `.unsupportedURL`, `.badURL`.
  init(_ url: URL?) throws(URLError) {
    guard let url = url?.absoluteURL, let scheme = url.scheme?.lowercased() else {
      throw URLError(.badURL, url: url, "the request has no absolute URL")
    }
    guard scheme == "https" else {
      let code: URLError.Code = scheme == "http" ? .appTransportSecurityRequiresSecureConnection : .unsupportedURL
      throw URLError(code, url: url, "only https is supported")
    }
    var host = url.host?.lowercased() ?? ""
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    let port = url.port ?? 443
    guard !host.isEmpty, host.utf8.count <= 255, (1...65_535).contains(port) else {
      throw URLError(.badURL, url: url, "the URL has no host, or no valid port")
    }
    self.host = host
    self.port = port
    self.url = url
  }

  static func == (a: Origin, b: Origin) -> Bool { a.host == b.host && a.port == b.port }

  func hash(into hasher: inout Hasher) {
    hasher.combine(host)
    hasher.combine(port)
  }

  /// The value of the field Host.
  var field: String {
    let host = host.contains(":") ? "[\(host)]" : host
    return port == 443 ? host : "\(host):\(port)"
  }

  /// An error that names the URL.
  func error(_ code: URLError.Code, _ text: String, _ underlying: (any Error)? = nil) -> URLError {
    URLError(code, url: url, text, underlying)
  }
}

extension URLError {
  init(_ code: Code, url: URL?, _ text: String, _ underlying: (any Error)? = nil) {
    var details: [String: Any] = [NSLocalizedDescriptionKey: text]
    if let url {
      details[NSURLErrorFailingURLErrorKey] = url
    }
    if let underlying { details[NSUnderlyingErrorKey] = underlying }
    self.init(code, userInfo: details)
  }
}
