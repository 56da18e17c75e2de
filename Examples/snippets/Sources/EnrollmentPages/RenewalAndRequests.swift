// Parts of the page Renewal and requests.

import Foundation
import LatchkeyEnrollment

func keepRenewed(_ client: EnrollmentClient) async throws {
  var schedule = RenewalSchedule()
  while let identity = try await client.identity() {
    switch schedule.step(for: identity, at: Date()) {
    case .wait(let until):
      // A minute at most: the clock may be set, and the machine may sleep.
      try await Task.sleep(for: .seconds(min(max(until.timeIntervalSinceNow, 1), 60)))
    case .renew:
      do {
        schedule.succeeded(with: try await client.renew().value, at: Date())
      } catch {
        let asked = (error as? EnrollmentError)?.retryAfter
        schedule.failed(at: Date(), end: identity.notAfter, jitter: .random(in: 0...1), asked: asked)
      }
    }
  }
}

func order(_ client: EnrollmentClient, handle: (ServiceResponse.Body.Element) -> Void) async throws {
  var request = ServiceRequest(
    method: "POST", url: "https://api.example/orders", fields: [("Content-Type", "application/json")],
    content: .file(path: "order.json"))
  request.idempotencyKey = "order-4711"
  let response = try await client.send(request)
  for try await piece in response.body { handle(piece) }
}
