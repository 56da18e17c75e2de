import Glibc
import LatchkeyBluetoothEmulator
import LatchkeyBluetoothHost
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import LatchkeyBluetoothTransports

@Suite(.timeLimit(.minutes(5)))
struct RadioServerTests {
  private let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
  private let complete: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]

  /// A server of scripted controllers, what it reported, and the controllers by name.
  private final class Bench: Sendable {
    let server: RadioServer
    private let controllers = Mutex<[String: ScriptedController]>([:])
    private let events: AsyncStream<RadioServer.Event>

    init(answer: @escaping @Sendable ([UInt8]) -> [UInt8]? = { _ in nil }) {
      let (stream, continuation) = AsyncStream<RadioServer.Event>.makeStream()
      events = stream
      let box = Mutex<@Sendable (String, ScriptedController) -> Void> { _, _ in }
      server = RadioServer(
        makeTransport: { name in
          let controller = ScriptedController(answer: answer)
          box.withLock { $0 }(name, controller)
          return controller
        }, report: { continuation.yield($0) })
      box.withLock { $0 = { [weak self] name, controller in self?.controllers.withLock { $0[name] = controller } } }
    }

    func controller(_ name: String) -> ScriptedController? { controllers.withLock { $0[name] } }

    func event() async -> RadioServer.Event? {
      var iterator = events.makeAsyncIterator()
      return await iterator.next()
    }
  }

  private func client(of place: ListenSpecification) async -> (H4StreamTransport, TransportRecorder) {
    let transport = H4StreamTransport(to: place.endpoint)
    let recorder = TransportRecorder()
    transport.open(recorder)
    #expect(await recorder.next() == .opened)
    return (transport, recorder)
  }

  @Test("Each client has a controller of its own that is removed with it")
  func eachClientHasAControllerOfItsOwnThatLeavesWithIt() async throws {
    let bench = Bench { [complete] _ in complete }
    let place = try await bench.server.start(at: ListenSpecification("tcp-server:127.0.0.1:0"))
    let (first, heardByFirst) = await client(of: place)
    #expect(await bench.event() == .joined("client-1"))
    let (second, heardBySecond) = await client(of: place)
    #expect(await bench.event() == .joined("client-2"))
    #expect(bench.server.clientCount == 2)

    second.send(reset)
    #expect(await heardBySecond.next() == .received(complete))
    #expect(bench.controller("client-1")?.received == [])
    #expect(bench.controller("client-2")?.received == [reset])
    first.send(reset)
    #expect(await heardByFirst.next() == .received(complete))

    second.close()
    #expect(await bench.event() == .left("client-2", reason: "the other end closed it"))
    #expect(bench.controller("client-2")?.closings == 1)
    #expect(bench.controller("client-1")?.closings == 0)
    #expect(bench.server.clientCount == 1)
    await bench.server.shutDown()
    #expect(await bench.event() == .left("client-1", reason: "the server is shut down"))
    #expect(await heardByFirst.next() == .closed("\(place.endpoint): the other end closed it"))
  }

  @Test("one event loop reads all clients, so that none waits for a thread that works for others")
  func oneLoop() async throws {
    let loops = Mutex<Set<ObjectIdentifier>>([])
    let bench = Bench { [complete] _ in
      if let loop = MultiThreadedEventLoopGroup.currentEventLoop {
        loops.withLock { _ = $0.insert(ObjectIdentifier(loop)) }
      }
      return complete
    }
    let place = try await bench.server.start(at: ListenSpecification("tcp-server:127.0.0.1:0"))
    for _ in 0..<8 {
      let (transport, heard) = await client(of: place)
      transport.send(reset)
      #expect(await heard.next() == .received(complete))
    }
    #expect(loops.withLock { $0 } == [ObjectIdentifier(bench.server.loop)])
    await bench.server.shutDown()
  }

  @Test("a radio that has its time from an event loop is served by that one") func loopOfTheRadio() {
    for _ in 0..<4 {
      let scheduler = NIOScheduler()
      let server = RadioServer(radio: VirtualRadio(scheduler: scheduler))
      #expect(server.loop === scheduler.eventLoop)
    }
  }

  @Test("hosts find a radio that went and came back at its place, and each other on it")
  func comeback() async throws {
    let place = try ListenSpecification("unix-server:\(temporarySocketPath())")
    let clock = VirtualClock()
    let (news, continuation) = AsyncStream<String>.makeStream()
    var heard = news.makeAsyncIterator()
    func party(_ number: UInt64, answer: @escaping @Sendable (TestManager, HostEvent) -> Void) -> TestManager {
      let transport = ReconnectingTransport(scheduler: clock) { H4StreamTransport(to: place.endpoint) }
      return TestManager(
        HostDriver(
          configuration: HostConfiguration(ownAddress: .staticRandom(number)), transport: transport, scheduler: clock),
        answer: answer)
    }
    let lamp = party(1) { lamp, event in
      switch event {
      case .stateChanged(.poweredOn, _):
        lamp.driver.withHost { host, now in
          host.startAdvertising(lamp.client, AdvertisingParameters(localName: "Lamp"), now: now)
        }
      case .stateChanged(.poweredOff, _): continuation.yield("lamp off")
      case .advertisingStarted: continuation.yield("lamp advertises")
      default: break
      }
    }
    let phone = party(2) { phone, event in
      switch event {
      case .stateChanged(.poweredOn, _): continuation.yield("phone on")
      case .stateChanged(.poweredOff, _): continuation.yield("phone off")
      case .discovered: continuation.yield("found")
      default: break
      }
    }
    for round in 0..<3 {
      let server = RadioServer(radio: VirtualRadio())
      _ = try await server.start(at: place)
      if round == 0 {
        lamp.driver.start()
        phone.driver.start()
      } else {
        // They look for it after a second, and the next time after two.
        clock.advance(by: .seconds(round))
      }
      var now: Set<String> = [try #require(await heard.next()), try #require(await heard.next())]
      #expect(now == ["lamp advertises", "phone on"])
      phone.driver.withHost { host, now in
        host.startScan(phone.client, services: nil, allowDuplicates: false, now: now)
      }
      #expect(await heard.next() == "found")
      await server.shutDown()
      now = [try #require(await heard.next()), try #require(await heard.next())]
      #expect(now == ["phone off", "lamp off"])
    }
    let states: [HostState] = [.unknown] + Array(repeatElement([.poweredOn, .poweredOff, .unknown], count: 3).joined())
    #expect(lamp.states == states.dropLast())
    #expect(phone.states == states.dropLast())
    lamp.driver.shutDown()
    phone.driver.shutDown()
  }

  @Test("A client that sends noise is disconnected and the others stay")
  func aClientThatSendsNoiseIsTurnedOutAndTheOthersStay() async throws {
    let bench = Bench { [complete] _ in complete }
    let place = try await bench.server.start(at: ListenSpecification("tcp-server:127.0.0.1:0"))
    let (good, heard) = await client(of: place)
    #expect(await bench.event() == .joined("client-1"))
    let noisy = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "127.0.0.1", port: place.port).get()
    #expect(await bench.event() == .joined("client-2"))
    try await noisy.writeAndFlush(ByteBuffer(bytes: [UInt8](repeating: 0xEE, count: 64 << 10)))
    let reason = "a packet begins with 0xee, which is no H4 packet indicator from this side"
    #expect(await bench.event() == .left("client-2", reason: reason))
    try await noisy.closeFuture.get()
    good.send(reset)
    #expect(await heard.next() == .received(complete))
    await bench.server.shutDown()
  }

  @Test("A client that does not read is disconnected") func aClientThatDoesNotReadIsCutOff() async throws {
    let bench = Bench()
    let place = try await bench.server.start(at: ListenSpecification("tcp-server:127.0.0.1:0"))
    let deaf = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(.autoRead, value: false).connect(host: "127.0.0.1", port: place.port).get()
    #expect(await bench.event() == .joined("client-1"))
    let receiver = try #require(bench.controller("client-1")?.receiver)
    let packet: [UInt8] = [0x02, 0x40, 0x20, 0xFB, 0x00] + Array(repeating: 0, count: 251)
    // The kernel's buffers of both ends hold some megabytes; then ours fills.
    var count = 0
    while bench.server.clientCount == 1, count < 1 << 20 {
      receiver.transportReceived(packet)
      count += 1
    }
    #expect(await bench.event() == .left("client-1", reason: "it does not read what it is sent"))
    #expect(bench.controller("client-1")?.closings == 1)
    try? await deaf.close()
    await bench.server.shutDown()
  }

  @Test("A controller that is switched off disconnects its client") func switchedOffController() async throws {
    let bench = Bench()
    let place = try await bench.server.start(at: ListenSpecification("tcp-server:127.0.0.1:0"))
    let (_, heard) = await client(of: place)
    #expect(await bench.event() == .joined("client-1"))
    bench.controller("client-1")?.receiver?.transportClosed("it was switched off")
    #expect(await bench.event() == .left("client-1", reason: "it was switched off"))
    #expect(
      await heard.next()
        == .closed(
          "\(place.endpoint): the other end closed it before it sent anything: another program may have the controller")
    )
    await bench.server.shutDown()
  }

  @Test("A Unix socket is created and removed") func aUnixSocketIsMadeAndRemoved() async throws {
    let bench = Bench { [complete] _ in complete }
    let path = temporarySocketPath()
    let place = try await bench.server.start(at: ListenSpecification("unix-server:\(path)"))
    #expect(place.description == "unix-server:\(path)")
    let (transport, heard) = await client(of: place)
    transport.send(reset)
    #expect(await heard.next() == .received(complete))
    await bench.server.shutDown()
    #expect(access(path, F_OK) != 0)
  }

  @Test("The socket of a dead server is replaced") func theSocketOfADeadServerIsReplaced() async throws {
    let path = temporarySocketPath()
    // A killed server leaves a socket without a listener.
    do { _ = try #require(BoundSocket(path: path)) }
    #expect(access(path, F_OK) == 0)
    let bench = Bench()
    let place = try await bench.server.start(at: ListenSpecification("unix-server:\(path)"))
    let (transport, _) = await client(of: place)
    transport.close()
    await bench.server.shutDown()
    #expect(access(path, F_OK) != 0)
  }

  @Test("The socket of a running server is left alone") func theSocketOfALivingServerIsLeftAlone() async throws {
    let path = temporarySocketPath()
    let place = try ListenSpecification("unix-server:\(path)")
    let bench = Bench()
    _ = try await bench.server.start(at: place)
    let late = Bench()
    await #expect(throws: RadioServerError.inUse(place)) { try await late.server.start(at: place) }
    await late.server.shutDown()
    let (transport, _) = await client(of: place)
    transport.close()
    await bench.server.shutDown()
  }

  @Test("A file that is no socket is left alone") func aFileThatIsNoSocketIsLeftAlone() async throws {
    let path = temporarySocketPath()
    close(open(path, O_CREAT | O_WRONLY, 0o600))
    defer { unlink(path) }
    await #expect(throws: RadioServerError.notASocket(path: path)) {
      try await Bench().server.start(at: ListenSpecification("unix-server:\(path)"))
    }
    #expect(access(path, F_OK) == 0)
  }

  @Test("A port in use is named in the error") func portInUse() async throws {
    let bench = Bench()
    let place = try await bench.server.start(at: ListenSpecification("tcp-server:127.0.0.1:0"))
    let late = Bench()
    let error = await #expect(throws: RadioServerError.self) { try await late.server.start(at: place) }
    #expect(error?.description == "another server listens at \(place) already")
    await bench.server.shutDown()
  }

  @Test("A server starts only once") func aServerStartsOnce() async throws {
    let bench = Bench()
    _ = try await bench.server.start(at: ListenSpecification("tcp-server:127.0.0.1:0"))
    await #expect(throws: RadioServerError.alreadyStarted) {
      try await bench.server.start(at: ListenSpecification("tcp-server:127.0.0.1:0"))
    }
    await bench.server.shutDown()
  }

  @Test("A missing directory is named in the error") func aDirectoryThatIsNotThere() async throws {
    let place = try ListenSpecification("unix-server:/nonexistent/radio")
    let error = await #expect(throws: RadioServerError.self) { try await Bench().server.start(at: place) }
    #expect(error?.description == "cannot listen at \(place): No such file or directory")
  }
}

extension ListenSpecification {
  fileprivate var port: Int {
    if case .tcp(_, let port) = endpoint { port } else { 0 }
  }
}
