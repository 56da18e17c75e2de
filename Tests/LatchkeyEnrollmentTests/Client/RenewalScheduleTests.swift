import Foundation
import Testing

@testable import LatchkeyEnrollment

/// When a renewal is due, and when it is tried again.
@Suite struct RenewalScheduleTests {
  private let start = Date(timeIntervalSince1970: 1_800_000_000)
  private var due: Date { start + 16 * 3600 }

  @Test("Nothing happens before a certificate is due, and it is renewed from then on") func inTime() {
    let schedule = RenewalSchedule()
    #expect(schedule.step(due: due, notBefore: start, at: start) == .wait(until: due))
    #expect(schedule.step(due: due, notBefore: start, at: due - 1) == .wait(until: due))
    #expect(schedule.step(due: due, notBefore: start, at: due) == .renew)
    // The machine slept, past the end of the certificate.
    #expect(schedule.step(due: due, notBefore: start, at: start + 30 * 86_400) == .renew)
  }

  @Test("A clock that is behind the certificate waits for its time") func early() {
    #expect(RenewalSchedule().step(due: due, notBefore: start, at: start - 600) == .wait(until: start))
  }

  @Test("After failures the waits double, up to an hour") func backoff() {
    var schedule = RenewalSchedule()
    var now = due
    var waits: [TimeInterval] = []
    for _ in 0..<12 {
      let next = schedule.failed(at: now, end: nil, jitter: 1)
      #expect(schedule.step(due: due, notBefore: start, at: next - 1) == .wait(until: next))
      #expect(schedule.step(due: due, notBefore: start, at: next) == .renew)
      waits.append(next.timeIntervalSince(now))
      now = next
    }
    #expect(waits == [30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600, 3600, 3600])
    schedule.succeeded(due: now + 60, end: now + 90, at: now)
    #expect(schedule.failed(at: now, end: nil, jitter: 0) == now + 15)
  }

  @Test("The waits leave room for more tries before the end, and never become a loop") func nearTheEnd() {
    var schedule = RenewalSchedule()
    for _ in 0..<20 { schedule.failed(at: due, end: nil, jitter: 1) }
    #expect(schedule.failed(at: due, end: due + 800, jitter: 1) == due + 100)
    #expect(schedule.failed(at: due, end: due + 1, jitter: 1) == due + 5)
    #expect(schedule.failed(at: due, end: due - 1, jitter: 1) == due + 3600)
  }

  @Test("A wait that the server asks for is kept, and spread by a tenth") func asked() {
    var schedule = RenewalSchedule()
    let next = schedule.failed(at: due, end: due + 8 * 3600, jitter: 0, asked: .seconds(600))
    #expect(next == due + 600)
    #expect(schedule.step(due: due, notBefore: start, at: next - 1) == .wait(until: next))
    #expect(schedule.step(due: due, notBefore: start, at: next) == .renew)
    #expect(schedule.failed(at: next, end: due + 8 * 3600, jitter: 1, asked: .seconds(600)) == next + 660)
    // The clock is set back: the wait is no longer for that.
    #expect(schedule.step(due: due, notBefore: start, at: due + 1) == .renew)
    // One that is shorter than the schedule's own changes nothing, and one without an end is no wait of its own.
    schedule = RenewalSchedule()
    #expect(schedule.failed(at: due, end: nil, jitter: 1, asked: .seconds(1)) == due + 30)
    #expect(schedule.failed(at: due, end: nil, jitter: 1, asked: .seconds(600)) == due + 660)
    #expect(schedule.failed(at: due, end: nil, jitter: 1) == due + 120)
  }

  @Test(
    "No wait that a server asks for makes a certificate end",
    arguments: [
      Duration.seconds(1 << 31), .seconds(Int64.max), .seconds(86_400), .seconds(Int64.min), .seconds(-1), .zero,
    ])
  func askedForTooMuch(_ asked: Duration) {
    for left: TimeInterval in [30 * 86_400, 8 * 3600, 600, 60, 11] {
      var schedule = RenewalSchedule()
      var (now, tries) = (due, 0)
      let end = due + left
      while now < end {
        let next = schedule.failed(at: now, end: end, jitter: 1, asked: asked)
        #expect(next.timeIntervalSince(now) >= 5 && next.timeIntervalSince(now) <= 86_400)
        (now, tries) = (next, tries + 1)
      }
      // The last one comes when some seconds are left, and none in a loop.
      #expect(tries >= 2 && tries < 1000, "\(left): \(tries)")
    }
    var schedule = RenewalSchedule()
    let after = schedule.failed(at: due, end: due - 1, jitter: 0, asked: asked)
    #expect(after >= due + 15 && after <= due + 3600)
    #expect(schedule.failed(at: due, end: nil, jitter: 0, asked: asked) <= due + 86_400)
  }

  @Test("A clock that is set back does not hold up the next try") func clockSetBack() {
    var schedule = RenewalSchedule()
    schedule.failed(at: due + 86_400, end: nil, jitter: 1)
    #expect(schedule.step(due: due, notBefore: start, at: due + 60) == .renew)
    // By less than the longest wait, too.
    schedule = RenewalSchedule()
    schedule.failed(at: due + 3000, end: nil, jitter: 1)
    #expect(schedule.step(due: due, notBefore: start, at: due + 60) == .renew)
  }

  @Test(
    "A certificate that is due when it is issued is not renewed in a loop",
    arguments: [(600.0, 300.0), (10, 30), (-5, 30), (86_400, 3600)])
  func dueWhenIssued(left: TimeInterval, wait: TimeInterval) {
    var schedule = RenewalSchedule()
    schedule.failed(at: due, end: nil, jitter: 1)
    schedule.succeeded(due: due, end: due + left, at: due)
    #expect(schedule.step(due: due, notBefore: start, at: due) == .wait(until: due + wait))
    #expect(schedule.step(due: due, notBefore: start, at: due + wait) == .renew)
    // The clock is set right meanwhile: it is waited for the time that it is due.
    #expect(schedule.step(due: due, notBefore: start, at: due - 10) == .wait(until: due))
  }

  @Test("After a success nothing is left of the failures before") func successAfterFailures() {
    var schedule = RenewalSchedule()
    for _ in 0..<8 { schedule.failed(at: due, end: nil, jitter: 1) }
    schedule.succeeded(due: due + 1, end: due + 3600, at: due)
    #expect(schedule.step(due: due + 1, notBefore: start, at: due) == .wait(until: due + 1))
    #expect(schedule.step(due: due + 1, notBefore: start, at: due + 1) == .renew)
  }
}
