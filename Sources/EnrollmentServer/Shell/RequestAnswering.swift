internal import EnrollmentProtocol
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// One request, from its head to the last byte of its answer: the body is read first, within its size and time, so that no route
/// waits for its peer.
struct RequestAnswering: Sendable {
  let services: Services
  let responder: RouterResponder<ServerContext>
  let observers: RequestObservers
  private let dates = HTTPDates()

  init(services: Services, responder: RouterResponder<ServerContext>, observers: RequestObservers) {
    self.services = services
    self.responder = responder
    self.observers = observers
  }

  /// What `Server` calls.
  func answer(_ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
    let context = ServerContext(source: ApplicationRequestContextSource(channel: channel, logger: services.logger))
    let began = NIODeadline.now()
    let hasBody = Self.hasBody(request)
    context.connection?.began(bodyOn: hasBody ? channel : nil, now: began)
    defer { context.connection?.ended(now: .now()) }
    var response = try await response(to: request, hasBody: hasBody, context, channel)
    response.headers[.date] = dates.now
    observers.answered(request, context, status: response.status.code, in: .now() - began)
    try await writer.write(response: response.head, body: response.body)
  }

  private func response(
    to request: Request, hasBody: Bool, _ context: ServerContext, _ channel: any Channel
  ) async throws -> Response {
    var request = request
    do {
      if hasBody {
        defer { context.connection?.bodyEnded(on: channel) }
        let limit = services.limits.bodySize
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit {
          throw NIOTooManyBytesError(maxBytes: limit)
        }
        _ = try await request.collectBody(upTo: limit)
      }
      return try await responder.respond(to: request, context: context)
    } catch let error as HTTPParserError {
      throw error
    } catch is NIOTooManyBytesError {
      var response = ProblemAnswer.response(
        Problem(.tooLarge, detail: "send at most \(services.limits.bodySize) bytes"), requestID: context.requestID)
      if channel.parent == nil || request.headers[.connection] != nil { response.headers[.connection] = "close" }
      context.connection?.endSoon(now: .now())
      return response
    } catch {
      services.logger.error(
        "a request failed", metadata: ["request": "\(context.requestID)", "error": "\(String(reflecting: error))"])
      return ProblemAnswer.response(Problem(.internalError), requestID: context.requestID)
    }
  }

  /// With HTTP/2 a body needs no field that announces it.
  private static func hasBody(_ request: Request) -> Bool {
    if request.headers.contains(.contentLength) || request.headers.contains(.transferEncoding) { return true }
    return request.method != .get && request.method != .head && request.method != .options
  }
}

/// The field Date (RFC 9110 6.6.1), made once a second.
private final class HTTPDates: Sendable {
  private let last = Mutex((second: 0, text: ""))

  var now: String {
    let second = time(nil)
    return last.withLock {
      if $0.second != second { $0 = (second, Self.text(second)) }
      return $0.text
    }
  }

  private static func text(_ second: Int) -> String {
    var time = time_t(second)
    var parts = tm()
    gmtime_r(&time, &parts)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(1900 + parts.tm_year) "
      + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
  }
}
