internal import Foundation
internal import FoundationNetworking

/// A request with its redirections, up to the response for the caller.
struct Exchange: Sendable {
  let questions: DelegateQuestions
  /// How long nothing may happen.
  let idleLimit: Duration
  /// How long all of it may take.
  let totalLimit: Duration
  /// The limit of a response's body, in bytes.
  let longestBody: Int

  /// - Throws: `URLError`.
  func run(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
    do {
      return try await within(totalLimit) { try await follow(request) }
    } catch is CancellationError {
      throw URLError(.cancelled, url: request.url, "the request was cancelled")
    } catch let error as URLError where error.code == .timedOut && error.userInfo.isEmpty {
      throw URLError(.timedOut, url: request.url, "no answer came in time")
    }
  }

  private func follow(_ first: URLRequest) async throws -> (Data, HTTPURLResponse) {
    var request = first
    for _ in 0...Redirection.most {
      let origin = try Origin(request.url)
      let connection = Connection(
        request: try RequestMessage(request, to: origin), origin: origin,
        trust: ServerTrust(origin: origin, questions: questions),
        identity: ClientIdentity(origin: origin, questions: questions), idleLimit: idleLimit, longestBody: longestBody)
      let message = try await connection.response()
      guard
        let response = HTTPURLResponse(
          url: origin.url, statusCode: message.status, httpVersion: "HTTP/1.1", headerFields: Self.fields(of: message))
      else { throw origin.error(.cannotParseResponse, "the response is no HTTP") }
      guard let proposed = Redirection.request(after: response, to: request),
        let next = try await questions.request(after: response, proposed: proposed)
      else { return (message.body, response) }
      request = next
    }
    throw URLError(.httpTooManyRedirects, url: first.url, "more than \(Redirection.most) redirections")
  }

  /// The fields by their names; those of one name are joined by commas (RFC 9110 5.3).
  private static func fields(of message: ResponseMessage) -> [String: String] {
    var fields: [String: String] = [:]
    var names: [String: String] = [:]
    for (name, value) in message.fields {
      let known = names[name.lowercased()] ?? name
      names[name.lowercased()] = known
      fields[known] = fields[known].map { "\($0), \(value)" } ?? value
    }
    return fields
  }
}
