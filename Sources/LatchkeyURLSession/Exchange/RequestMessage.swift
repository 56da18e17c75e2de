internal import Foundation
internal import FoundationNetworking
internal import NIOCore
internal import NIOHTTP1

/// The HTTP/1.1 message of a `URLRequest`.
struct RequestMessage: Sendable {
  let head: HTTPRequestHead
  let body: ByteBuffer

  /// Fields that belong to the connection, which requests cannot set (Apple, NSURLRequest, "Reserved HTTP Headers").
  private static let reserved: Set<String> = [
    "connection", "content-length", "expect", "host", "keep-alive", "proxy-authorization", "proxy-connection", "te",
    "trailer",
    "transfer-encoding", "upgrade",
  ]

  /// - Throws: `URLError`: `.badURL` for a method or a path that HTTP cannot spell, `.requestBodyStreamExhausted` for a body that
  ///   is a stream.
  init(_ request: URLRequest, to origin: Origin) throws(URLError) {
    let method = request.httpMethod ?? "GET"
    guard !method.isEmpty, method.utf8.allSatisfy(Self.isTokenByte) else {
      throw origin.error(.badURL, "the method is no word of HTTP")
    }
    guard request.httpBodyStream == nil || request.httpBody != nil else {
      throw origin.error(.requestBodyStreamExhausted, "bodies that are streams are not supported: set httpBody")
    }
    var fields = HTTPHeaders()
    for (name, value) in request.allHTTPHeaderFields ?? [:] where !Self.reserved.contains(name.lowercased()) {
      fields.add(name: name, value: value)
    }
    if !fields.contains(name: "accept") { fields.add(name: "accept", value: "*/*") }
    fields.add(name: "host", value: origin.field)
    fields.add(name: "connection", value: "close")
    body = ByteBuffer(bytes: request.httpBody ?? Data())
    if body.readableBytes > 0 || method == "POST" || method == "PUT" {
      fields.add(name: "content-length", value: "\(body.readableBytes)")
    }
    head = HTTPRequestHead(
      version: .http1_1, method: HTTPMethod(rawValue: method), uri: try Self.target(of: origin), headers: fields)
  }

  /// Path and query, as they are encoded in the URL.
  private static func target(of origin: Origin) throws(URLError) -> String {
    guard let parts = URLComponents(url: origin.url, resolvingAgainstBaseURL: true) else {
      throw origin.error(.badURL, "the URL has no path")
    }
    let path = parts.percentEncodedPath
    let target = (path.isEmpty ? "/" : path) + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
    guard target.utf8.first == UInt8(ascii: "/"), target.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw origin.error(.badURL, "the path of the URL has characters that are not encoded")
    }
    return target
  }

  /// RFC 9110 5.6.2.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
