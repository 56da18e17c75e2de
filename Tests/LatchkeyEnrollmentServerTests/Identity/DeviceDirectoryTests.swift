import LatchkeyServerTestSupport
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyTestSupport
import Synchronization
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("Which device a certificate is")
struct DeviceDirectoryTests {
  /// A directory, its store with one device, and its clock in hand.
  final class Bench: Sendable {
    let store: ObservedStore
    let directory: DeviceDirectory
    let id = Identifier.random()
    let fingerprint = Fingerprint([UInt8](repeating: 7, count: 32))
    private let offset: OffsetClock

    init(capacity: Int = 100) async throws {
      let (offset, store) = (OffsetClock(), try ObservedStore())
      self.offset = offset
      self.store = store
      directory = DeviceDirectory(
        store, staleness: .milliseconds(500), capacity: capacity, clock: { offset.now })
      try await add(fingerprint, to: id)
    }

    func add(_ fingerprint: Fingerprint, to id: Identifier, notAfter: Int64 = 2000) async throws {
      try await store.write {
        if try $0.device(id) == nil {
          _ = try $0.addUser(UserRecord(name: "demo", passwordHash: nil))
          try $0.addDevice(
            DeviceRecord(id: id, user: "demo", name: "phone", created: 1, identityKey: [4, 1, 2]))
        }
        try $0.addCertificate(
          CertificateRecord(fingerprint: fingerprint, serial: fingerprint.bytes, device: id, notAfter: notAfter))
      }
    }

    func advance(_ duration: Duration) { offset.advance(duration) }

    func revoke() async throws {
      let id = id
      #expect(try await store.write { try $0.revokeDevice(id, at: 1000, reason: 1) })
    }
  }

  final class OffsetClock: Sendable {
    private let time = Mutex(ContinuousClock.now)
    var now: ContinuousClock.Instant { time.withLock { $0 } }
    func advance(_ duration: Duration) { time.withLock { $0 += duration } }
  }

  @Test("a device is found once in the store, and then without it")
  func found() async throws {
    let bench = try await Bench()
    #expect(try bench.directory.cached(fingerprint: bench.fingerprint, now: 1000) == nil)
    let device = try await bench.directory.device(fingerprint: bench.fingerprint, now: 1000)
    #expect(device.id == bench.id && device.user == "demo" && device.notAfter == 2000)
    #expect(device.fingerprint == bench.fingerprint && device.identityKey == [4, 1, 2])
    let reads = bench.store.reads
    for _ in 0..<1000 {
      #expect(try bench.directory.cached(fingerprint: bench.fingerprint, now: 1000) == device)
      #expect(try await bench.directory.device(fingerprint: bench.fingerprint, now: 1000) == device)
    }
    #expect(bench.store.reads == reads)
  }

  @Test("a certificate that has ended does not count, though nothing was asked again")
  func ended() async throws {
    let bench = try await Bench()
    _ = try await bench.directory.device(fingerprint: bench.fingerprint, now: 1999)
    await #expect(throws: Problem.self) { try await bench.directory.device(fingerprint: bench.fingerprint, now: 2000) }
    #expect(throws: Problem.self) { try bench.directory.cached(fingerprint: bench.fingerprint, now: 2001) }
    #expect(try bench.directory.cached(fingerprint: bench.fingerprint, now: 1999) != nil)
  }

  @Test("A revocation by this server takes effect at once")
  func ownRevocation() async throws {
    let bench = try await Bench()
    _ = try await bench.directory.device(fingerprint: bench.fingerprint, now: 1000)
    try await bench.revoke()
    bench.directory.forget()
    #expect(try bench.directory.cached(fingerprint: bench.fingerprint, now: 1000) == nil)
    await expect(.revoked) { try await bench.directory.device(fingerprint: bench.fingerprint, now: 1000) }
    await expect(.revoked) { try bench.directory.cached(fingerprint: bench.fingerprint, now: 1000) }
  }

  @Test("A revocation by another server takes effect within the staleness, at the next read")
  func othersRevocation() async throws {
    let bench = try await Bench()
    _ = try await bench.directory.device(fingerprint: bench.fingerprint, now: 1000)
    try await bench.revoke()
    bench.advance(.milliseconds(200))
    #expect(try bench.directory.cached(fingerprint: bench.fingerprint, now: 1000) != nil)
    bench.advance(.milliseconds(300))
    #expect(try bench.directory.cached(fingerprint: bench.fingerprint, now: 1000) == nil)
    await expect(.revoked) { try await bench.directory.device(fingerprint: bench.fingerprint, now: 1000) }
  }

