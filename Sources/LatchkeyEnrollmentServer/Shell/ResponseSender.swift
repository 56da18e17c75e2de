internal import HTTPTypes
internal import HummingbirdCore

/// Sends the response of one request.
protocol ResponseSender: ~Copyable {
  /// Sends a head with a status below 200, behind which the response follows.
  func sendInterim(_ head: HTTPResponse) async throws
  /// Sends the response.
  consuming func send(_ head: HTTPResponse, _ body: ResponseBody) async throws
}

/// That of an HTTP/2 stream.
extension ResponseWriter: ResponseSender {
  func sendInterim(_ head: HTTPResponse) async throws { try await writeInformationalHead(head) }
  consuming func send(_ head: HTTPResponse, _ body: ResponseBody) async throws {
    try await write(response: head, body: body)
  }
}
