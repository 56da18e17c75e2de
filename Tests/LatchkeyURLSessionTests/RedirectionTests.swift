import Foundation
import FoundationNetworking
import Testing

@testable import LatchkeyURLSession

/// The rule of redirections, without a server.
@Suite struct RedirectionTests {
  @Test(
    "Methods change as browsers change them",
    arguments: [
      (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"),
      (301, "PUT", "PUT"), (302, "DELETE", "DELETE"), (307, "POST", "POST"), (308, "POST", "POST"), (302, "GET", "GET"),
    ])
  func methods(_ status: Int, _ method: String, _ expected: String) throws {
    var request = URLRequest(url: try url("https://a.example/x"))
    request.httpMethod = method
    request.httpBody = Data([1])
    request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
    let next = try #require(Redirection.request(after: response(status, "https://a.example/y"), to: request))
    #expect(next.httpMethod == expected)
    #expect((next.httpBody == nil) == (expected != method))
    #expect((next.value(forHTTPHeaderField: "Content-Type") == nil) == (expected != method))
  }

  @Test("A place may be relative") func relative() throws {
    let request = URLRequest(url: try url("https://a.example/x/y?q"))
    #expect(
      Redirection.request(after: try response(302, "z"), to: request)?.url?.absoluteString == "https://a.example/x/z")
    #expect(
      Redirection.request(after: try response(302, "//b.example/z"), to: request)?.url?.absoluteString
        == "https://b.example/z")
  }

  @Test("Other statuses, and a missing place, redirect nowhere", arguments: [200, 300, 304, 305, 306, 401, 500])
  func noRedirection(_ status: Int) throws {
    let request = URLRequest(url: try url("https://a.example/"))
    #expect(Redirection.request(after: try response(status, "/y"), to: request) == nil)
    #expect(Redirection.request(after: try response(302, nil), to: request) == nil)
  }

  @Test("Secrets stay with the origin: host, port and https")
  func secrets() throws {
    var request = URLRequest(url: try url("https://a.example/"))
    for field in ["Authorization", "cookie", "Proxy-Authorization", "X-Other"] {
      request.setValue("1", forHTTPHeaderField: field)
    }
    let same = try #require(Redirection.request(after: response(302, "https://A.example:443/y"), to: request))
    #expect(same.value(forHTTPHeaderField: "Authorization") == "1")
    for place in ["https://b.example/", "https://a.example:444/", "http://a.example/", "https://a.example.evil/"] {
      let next = try #require(Redirection.request(after: response(302, place), to: request))
      #expect(next.value(forHTTPHeaderField: "Authorization") == nil, "\(place)")
      #expect(next.value(forHTTPHeaderField: "Cookie") == nil, "\(place)")
      #expect(next.value(forHTTPHeaderField: "Proxy-Authorization") == nil, "\(place)")
      #expect(next.value(forHTTPHeaderField: "X-Other") == "1", "\(place)")
    }
  }

  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  private func response(_ status: Int, _ place: String?) throws -> HTTPURLResponse {
    let fields = place.map { ["Location": $0] }
    return try #require(
      HTTPURLResponse(url: url("https://a.example/"), statusCode: status, httpVersion: nil, headerFields: fields))
  }
}
