import LatchkeyServerTestSupport
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentServer
import Testing

/// The server over real sockets: TLS, HTTP's versions, who is behind a request, how errors look.
@Suite struct ServerTests {
  @Test("It answers over both versions of HTTP", arguments: [false, true]) func itAnswersOverBothVersionsOfHTTP(
    http2: Bool
  ) async throws {
    try await RunningServer.with { server in
      try await server.withClient(http2: http2) { client in
        let answer = try await client.request("GET", Routes.live)
        #expect(answer.status == 200)
        #expect(answer.text == #"{"status":"live"}"#)
        #expect(answer.isHTTP2 == http2)
      }
    }
  }

  @Test("It is ready while its store answers and its certificates count")
  func itIsReadyWhileItsStoreAnswersAndItsCertificatesCount() async throws {
    try await RunningServer.with { server in
      try await server.withClient { client in
        #expect(try await client.request("GET", Routes.ready).status == 200)
        server.clock.advance(by: 8 * 24 * 3600)
        let late = try await client.request("GET", Routes.ready)
        #expect(late.status == 503)
        #expect(late.code == .unavailable)
        #expect(late.header("retry-after") == "1")
      }
    }
  }

  @Test("A path that does not exist is a problem with the request's name")
  func aPathThatDoesNotExistIsAProblemWithTheRequestsName() async throws {
    try await RunningServer.with { server in
      try await server.withClient { client in
        let answer = try await client.request("GET", "/v1/nothing")
        #expect(answer.status == 404)
        #expect(answer.header("content-type") == "application/problem+json")
        let problem = try answer.decoded(Problem.self)
        #expect(problem.code == .notFound)
        #expect(problem.instance?.count == 32)
      }
    }
  }

  @Test("A method that a path has not is named with those it has") func aMethodThatAPathHasNotIsNamedWithThoseItHas()
    async throws
  {
    try await RunningServer.with { server in
      try await server.withClient { client in
        let answer = try await client.request("DELETE", Routes.live)
        #expect(answer.status == 405)
        #expect(answer.code == .methodNotAllowed)
        #expect(answer.header("allow") == "GET, HEAD")
      }
    }
  }

  @Test("A route that wants a certificate says so") func aRouteThatWantsACertificateSaysSo() async throws {
    try await RunningServer.with { server in
      try await server.withClient { client in
        let answer = try await client.request("GET", Routes.accounts)
        #expect(answer.status == 401)
        #expect(answer.code == .certificateRequired)
        #expect(answer.header("www-authenticate") != nil)
      }
    }
  }
}
