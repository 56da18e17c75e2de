import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import NIOCore
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("Buckets that servers share")
struct SharedBucketsTests {
  private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

  private func client(_ key: Int) -> ClientDigest { ClientDigest(high: 1, low: UInt64(key)) }
  private func use(_ key: Int, _ count: UInt32, tenths: UInt16 = 0) -> LimitUse {
    LimitUse(LimitUse.Key(.address, client(key)), count: count, tenths: tenths)
  }
  private func buckets(
    rate: Double = 10, burst: Double = 20, servers: Int = 2, limit: Int = 65_536
  ) -> TokenBuckets<Int> {
    let buckets = TokenBuckets<Int>(rate: rate, burst: burst, limit: limit)
    buckets.share(servers: servers) { ClientDigest(high: 1, low: UInt64($0)) }
    return buckets
  }
  /// The tokens that a key can take at once.
  private func left(_ buckets: TokenBuckets<Int>, _ key: Int, at time: NIODeadline) -> Int {
    var count = 0
    while count < 1000, buckets.take(key, now: time) == nil { count += 1 }
    return count
  }

  @Test("What another server counted is taken, of a key that is known here and of one that comes later")
  func taken() {
    let buckets = self.buckets()
    #expect(buckets.take(1, now: start) == nil)
    for key in [1, 2] { buckets.charge(client(key), use(key, 15), now: start) }
    #expect(left(buckets, 1, at: start) == 4)
    #expect(left(buckets, 2, at: start) == 5)
    #expect(left(buckets, 3, at: start) == 20)
    // Debts of keys that were not seen here are paid back as others are.
    buckets.charge(client(4), use(4, 15), now: start)
    #expect(left(buckets, 4, at: start + .seconds(1)) == 15)
  }

  @Test("A debt is four bursts at most, whatever others say they counted")
  func debt() {
    let buckets = self.buckets()
    buckets.charge(client(1), use(1, .max), now: start)
    buckets.charge(client(1), use(1, .max), now: start)
    #expect(buckets.take(1, now: start) == 8.1)
    #expect(buckets.take(1, now: start + .milliseconds(8101)) == nil)
    let known = self.buckets()
    #expect(known.take(1, now: start) == nil)
    for _ in 0..<100 { known.charge(client(1), use(1, .max, tenths: 10), now: start) }
    #expect(known.take(1, now: start) == 8.1)
  }

  @Test("A client within its limit is not refused, however its requests are divided among servers")
  func within() {
    let buckets = self.buckets()
    var time = start
    for second in 0..<60 {
      time = time + .seconds(1)
      // Nine a second there, one here: the limit of ten.
      buckets.charge(client(1), use(1, 9, tenths: 10), now: time)
      #expect(buckets.take(1, now: time) == nil, "\(second)")
    }
    // An exchange that was late by eight seconds.
    buckets.charge(client(1), use(1, 72, tenths: 80), now: time + .seconds(8))
    #expect(left(buckets, 1, at: time + .seconds(8)) >= 18)
  }

  @Test("A client at twice its limit, half of it on each of two servers, gets the limit")
  func beyond() {
    let both = [buckets(), buckets()]
    var admitted = 0
    for tick in 0..<6000 {
      let time = start + .milliseconds(Int64(tick) * 100)
      for here in both where here.take(1, now: time) == nil { admitted += 1 }
      guard tick % 10 == 9 else { continue }
      let counted = both.map { $0.collect(limit: 10, now: time) }
      for (here, others) in zip(both, counted.reversed()) {
        for other in others {
          here.charge(other.client, use(1, other.count, tenths: other.tenths), now: time)
        }
      }
    }
    // Ten minutes at ten a second, bursts, and what stays under the threshold.
    #expect((6000...6900).contains(admitted), "\(admitted)")
  }

