import LatchkeyServerTestSupport
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeySwiftTesting
import Synchronization
import Testing

@testable import LatchkeyEnrollment

/// The requests that are sent again, how often, and after which wait.
@Suite(.temporaryKeychain(typing: "1234")) struct RetryTests {
  @Test("A reading request is sent again until the policy ends") func aReadingRequestIsSentAgainUntilThePolicyEnds()
    async throws
  {
    let (service, client) = try await enrolled()
    let before = service.requests(Routes.accounts).count
    service.fail(Routes.accounts, .hangUpBefore, .hangUpAfter, .refuse(Problem(.unavailable)), .hangUpBefore)
    _ = try await client.accounts().value
    #expect(service.requests(Routes.accounts).count == before + 5)
    service.fail(Routes.accounts, .hangUpBefore, .hangUpBefore, .hangUpBefore, .hangUpBefore, .hangUpBefore)
    let error = await failure { try await client.accounts().value }
    guard case .unreachable = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(service.requests(Routes.accounts).count == before + 10)
  }

  @Test("The wait that the server requests is observed") func theWaitThatTheServerAsksForIsKept() async throws {
    let waits = Waits()
    let (service, client) = try await enrolled { $0.sleep = { waits.add($0) } }
    service.fail(
      Routes.accounts, .refuse(Problem(.tooManyRequests), retryAfter: 7), .refuse(Problem(.unavailable)))
    _ = try await client.accounts().value
    #expect(waits.all.count == 2)
    #expect(waits.all[0] == .seconds(7))
    // The second wait of its own: 0.4 s, of which half to all.
    #expect((Duration.milliseconds(200)...Duration.milliseconds(400)).contains(waits.all[1]))
  }

  @Test("A server that asks for no more requests gets none") func aServerThatWantsToBeLeftAloneIs() async throws {
    let (service, client) = try await enrolled()
    service.fail(Routes.accounts, .refuse(Problem(.tooManyRequests), retryAfter: 3600))
    let before = service.requests(Routes.accounts).count
    let error = await failure { try await client.accounts().value }
    var problem = Problem(.tooManyRequests)
    problem.retryAfter = .seconds(3600)
    #expect(error == .problem(problem))
    #expect(error?.retryAfter == .seconds(3600))
    #expect(service.requests(Routes.accounts).count == before + 1)
  }

  @Test("The wait that a server or a proxy asked for is in the error, by seconds and by a date", arguments: [429, 503])
  func theWaitIsInTheError(_ status: Int) async throws {
    let (service, client) = try await enrolled()
    let code: Problem.Code = status == 429 ? .tooManyRequests : .unavailable
    let problem = String(decoding: try JSONEncoder().encode(Problem(code)), as: UTF8.self)
    let date = DateFormatter()
    (date.locale, date.timeZone) = (Locale(identifier: "en_US_POSIX"), TimeZone(identifier: "GMT"))
    date.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    for body in [problem, "<html>busy</html>", ""] {
      service.fail(Routes.accounts, .say(status, body, retryAfter: "600"))
      let error = await failure { try await client.accounts().value }
      guard case .problem(let reported) = error else {
        Issue.record("\(body): \(String(describing: error))")
        continue
      }
      #expect(reported.code == code && error?.retryAfter == .seconds(600))
      service.fail(Routes.accounts, .say(status, body, retryAfter: date.string(from: Date() + 7200)))
      let wait = await failure { try await client.accounts().value }?.retryAfter
      #expect(wait.map { (.seconds(7000)...Duration.seconds(7200)).contains($0) } == true)
    }
  }

  @Test(
    "A wait without sense is that of no field, and a request is repeated", arguments: ["-600", "soon", "", "1, 600"])
  func aWaitWithoutSense(_ text: String) async throws {
    let (service, client) = try await enrolled()
    let before = service.requests(Routes.accounts).count
    service.fail(Routes.accounts, .say(503, "", retryAfter: text))
    #expect(try await client.accounts().value.count == 1)
    #expect(service.requests(Routes.accounts).count == before + 2)
  }

  @Test("A wait of centuries ends the request, and is cut") func aWaitOfCenturies() async throws {
    let (service, client) = try await enrolled()
    service.fail(Routes.accounts, .say(503, "", retryAfter: String(repeating: "9", count: 1000)))
    let error = await failure { try await client.accounts().value }
    #expect(error?.retryAfter == .seconds(1 << 31))
  }

  @Test("A request that is refused permanently is not sent again") func whatIsRefusedForGoodIsNotSentAgain()
    async throws
  {
    let (service, client) = try await enrolled()
    let before = service.requests(Routes.accounts).count
    service.fail(Routes.accounts, .refuse(Problem(.notPermitted)))
    let error = await failure { try await client.accounts().value }
    #expect(error == .problem(Problem(.notPermitted)))
    #expect(service.requests(Routes.accounts).count == before + 1)
  }

  @Test(
    "An answer that comes byte by byte is not waited for longer than one that does not come", .timeLimit(.minutes(5)))
  func anAnswerThatComesByteByByteIsNotWaitedForLongerThanOneThatDoesNotCome()
    async throws
  {
    let (service, client) = try await enrolled()
    var configuration = client.configuration
    configuration.timeout = .seconds(3)
    configuration.retries = .never
    let before = service.requests(Routes.accounts).count
    service.fail(Routes.accounts, .drip)
    let hasty = EnrollmentClient(configuration)
    let error = await failure { try await hasty.accounts().value }
    guard case .unreachable = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(service.requests(Routes.accounts).count == before + 1)
    #expect(try await client.accounts().value.count == 1)
  }

  @Test("The time of a request is that of all its attempts", .timeLimit(.minutes(5)))
  func theTimeOfARequestIsThatOfAllItsAttempts() async throws {
    let (service, client) = try await enrolled()
    var configuration = client.configuration
    // Long enough for the first attempt on a machine with much else to do.
    configuration.timeout = .seconds(6)
    let before = service.requests(Routes.accounts).count
    service.fail(Routes.accounts, .hangUpBefore, .silence, .silence, .silence, .silence)
    let hasty = EnrollmentClient(configuration)
    let error = await failure { try await hasty.accounts().value }
    #expect(error == .unreachable("no answer from \(configuration.server) in time"))
    #expect(service.requests(Routes.accounts).count == before + 2)
  }

  @Test("An answer that is not the service's is not interpreted") func anAnswerThatIsNoneOfTheServicesIsNotInterpreted()
    async throws
  {
    let (service, client) = try await enrolled()
    service.fail(Routes.accounts, .say(404, "<html>not found</html>"))
    let error = await failure { try await client.accounts().value }
    guard case .cannotInterpret = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.userMessage == LegacyEnrollment.cannotInterpret)
  }

  @Test("A busy server is reported in its own words") func aBusyServerIsReported() async throws {
    let (service, client) = try await enrolled()
    let busy = Problem(.unavailable, detail: "try again later")
    service.fail(Routes.login, .refuse(busy))
    let error = await failure {
      try await client.logIn(user: "demo", password: "open sesame", deviceName: "x").value
    }
    #expect(error == .problem(busy))
    service.fail(Routes.login, .say(503, "<html>busy</html>"))
    let other = await failure {
      try await client.logIn(user: "demo", password: "open sesame", deviceName: "x").value
    }
    guard case .problem(let problem) = other, let detail = problem.detail else {
      Issue.record("\(String(describing: other))")
      return
    }
    #expect(problem.code == .unavailable && detail.contains("503") && detail.contains("try again later"))
  }

  @Test("A request that was cut off is reported in words") func aRequestThatWasCutOffIsReported() async throws {
    let (service, client) = try await enrolled()
    service.fail(Routes.login, .hangUpAfter)
    let error = await failure {
      try await client.logIn(user: "demo", password: "open sesame", deviceName: "x").value
    }
    guard case .unreachable(let detail) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(detail.contains("may have been carried out"))
    // Nothing as Swift prints its own values.
    #expect(!detail.contains("(\"") && !detail.contains("unreachable"), "\(detail)")
  }

  @Test("Waits grow within their bounds") func waitsGrowWithinTheirBounds() {
    var policy = RetryPolicy()
    policy.attempts = 40
    for attempts in 1..<40 {
      let shortest = policy.delay(after: attempts, jitter: 0, asked: nil)
      let longest = policy.delay(after: attempts, jitter: 1, asked: nil)
      let full = min(.milliseconds(200) * (1 << min(attempts - 1, 16)), Duration.seconds(30))
      #expect(longest == full)
      #expect(shortest == full * 0.5)
    }
    #expect(policy.delay(after: 40, jitter: 0, asked: nil) == nil)
    #expect(policy.delay(after: 1, jitter: 0, asked: .max) == nil)
    policy.longestDelay = .seconds(Int64.max)
    #expect(policy.delay(after: 1, jitter: 0, asked: .max) == .seconds(1 << 20))
    policy.longestDelay = .seconds(30)
    #expect(policy.delay(after: 1, jitter: 0, asked: -1) == nil)
    #expect(RetryPolicy.never.delay(after: 1, jitter: 0, asked: nil) == nil)
  }

  private final class Waits: Sendable {
    private let waits = Mutex<[Duration]>([])
    var all: [Duration] { waits.withLock { $0 } }
    func add(_ wait: Duration) { waits.withLock { $0.append(wait) } }
  }
}