  @Test("while requests come, the epoch is looked at ahead of time, by one for all")
  func aheadOfTime() async throws {
    let bench = try await Bench()
    _ = try await bench.directory.device(fingerprint: bench.fingerprint, now: 1000)
    let gate = Gate()
    bench.store.set { $0.beforeRead = { await gate.pass() } }
    let reads = bench.store.reads
    bench.advance(.milliseconds(300))
    for _ in 0..<100 { #expect(try bench.directory.cached(fingerprint: bench.fingerprint, now: 1000) != nil) }
    await gate.open()
    try await waitUntil { bench.store.reads != reads }
    // No request waited: at 600 ms the read of 300 ms still counts, once it has ended.
    bench.advance(.milliseconds(300))
    try await waitUntil { try bench.directory.cached(fingerprint: bench.fingerprint, now: 1000) != nil }
    #expect(bench.store.reads <= reads + 2)
  }

  @Test("Many requests that find it stale share one read of the epoch")
  func oneRefresh() async throws {
    let bench = try await Bench()
    _ = try await bench.directory.device(fingerprint: bench.fingerprint, now: 1000)
    bench.advance(.seconds(1))
    let (reads, gate) = (bench.store.reads, Gate())
    bench.store.set { $0.beforeRead = { await gate.pass() } }
    try await withThrowingTaskGroup(of: Identifier.self) { group in
      for _ in 0..<200 {
        group.addTask { try await bench.directory.device(fingerprint: bench.fingerprint, now: 1000).id }
      }
      for _ in 0..<50 { await Task.yield() }
      await gate.open()
      for try await id in group { #expect(id == bench.id) }
    }
    #expect(bench.store.reads <= reads + 2)
  }

  @Test("A read that began before a revocation is not cached after it")
  func lateRead() async throws {
    let bench = try await Bench()
    let (entered, gate) = (Gate(), Gate())
    bench.store.set {
      $0.afterRead = {
        await entered.open()
        await gate.pass()
      }
    }
    let late = Task { try? await bench.directory.device(fingerprint: bench.fingerprint, now: 1000) }
    await entered.pass()
    bench.store.set { $0.afterRead = nil }
    try await bench.revoke()
    bench.directory.forget()
    await gate.open()
    _ = await late.value
    await expect(.revoked) { try await bench.directory.device(fingerprint: bench.fingerprint, now: 1000) }
  }

  @Test("a certificate that is not known is asked for again after a second, not at once")
  func unknown() async throws {
    let bench = try await Bench()
    let other = Fingerprint([UInt8](repeating: 8, count: 32))
    await expect(.notAuthenticated) { try await bench.directory.device(fingerprint: other, now: 1000) }
    let reads = bench.store.reads
    for _ in 0..<50 {
      await expect(.notAuthenticated) { try await bench.directory.device(fingerprint: other, now: 1000) }
    }
    #expect(bench.store.reads == reads)
    try await bench.add(other, to: bench.id)
    bench.advance(.seconds(1))
    #expect(try await bench.directory.device(fingerprint: other, now: 1000).id == bench.id)
  }

  @Test("If the store does not answer, no device is known")
  func storeGone() async throws {
    let bench = try await Bench()
    _ = try await bench.directory.device(fingerprint: bench.fingerprint, now: 1000)
    bench.store.set { $0.beforeRead = { throw EnrollmentStoreError.unavailable("gone") } }
    bench.advance(.milliseconds(500))
    await #expect(throws: EnrollmentStoreError.unavailable("gone")) {
      try await bench.directory.device(fingerprint: bench.fingerprint, now: 1000)
    }
    bench.store.set { $0.beforeRead = nil }
    #expect(try await bench.directory.device(fingerprint: bench.fingerprint, now: 1000).id == bench.id)
  }

  @Test("The certificate cache never exceeds its capacity")
  func bounded() async throws {
    var cache = CertificateCache(capacity: 10)
    let time = ContinuousClock.now
    for number in 0..<1000 {
      cache.insert(.revoked, Fingerprint([UInt8(number >> 8), UInt8(number & 0xFF)]), at: time)
      #expect(cache.count <= 10)
    }
    #expect(cache.find(Fingerprint([3, 0xE7]), at: time) != nil)
    #expect(cache.find(Fingerprint([0, 0]), at: time) == nil)
  }

  @Test("Used entries stay in the cache, and unused ones are evicted first")
  func usedStays() {
    var cache = CertificateCache(capacity: 10)
    let time = ContinuousClock.now
    cache.insert(.revoked, Fingerprint([0]), at: time)
    for number in UInt8(1)...100 {
      cache.insert(.revoked, Fingerprint([number]), at: time)
      #expect(cache.find(Fingerprint([0]), at: time) != nil, "after \(number)")
    }
  }

  @Test("nothing is remembered longer than a minute")
  func minute() {
    var cache = CertificateCache(capacity: 10)
    let time = ContinuousClock.now
    cache.insert(.revoked, Fingerprint([0]), at: time)
    #expect(cache.find(Fingerprint([0]), at: time + .seconds(59)) != nil)
    #expect(cache.find(Fingerprint([0]), at: time + .seconds(60)) == nil)
    cache.insert(.unknown, Fingerprint([1]), at: time)
    #expect(cache.find(Fingerprint([1]), at: time + .seconds(1)) == nil)
  }
}
