import LatchkeyBluetoothEmulator
import LatchkeyBluetoothHost
import Synchronization
import Testing

@testable import LatchkeyBluetoothTransports

/// The machine that lends a controller, as transcripts.
struct ControllerLeaseTests {
  private typealias Host = ControllerLease.HostID

  private static let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
  private static let complete: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]
  private static let event: [UInt8] = [0x04, 0x13, 0x05, 0x01, 0x40, 0x00, 0x01, 0x00]
  private static let busy = "another program has the controller: it is free when that one ends"
  private let a = Host(number: 1)
  private let b = Host(number: 2)
  private let c = Host(number: 3)

  private func outputs(_ lease: inout ControllerLease) -> [ControllerLease.Output] {
    var list: [ControllerLease.Output] = []
    lease.exchangeOutputs(&list)
    return list
  }

  /// A lease whose controller is with host `a`.
  private func lent(allowsVendorCommands: Bool = false) -> ControllerLease {
    var lease = ControllerLease(allowsVendorCommands: allowsVendorCommands)
    lease.controllerOpened()
    lease.hostCame(a)
    #expect(outputs(&lease) == [.lent(a)])
    return lease
  }

  @Test("A host gets a controller that is free, and its packets pass") func lending() {
    var lease = lent()
    lease.hostSent(Self.reset, a)
    lease.controllerSent(Self.complete)
    lease.controllerSent(Self.event)
    #expect(
      outputs(&lease) == [.toController(Self.reset), .toHost(Self.complete, a), .toHost(Self.event, a)])
    #expect(lease.nextDeadline == nil)
  }

  @Test("Others are turned away, and their packets go nowhere") func oneAtATime() {
    var lease = lent()
    lease.hostCame(b)
    lease.hostSent(Self.reset, b)
    lease.hostLeft(b, now: .zero)
    #expect(outputs(&lease) == [.ended(b, Self.busy)])
    lease.hostSent(Self.reset, a)
    #expect(outputs(&lease) == [.toController(Self.reset)])
  }

  @Test("The controller is reset between two hosts, and the second hears nothing of the first") func handOver() {
    var lease = lent()
    lease.hostLeft(a, now: .seconds(5))
    #expect(outputs(&lease) == [.toController(Self.reset)])
    #expect(lease.nextDeadline == .seconds(7))
    lease.hostCame(b)
    lease.hostSent(Self.reset, b)
    lease.hostCame(c)
    // What the controller still says belongs to nobody.
    lease.controllerSent(Self.event)
    lease.hostSent([0x02, 0x40, 0x20, 0x01, 0x00, 0x09], a)
    #expect(outputs(&lease) == [.ended(c, Self.busy)])
    lease.controllerSent(Self.complete)
    #expect(outputs(&lease) == [.lent(b), .toController(Self.reset)])
    lease.controllerSent(Self.complete)
    #expect(outputs(&lease) == [.toHost(Self.complete, b)])
    #expect(lease.nextDeadline == nil)
  }

  @Test("A host that leaves while the controller is reset for it does not get it") func leavesEarly() {
    var lease = lent()
    lease.hostLeft(a, now: .zero)
    lease.hostCame(b)
    lease.hostLeft(b, now: .zero)
    lease.controllerSent(Self.complete)
    #expect(outputs(&lease) == [.toController(Self.reset)])
    lease.hostCame(c)
    #expect(outputs(&lease) == [.lent(c)])
  }

  @Test("A host that does not wait for the reset is turned away") func flood() {
    var lease = lent()
    lease.hostLeft(a, now: .zero)
    lease.hostCame(b)
    let packet = [0x02, 0x40, 0x20, 0xE8, 0x03] + [UInt8](repeating: 0, count: 1000)
    for _ in 0..<10 { lease.hostSent(packet, b) }
    #expect(outputs(&lease) == [.toController(Self.reset), .ended(b, "it does not wait for the controller")])
    lease.controllerSent(Self.complete)
    #expect(outputs(&lease) == [])
  }

  @Test("A controller that does not answer the reset is opened anew") func deaf() {
    var lease = lent()
    lease.hostLeft(a, now: .zero)
    lease.hostCame(b)
    _ = outputs(&lease)
    lease.handleTimeout(now: .milliseconds(1999))
    #expect(outputs(&lease) == [])
    // Not the reply to Reset.
    for packet in [
      [], [0x04], [0x04, 0x0E, 0x04, 0x01, 0x01, 0x10], [0x04, 0x0F, 0x04, 0x01, 0x03, 0x0C, 0x00], Self.event,
    ] {
      lease.controllerSent(packet)
    }
    lease.handleTimeout(now: .seconds(2))
    #expect(outputs(&lease) == [.ended(b, "the controller does not answer"), .reopen])
    #expect(lease.nextDeadline == nil)
    lease.hostCame(c)
    #expect(outputs(&lease) == [.ended(c, "the controller does not answer")])
    lease.controllerOpened()
    lease.hostCame(a)
    #expect(outputs(&lease) == [.lent(a)])
  }

  @Test("A lost controller is lost to its host, and others hear why") func lost() {
    var lease = ControllerLease()
    lease.hostCame(a)
    #expect(outputs(&lease) == [.ended(a, "the controller is not there yet")])
    lease = lent()
    lease.controllerClosed("pulled")
    lease.hostSent(Self.reset, a)
    lease.hostLeft(a, now: .zero)
    lease.hostCame(b)
    lease.controllerSent(Self.event)
    #expect(outputs(&lease) == [.ended(a, "pulled"), .ended(b, "pulled")])
    #expect(lease.nextDeadline == nil)
  }

  @Test("Commands of the manufacturer are answered as unknown, unless they are allowed", arguments: [false, true])
  func vendorCommands(isAllowed: Bool) {
    var lease = lent(allowsVendorCommands: isAllowed)
    // OGF 0x3F, OCF 0x001; and one of OGF 0x3E, which is none; and data that looks like one.
    let vendor: [UInt8] = [0x01, 0x01, 0xFC, 0x01, 0x00]
    let others: [[UInt8]] = [[0x01, 0x01, 0xF8, 0x00], [0x02, 0x01, 0xFC, 0x00, 0x00], [0x01, 0x01, 0xFC]]
    lease.hostSent(vendor, a)
    for packet in others { lease.hostSent(packet, a) }
    let first: ControllerLease.Output =
      isAllowed ? .toController(vendor) : .toHost([0x04, 0x0F, 0x04, 0x01, 0x01, 0x01, 0xFC], a)
    #expect(outputs(&lease) == [first] + others.map { .toController($0) })
  }
}

