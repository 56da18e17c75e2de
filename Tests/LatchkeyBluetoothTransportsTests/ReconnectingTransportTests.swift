import LatchkeyBluetoothEmulator
import Synchronization
import Testing

@testable import LatchkeyBluetoothTransports

/// A controller that is lost is sought again.
struct ReconnectingTransportTests {
  /// Transports that open or fail as scripted.
  private final class Ways: Sendable {
    final class Way: ControllerTransport {
      let receiver = Mutex<(any ControllerTransportReceiver)?>(nil)
      let sent = Mutex<[[UInt8]]>([])
      let isClosed = Atomic(false)
      private let failure: String?

      init(failure: String?) { self.failure = failure }

      func open(_ receiver: any ControllerTransportReceiver) {
        if let failure { return receiver.transportClosed(failure) }
        self.receiver.withLock { $0 = receiver }
        receiver.transportOpened()
      }

      func send(_ packet: consuming [UInt8]) {
        let packet = packet
        sent.withLock { $0.append(packet) }
      }

      func close() { isClosed.store(true, ordering: .relaxed) }
      func lose(_ reason: String?) { receiver.withLock { $0 }?.transportClosed(reason) }
    }

    let all = Mutex<[Way]>([])
    let failure = Mutex<String?>(nil)
    var last: Way? { all.withLock { $0.last } }
    var count: Int { all.withLock { $0.count } }

    func make() -> Way {
      let way = Way(failure: failure.withLock { $0 })
      all.withLock { $0.append(way) }
      return way
    }
  }

  private final class Receiver: ControllerTransportReceiver {
    let heard = Mutex<[String]>([])
    private func note(_ text: String) { heard.withLock { $0.append(text) } }
    func transportOpened() { note("opened") }
    func transportReceived(_ packet: consuming [UInt8]) { note("received \(packet)") }
    func transportClosed(_ reason: String?) { note("closed \(reason ?? "")") }
  }

  private let clock = VirtualClock()
  private let ways = Ways()
  private let receiver = Receiver()
  private let transport: ReconnectingTransport

  init() {
    let ways = ways
    transport = ReconnectingTransport(scheduler: clock) { ways.make() }
  }

  private var heard: [String] {
    receiver.heard.withLock { heard in
      defer { heard = [] }
      return heard
    }
  }

  @Test("A lost connection is retried after a second") func aLostWayIsOpenedAgainAfterASecond() {
    transport.open(receiver)
    #expect(heard == ["opened"])
    ways.last?.lose("pulled")
    #expect(heard == ["closed pulled; it is sought again"])
    transport.send([1])
    clock.advance(by: .milliseconds(999))
    #expect(ways.count == 1)
    clock.advance(by: .milliseconds(1))
    #expect(heard == ["opened"])
    transport.send([2])
    let sent = ways.last?.sent.withLock { $0 }
    #expect(sent == [[2]])
    ways.last?.receiver.withLock { $0 }?.transportReceived([4])
    #expect(heard == ["received [4]"])
  }

  @Test("Failed attempts have longer delays and are not reported") func failedAttempts() {
    ways.failure.withLock { $0 = "refused" }
    transport.open(receiver)
    #expect(heard == ["closed refused; it is sought again"])
    for (number, wait) in [1, 2, 4, 8, 16, 30, 30, 30].enumerated() {
      #expect(clock.nextDeadline == clock.now + .seconds(wait))
      clock.advanceToNextDeadline()
      #expect(ways.count == number + 2)
    }
    #expect(heard == [])
    ways.failure.withLock { $0 = nil }
    clock.advanceToNextDeadline()
    #expect(heard == ["opened"])
    // One that opens and is lost at once does not hurry.
    ways.last?.lose(nil)
    #expect(clock.nextDeadline == clock.now + .seconds(30))
    clock.advanceToNextDeadline()
    // One that has been good does.
    clock.advance(by: .seconds(30))
    ways.last?.lose(nil)
    #expect(clock.nextDeadline == clock.now + .seconds(1))
  }

  @Test("A late close of an earlier attempt is ignored") func whatAnEarlierWayStillSaysOfItsEndIsNotHeard() {
    transport.open(receiver)
    let first = ways.last
    first?.lose("one")
    clock.advance(by: .seconds(1))
    _ = heard
    first?.lose("again")
    #expect(heard == [])
    #expect(clock.nextDeadline == nil)
  }

  @Test("No attempt follows a close") func whoClosesIsLeftAlone() {
    transport.open(receiver)
    let way = ways.last
    transport.close()
    #expect(way?.isClosed.load(ordering: .relaxed) == true)
    way?.lose("late")
    #expect(heard == ["opened"])
    #expect(clock.nextDeadline == nil)
  }

  @Test("Closing cancels a pending retry") func aWaitIsGivenUpByClosing() {
    transport.open(receiver)
    ways.last?.lose("pulled")
    transport.close()
    clock.advance(by: .seconds(100))
    #expect(ways.count == 1)
  }
}
