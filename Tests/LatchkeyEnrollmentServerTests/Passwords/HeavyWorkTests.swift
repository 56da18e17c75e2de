import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Crypto
import Dispatch
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import NIOCore
import Synchronization
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("Heavy work")
struct HeavyWorkTests {
  final class Count: Sendable {
    private let state = Mutex((now: 0, most: 0))
    var most: Int { state.withLock { $0.most } }
    func enter() {
      state.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
    }
    func leave() { state.withLock { $0.now -= 1 } }
  }

  @Test("The number of concurrent pieces is limited, and all of them run", arguments: [1, 3])
  func atOnce(number: Int) async throws {
    let (work, count) = (HeavyWork(label: "test", atOnce: number, longestWait: 600), Count())
    let results = try await withThrowingTaskGroup(of: Int.self) { group in
      for index in 0..<50 {
        group.addTask {
          try await work.run {
            count.enter()
            defer { count.leave() }
            return (0..<2000).reduce(index) { ($0 &* 31 &+ $1) & 0xFFFF } & 0 + index
          }
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(results == Set(0..<50))
    #expect(count.most <= number)
  }

  @Test("An error that the work throws reaches its caller")
  func thrown() async throws {
    let work = HeavyWork(label: "test", atOnce: 1, longestWait: 600)
    await #expect(throws: Problem.self) { try await work.run { throw Problem(.notFound) } }
    #expect(try await work.run { 1 } == 1)
  }

  /// Holds one thread until it is released.
  private func holding(_ work: HeavyWork) async -> (release: @Sendable () -> Void, held: Task<Void, any Error>) {
    let (entered, hold) = (Gate(), DispatchSemaphore(value: 0))
    let held = Task {
      try await work.run {
        Task { await entered.open() }
        hold.wait()
      }
    }
    await entered.pass()
    return ({ hold.signal() }, held)
  }

  private final class Order: Sendable {
    private let state = Mutex((served: [String](), refused: [String](), seconds: [Int]()))
    var all: [String] { state.withLock { $0.served } }
    var refused: [String] { state.withLock { $0.refused } }
    var seconds: [Int] { state.withLock { $0.seconds } }
    func append(_ text: String) { state.withLock { $0.served.append(text) } }
    func refuse(_ text: String, _ seconds: Int) {
      state.withLock {
        $0.refused.append(text)
        $0.seconds.append(seconds)
      }
    }
  }

  private static func stranger(_ address: String, _ user: UInt8 = 0) -> HeavyWork.Source {
    LoginOrigin(peer: PeerAddress(address))
      .source(of: SHA256.hash(data: [user]), isOwnDevice: false, isKnown: false)
  }

  /// Puts pieces into the line, one after the other, and says how each ended: by its name, or as refused.
  private func line(_ work: HeavyWork, _ pieces: [(String, HeavyWork.Source)], served: Order) async throws -> [Task<
    Void, Never
  >] {
    var tasks: [Task<Void, Never>] = []
    for (name, source) in pieces {
      let before = work.waiting + served.refused.count
      tasks.append(
        Task {
          do {
            try await work.run(for: source) { served.append(name) }
          } catch { served.refuse(name, (error as? TryLater)?.seconds ?? 0) }
        })
      try await waitUntil { work.waiting + served.refused.count != before }
    }
    return tasks
  }

  /// Lets pieces wait behind one that works, then lets them have their turns.
  private func order(
    _ work: HeavyWork, _ pieces: [(String, HeavyWork.Source)], meanwhile: () -> Void = {}
  ) async throws -> Order {
    let served = Order()
    let (release, held) = await holding(work)
    let tasks = try await line(work, pieces, served: served)
    meanwhile()
    release()
    try await held.value
    for task in tasks { await task.value }
    return served
  }

  @Test("A newcomer replaces the last entry of the flooding network, and runs after one of its entries")
  func flood() async throws {
    // Nothing was measured yet: a piece is estimated at 0.1 s.
    let work = HeavyWork(label: "test", atOnce: 1, longestWait: 0.65, now: { .uptimeNanoseconds(0) })
    let flood = (1...7).map { ("flood \($0)", Self.stranger("192.0.2.\($0)")) }
    let served = try await order(
      work, flood + [("near", Self.stranger("192.0.3.1")), ("far", Self.stranger("2001:db8::1"))])
    #expect(served.all == ["flood 1", "near", "far", "flood 2", "flood 3", "flood 4"])
    #expect(served.refused == ["flood 7", "flood 6", "flood 5"])
    // As long as the six that stand in the line take.
    #expect(served.seconds == [1, 1, 1])
  }

  @Test("Users behind one address have their turns, and a user with many requests waits behind these")
  func office() async throws {
    let work = HeavyWork(label: "test", atOnce: 1, longestWait: 60, now: { .uptimeNanoseconds(0) })
    let served = try await order(
      work,
      (1...3).map { ("ann \($0)", Self.stranger("192.0.2.1", 1)) } + [
        ("bob", Self.stranger("192.0.2.1", 2)), ("cid", Self.stranger("192.0.2.1", 3)),
      ])
    #expect(served.all == ["ann 1", "bob", "cid", "ann 2", "ann 3"])
  }

  @Test("Users' own devices come before known addresses, those before strangers, and none is left out")
  func doors() async throws {
    let work = HeavyWork(label: "test", atOnce: 1, longestWait: 600, now: { .uptimeNanoseconds(0) })
    let digest = SHA256.hash(data: [1])
    let strangers = (0..<7).map { ("stranger", Self.stranger("192.0.\($0).1")) }
    let known = (0..<7).map { number in
      (
        "place",
        LoginOrigin(peer: PeerAddress("192.0.\(number).1")).source(of: digest, isOwnDevice: false, isKnown: true)
      )
    }
    let devices = (0..<7).map { _ in
      ("device", HeavyWork.Source(.device, .device(.random()), .user(digest)))
    }
    let served = try await order(work, strangers + known + devices)
    let first = served.all.prefix(7)
    #expect(first.first == "device")
    #expect(first.count { $0 == "device" } == 4)
    #expect(first.count { $0 == "place" } == 2)
    #expect(first.count { $0 == "stranger" } == 1)
    #expect(served.all.count == 21)
  }

  @Test("Strangers have their share alone of the places while others wait, too")
  func shareOfPlaces() async throws {
    // Twenty-one pieces of 0.1 s, of which a third is the strangers'.
    let work = HeavyWork(label: "test", atOnce: 1, longestWait: 2.15, now: { .uptimeNanoseconds(0) })
    let served = try await order(
      work, [("house", .house)] + (1...9).map { ("\($0)", Self.stranger("192.0.\($0).1")) })
    #expect(served.refused == ["8", "9"])
  }

  @Test("A caller whose estimated wait is too long is refused at once, with a retry time")
  func slowPieces() async throws {
    let clock = Mutex<UInt64>(0)
    let work = HeavyWork(label: "test", atOnce: 1, longestWait: 1) { .uptimeNanoseconds(clock.withLock { $0 }) }
    // Now a piece takes 0.1 s + (8.1 s - 0.1 s) / 4.
    try await work.run { clock.withLock { $0 += 8_100_000_000 } }
    let pieces = (1...6).map { ("\($0)", Self.stranger("192.0.\($0).1")) }
    let served = try await order(work, pieces)
    #expect(served.all == ["1", "2", "3", "4"])
    #expect(served.refused == ["5", "6"])
    #expect(served.seconds == [9, 9])
  }

  @Test("A slow piece counts as ten seconds at most; more threads give more places and shorter waits")
  func bounds() async throws {
    let clock = Mutex<UInt64>(0)
    let slow = HeavyWork(label: "test", atOnce: 1, longestWait: 1) { .uptimeNanoseconds(clock.withLock { $0 }) }
    try await slow.run { clock.withLock { $0 += 1_000_000_000_000 } }
    let reported = try await order(slow, (1...5).map { ("\($0)", Self.stranger("192.0.\($0).1")) }).seconds
    // Four pieces of 0.1 s + (10 s - 0.1 s) / 4.
    #expect(reported == [11])

    let two = HeavyWork(label: "test", atOnce: 2, longestWait: 2, now: { .uptimeNanoseconds(0) })
    let (release, held) = await holding(two)
    let served = try await order(two, (1...41).map { ("\($0)", Self.stranger("192.0.\($0).1")) })
    release()
    try await held.value
    #expect(served.all.count == 40)
    #expect(served.seconds == [2])
  }

  @Test("However long a piece may wait, a line has an end")
  func longestLine() async throws {
    let work = HeavyWork(label: "test", atOnce: 1, longestWait: 1e6, now: { .uptimeNanoseconds(0) })
    let served = Order()
    let (release, held) = await holding(work)
    let tasks = (0..<1030).map { number in
      Task {
        let source = Self.stranger("192.\(number / 250).\(number % 250).1")
        do { try await work.run(for: source) { served.append("") } } catch { served.refuse("", 0) }
      }
    }
    try await waitUntil { work.waiting + served.refused.count >= tasks.count }
    release()
    try await held.value
    for task in tasks { await task.value }
    #expect(served.all.count == 1024 && served.refused.count == 6)
  }

  @Test("A door that was empty for a while has its turn as if it came for the first time")
  func returning() async throws {
    let work = HeavyWork(label: "test", atOnce: 1, longestWait: 60, now: { .uptimeNanoseconds(0) })
    let user = SHA256.hash(data: [1])
    let device = LoginOrigin(peer: PeerAddress("192.0.2.1")).source(of: user, isOwnDevice: true, isKnown: true)
    #expect(device.door == .device)
    for _ in 0..<5 {
      let served = try await order(work, [("stranger", Self.stranger("192.0.3.1")), ("device", device)])
      #expect(served.all == ["device", "stranger"])
    }
  }

  @Test("Work that has waited too long is refused, and later work is not")
  func late() async throws {
    let clock = Mutex<UInt64>(0)
    let work = HeavyWork(label: "test", atOnce: 1, longestWait: 1) { .uptimeNanoseconds(clock.withLock { $0 }) }
    let served = try await order(work, [("a", Self.stranger("192.0.2.1")), ("b", .house)]) {
      clock.withLock { $0 += 1_000_000_000 }
    }
    #expect(served.all == [])
    #expect(Set(served.refused) == ["a", "b"])
    #expect(try await work.run { 7 } == 7)
    #expect(work.waiting == 0)
  }

  @Test("Work on all its threads leaves Swift's pool alone")
  func pool() async throws {
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let work = HeavyWork(label: "test", atOnce: cores, longestWait: 600)
    let flag = Flag()
    let begun = Count()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<cores {
        group.addTask {
          try await work.run {
            begun.enter()
            // Without end where no task of the pool runs meanwhile: the limit is that of a hang.
            let limit = NIODeadline.now() + .minutes(5)
            while !flag.isSet, .now() < limit {}
            return flag.isSet
          }
        }
      }
      group.addTask {
        // Not before all pieces hold their threads.
        try await waitUntil { begun.most >= cores }
        flag.set()
        return true
      }
      for try await saw in group { #expect(saw) }
    }
  }

  private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
  }
}