/// A lent controller with real hosts, over a radio's server.
@Suite(.timeLimit(.minutes(5)))
struct LentControllerTests {
  /// The controller `name` of a radio, behind a transport that can be lost.
  private final class Adapter: ControllerTransport {
    private let inner: VirtualTransport
    private let receiver = Mutex<(any ControllerTransportReceiver)?>(nil)

    init(_ radio: VirtualRadio, _ name: String) { inner = radio.makeTransport(name) }

    func open(_ receiver: any ControllerTransportReceiver) {
      self.receiver.withLock { $0 = receiver }
      inner.open(receiver)
    }
    func send(_ packet: consuming [UInt8]) { inner.send(packet) }
    func close() { inner.close() }
    func pull() {
      inner.close()
      receiver.withLock { $0.take() }?.transportClosed("pulled")
    }
  }

  private func manager(_ place: ListenSpecification, _ number: UInt64, _ heard: AsyncStream<String>.Continuation)
    -> TestManager
  {
    let transport = ReconnectingTransport.toController(place.clientSpecification)
    let driver = HostDriver(
      configuration: HostConfiguration(ownAddress: .staticRandom(number)), transport: transport,
      scheduler: transport.scheduler)
    return TestManager(driver) { manager, event in
      switch event {
      case .stateChanged(.poweredOn, _):
        heard.yield("\(number) on")
        manager.driver.withHost { host, now in
          host.startAdvertising(manager.client, AdvertisingParameters(localName: "Device \(number)"), now: now)
        }
      case .advertisingStarted: heard.yield("\(number) advertises")
      default: break
      }
    }
  }