  @Test("A client that uses little is not reported; one that uses a notable share is, once")
  func threshold() {
    let buckets = self.buckets()
    for _ in 0..<2 { #expect(buckets.take(1, now: start) == nil) }
    for _ in 0..<3 { #expect(buckets.take(2, now: start) == nil) }
    #expect(buckets.collect(limit: 10, now: start + .milliseconds(501)).map(\.tenths) == [6])
    #expect(buckets.collect(limit: 10, now: start).isEmpty)
    // The third within the time in which an empty bucket fills, and after it.
    #expect(buckets.take(1, now: start + .seconds(2)) == nil)
    #expect(buckets.collect(limit: 10, now: start + .seconds(2)).map(\.count) == [3])
    for second in 0..<20 {
      #expect(buckets.take(3, now: start + .seconds(Int64(second))) == nil)
      #expect(buckets.take(4, now: start + .milliseconds(Int64(second) * 1001)) == nil)
    }
    #expect(buckets.collect(limit: 10, now: start).map(\.client) == [client(3)])
  }

  @Test("What is refused is not counted, and what does not fit into one exchange is in the next")
  func collected() {
    let buckets = self.buckets()
    for key in 0..<5 {
      for _ in 0..<40 { _ = buckets.take(key, now: start) }
    }
    var counts: [ClientDigest: UInt32] = [:]
    for size in [2, 2, 1, 0] {
      let some = buckets.collect(limit: 2, now: start)
      #expect(some.count == size)
      for use in some { counts[use.client, default: 0] += use.count }
    }
    #expect(counts == Dictionary(uniqueKeysWithValues: (0..<5).map { (client($0), 20) }))
  }

  @Test("Alone, nothing is counted, and what others counted before is forgotten")
  func alone() {
    let buckets = TokenBuckets<Int>(rate: 10, burst: 20)
    for _ in 0..<20 { #expect(buckets.take(1, now: start) == nil) }
    buckets.charge(client(2), use(2, 100), now: start)
    #expect(buckets.collect(limit: 10, now: start).isEmpty)
    #expect(left(buckets, 2, at: start) == 20)
    buckets.share(servers: 2) { ClientDigest(high: 1, low: UInt64($0)) }
    buckets.charge(client(3), use(3, 100), now: start)
    buckets.share(servers: 1) { ClientDigest(high: 1, low: UInt64($0)) }
    buckets.share(servers: 2) { ClientDigest(high: 1, low: UInt64($0)) }
    #expect(left(buckets, 3, at: start) == 20)
  }

  @Test("A flood of keys, here and on other servers, grows no table")
  func flood() {
    let buckets = self.buckets(limit: 100)
    for key in 0..<30_000 {
      let time = start + .microseconds(Int64(key))
      buckets.charge(client(key), use(key, 20), now: time)
      _ = buckets.take(30_000 + key, now: time)
    }
    #expect(buckets.count <= 8192 + 100)
    #expect(buckets.collect(limit: .max, now: start).count <= 8192)
    // The latest are there still.
    #expect(left(buckets, 29_999, at: start + .seconds(1)) < 20)
  }

  @Test("Without a rate or a burst nothing traps", arguments: [(0.0, 0.0), (0, 5), (5, 0), (1e12, 1e12)])
  func nothing(rate: Double, burst: Double) {
    let buckets = self.buckets(rate: rate, burst: burst)
    for _ in 0..<10 { _ = buckets.take(1, now: start) }
    buckets.charge(client(1), use(1, .max, tenths: .max), now: start)
    buckets.charge(client(2), use(2, .max, tenths: .max), now: start + .seconds(1))
    _ = buckets.take(2, now: start + .seconds(2))
    _ = buckets.collect(limit: 10, now: start)
  }

  @Test("A right password after wrong ones ends the row on other servers, and one without wrong ones says nothing")
  func rightPassword() throws {
    var limits = ServerLimits()
    limits.passwordFailures = 3
    let (here, there) = (LoginPlaces(limits), LoginPlaces(limits))
    let digests = ClientDigests(key: [UInt8](repeating: 1, count: 32))
    for places in [here, there] { places.share(servers: 2, digests) }
    let place = LoginPlaces.Place(user: "ann", origin: LoginOrigin(peer: PeerAddress("192.0.2.1")))
    func exchange() {
      for use in here.collect(limit: 10, now: start) { there.charge(use, now: start) }
    }
    func attempts(_ places: LoginPlaces) -> Int {
      var count = 0
      while (try? places.begin(place, now: start)) != nil { count += 1 }
      for _ in 0..<count { places.cancel(place, now: start) }
      return count
    }
    try here.begin(place, now: start)
    here.succeed(place, now: start)
    #expect(here.collect(limit: 10, now: start).isEmpty)
    for _ in 0..<3 {
      try here.begin(place, now: start)
      here.fail(place, now: start)
    }
    exchange()
    #expect((attempts(here), attempts(there)) == (0, 0))
    there.charge(LimitUse(LimitUse.Key(.rightPassword, ClientDigest(high: 0, low: 0)), count: 1, tenths: 0), now: start)
    #expect(attempts(there) == 0)
    // An attempt that was not checked is counted nowhere.
    let later = start + .seconds(120)
    try here.begin(place, now: later)
    here.cancel(place, now: later)
    #expect(here.collect(limit: 10, now: later).isEmpty)
    try here.begin(place, now: later)
    here.succeed(place, now: later)
    exchange()
    #expect((attempts(here), attempts(there)) == (3, 3))
  }

  @Test("A digest differs by limit, client and store")
  func digests() {
    let (one, other) = (ClientDigests(key: [1]), ClientDigests(key: [2]))
    let all = [
      one.digest(of: [1], .address), one.digest(of: [1], .device), one.digest(of: [2], .address),
      other.digest(of: [1], .address),
    ]
    #expect(Set(all).count == 4)
    #expect(one.digest(of: [1], .address) == ClientDigests(key: [1]).digest(of: [1], .address))
  }
}
