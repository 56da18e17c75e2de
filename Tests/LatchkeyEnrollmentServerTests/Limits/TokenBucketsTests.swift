import LatchkeyEnrollmentStore
import NIOCore
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("Buckets of tokens")
struct TokenBucketsTests {
  private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

  @Test("A burst passes, then requests pass at the rate")
  func rate() {
    let buckets = TokenBuckets<String>(rate: 2, burst: 3)
    for _ in 0..<3 { #expect(buckets.take("a", now: start) == nil) }
    #expect(buckets.take("a", now: start) == 0.5)
    #expect(buckets.take("a", now: start + .milliseconds(499)) != nil)
    #expect(buckets.take("a", now: start + .milliseconds(501)) == nil)
    #expect(buckets.take("a", now: start + .milliseconds(502)) != nil)
    #expect(buckets.take("b", now: start) == nil)
  }

  @Test("Saved tokens never exceed the burst")
  func burst() {
    let buckets = TokenBuckets<Int>(rate: 1000, burst: 2)
    #expect(buckets.take(1, now: start) == nil)
    let later = start + .hours(10)
    for _ in 0..<2 { #expect(buckets.take(1, now: later) == nil) }
    #expect(buckets.take(1, now: later) != nil)
  }

  @Test("A flood of keys does not grow the table, and refused clients stay refused")
  func flood() {
    let buckets = TokenBuckets<Int>(rate: 0.001, burst: 1, limit: 100)
    for key in 0..<10_000 {
      #expect(buckets.take(key, now: start + .milliseconds(Int64(key))) == nil)
      #expect(buckets.count <= 100)
    }
    #expect(buckets.take(9_999, now: start + .seconds(10)) != nil)
  }

  @Test("Where nothing is admitted, the wait is an hour, and not without end")
  func nothing() throws {
    var limits = ServerLimits()
    (limits.requestsPerSecond, limits.loginsPerMinute) = (0, 0)
    let rates = RateLimits(limits)
    let device = Identifier.random()
    let refusal = #expect(throws: TryLater.self) { try rates.admit(device: device, now: start) }
    #expect(refusal?.seconds == 3600)
    let login = #expect(throws: TryLater.self) { try rates.admitLogin(from: PeerAddress("192.0.2.1"), now: start) }
    #expect(login?.seconds == 3600)
  }

  @Test("Seconds of any kind are an amount of time")
  func amounts() {
    #expect(TimeAmount(1.5) == .milliseconds(1500))
    for none in [0, -1, -Double.infinity, .nan] { #expect(TimeAmount(none) == .nanoseconds(0)) }
    #expect(TimeAmount(.infinity) == TimeAmount(.greatestFiniteMagnitude))
  }

  @Test("An IPv4 address is one peer, an IPv6 network another, mapped or not")
  func addresses() {
    #expect(PeerAddress("192.0.2.1") == PeerAddress("::ffff:192.0.2.1"))
    #expect(PeerAddress("192.0.2.1") != PeerAddress("192.0.2.2"))
    #expect(PeerAddress("2001:db8::1") == PeerAddress("2001:db8::ffff:1"))
    #expect(PeerAddress("2001:db8::1") != PeerAddress("2001:db8:0:1::1"))
    #expect(PeerAddress("fe80::1%eth0") == PeerAddress("fe80::2"))
    #expect(PeerAddress("") == PeerAddress(""))
  }
}