  @Test("One program after the other has the adapter, and what the first left on is off") func oneAfterTheOther()
    async throws
  {
    let radio = VirtualRadio()
    let adapters = Mutex<[Adapter]>([])
    let (changes, change) = AsyncStream<LentController.Change>.makeStream()
    var changed = changes.makeAsyncIterator()
    let clock = VirtualClock()
    let controller = LentController(
      scheduler: clock,
      makeWay: {
        ReconnectingTransport(scheduler: clock) {
          let adapter = Adapter(radio, "adapter")
          adapters.withLock { $0.append(adapter) }
          return adapter
        }
      }, report: { change.yield($0) })
    let (events, event) = AsyncStream<RadioServer.Event>.makeStream()
    var happened = events.makeAsyncIterator()
    let server = RadioServer(lending: controller, report: { event.yield($0) })
    let place = try await server.start(at: ListenSpecification("unix-server:\(temporarySocketPath())"))
    controller.open()
    #expect(await changed.next() == .opened)

    let (news, said) = AsyncStream<String>.makeStream()
    var heard = news.makeAsyncIterator()
    let first = manager(place, 1, said)
    first.driver.start()
    #expect(await happened.next() == .joined("client-1"))
    #expect(await heard.next() == "1 on")
    #expect(await heard.next() == "1 advertises")

    // A second one is turned away while the first is there.
    let late = TransportRecorder()
    H4StreamTransport(to: place.endpoint).open(late)
    #expect(await late.next() == .opened)
    guard case .closed(let reason?) = await late.next() else {
      Issue.record("it was not turned away")
      return
    }
    #expect(reason.hasSuffix("before it sent anything: another program may have the controller"))
    #expect(await happened.next() == .joined("client-2"))
    #expect(
      await happened.next()
        == .left("client-2", reason: "another program has the controller: it is free when that one ends"))

    // It dies: no word, a closed stream.
    first.driver.shutDown()
    guard case .left("client-1", _)? = await happened.next() else {
      Issue.record("it did not leave")
      return
    }
    let second = manager(place, 2, said)
    second.driver.start()
    #expect(await happened.next() == .joined("client-3"))
    #expect(await heard.next() == "2 on")
    #expect(await heard.next() == "2 advertises")
    // Only the second one is on the air.
    let watcher = radio.makeTransport("watcher")
    let seen = TestManager(
      HostDriver(
        configuration: HostConfiguration(ownAddress: .staticRandom(9)), transport: watcher, scheduler: radio.scheduler)
    ) { manager, event in
      switch event {
      case .stateChanged(.poweredOn, _):
        manager.driver.withHost { host, now in
          _ = host.startScan(manager.client, services: nil, allowDuplicates: false, now: now)
        }
      case .discovered(let discovery): said.yield("found \(discovery.data.localName ?? "nameless")")
      default: break
      }
    }
    seen.driver.start()
    #expect(await heard.next() == "found Device 2")

    // The adapter is pulled and comes back: its host loses it, and may try again.
    adapters.withLock { $0.last }?.pull()
    #expect(await changed.next() == .closed("pulled; it is sought again"))
    guard case .left("client-3", "pulled; it is sought again")? = await happened.next() else {
      Issue.record("it was not told")
      return
    }
    clock.advance(by: .seconds(1))
    #expect(await changed.next() == .opened)
    second.driver.shutDown()
    seen.driver.shutDown()
    await server.shutDown()
    controller.close()
  }
}
