import Glibc
import LatchkeyBluetoothEmulator
import LatchkeyBluetoothHost
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import LatchkeyBluetoothTransports

/// A board at the other end of a pseudoterminal: a virtual controller that speaks H4 over its master.
private final class Board: Sendable {
  let path: String
  private let master: CInt
  private let channel: Mutex<(any Channel)?>

  /// The parts of the board, which talk to each other.
  private final class Firmware: H4StreamObserver, ControllerTransportReceiver {
    private let controller: VirtualTransport
    private let sender = Mutex<H4Sender?>(nil)

    init(_ controller: VirtualTransport) { self.controller = controller }

    func streamOpened(_ sender: H4Sender) {
      self.sender.withLock { $0 = sender }
      controller.open(self)
    }
    func streamReceived(_ packet: [UInt8]) { controller.send(packet) }
    func streamEnded(_ reason: String) { controller.close() }
    func transportOpened() {}
    func transportReceived(_ packet: consuming [UInt8]) { _ = sender.withLock { $0 }?.send(packet) }
    func transportClosed(_ reason: String?) {}
  }

  /// A board without firmware: the test has its bytes.
  init() throws {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    // TIOCSPTLCK and TIOCGPTN (ioctl_tty(2)).
    var (lock, number): (CInt, CInt) = (0, 0)
    try #require(master >= 0 && ioctl(master, 0x4004_5431, &lock) == 0 && ioctl(master, 0x8004_5430, &number) == 0)
    path = "/dev/pts/\(number)"
    channel = Mutex(nil)
  }

  /// Starts the firmware, as a controller of a radio.
  func run(on radio: VirtualRadio, as name: String) async throws {
    let firmware = Firmware(radio.makeTransport(name))
    let channel = try await NIOPipeBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            H4ChannelHandler(from: .host, isTCP: false, observer: firmware))
        }
      }
      .takingOwnershipOfDescriptor(inputOutput: master).get()
    self.channel.withLock { $0 = channel }
  }

  /// Sends bytes to the host.
  func send(_ bytes: [UInt8]) { #expect(write(master, bytes, bytes.count) == bytes.count) }

  /// The next bytes that the host sent.
  func receive(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var have = 0
    while have < count {
      let more = bytes.withUnsafeMutableBytes { read(master, $0.baseAddress?.advanced(by: have), count - have) }
      guard more > 0 else { break }
      have += more
    }
    return Array(bytes.prefix(have))
  }

  /// Pulls the plug.
  func unplug() async {
    // It closes itself when the host's end is closed first.
    if let channel = channel.withLock({ $0.take() }) { try? await channel.close() } else { close(master) }
  }
}

@Suite(.timeLimit(.minutes(5)))
struct SerialTransportTests {
  private let recorder = TransportRecorder()
  private let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
  private let complete: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]

  private func transport(_ path: String, speed: Int = SerialPort.standardSpeed) throws -> H4StreamTransport {
    H4StreamTransport(
      to: .serial(try SerialPort(path: path, speed: speed)), eventLoop: MultiThreadedEventLoopGroup.singleton.next())
  }

  @Test("Packets pass both ways over a serial line, every byte as it is") func bothWays() async throws {
    let board = try Board()
    let transport = try transport(board.path)
    transport.open(recorder)
    #expect(await recorder.next() == .opened)
    // All values: a line that is not raw changes or eats some of them.
    let everyByte = [0x02, 0x01, 0x20, 0x00, 0x01] + (0...255).map { UInt8($0) }
    transport.send(everyByte)
    #expect(board.receive(everyByte.count) == everyByte)
    board.send(everyByte + complete.prefix(3))
    #expect(await recorder.next() == .received(everyByte))
    board.send(Array(complete.dropFirst(3)))
    #expect(await recorder.next() == .received(complete))
    transport.close()
    await board.unplug()
  }

  @Test(
    "The line is raw, with flow control, at the speed that was asked for", arguments: [115_200, 1_000_000, 3_000_000])
  func settings(speed: Int) async throws {
    let board = try Board()
    let transport = try transport(board.path, speed: speed)
    transport.open(recorder)
    #expect(await recorder.next() == .opened)
    let other = open(board.path, O_RDWR | O_NOCTTY | O_NONBLOCK)
    defer { close(other) }
    // Root may open what is exclusive; other users may not.
    if other >= 0 {
      var (result, wanted) = (termios(), termios())
      #expect(tcgetattr(other, &result) == 0)
      cfsetspeed(&wanted, speed_t(speed))
      #expect(cfgetospeed(&result) == cfgetospeed(&wanted) && cfgetispeed(&result) == cfgetispeed(&wanted))
      #expect(result.c_lflag & tcflag_t(ICANON | ECHO | ISIG) == 0)
      #expect(result.c_iflag & tcflag_t(IXON | IXOFF | ICRNL | ISTRIP) == 0)
      #expect(result.c_oflag & tcflag_t(OPOST) == 0)
      #expect(result.c_cflag & tcflag_t(CSIZE) == tcflag_t(CS8))
    } else {
      #expect(errno == EBUSY)
    }
    transport.close()
    await board.unplug()
  }

  @Test("A device that is unplugged closes the transport with the reason") func unplugged() async throws {
    let board = try Board()
    let transport = try transport(board.path)
    transport.open(recorder)
    #expect(await recorder.next() == .opened)
    await board.unplug()
    #expect(await recorder.next() == .closed("\(board.path): the device is gone"))
    transport.send(reset)
    transport.close()
  }

  @Test("A device in use is refused, and free again when its user closes it") func inUse() async throws {
    let board = try Board()
    let first = try transport(board.path)
    first.open(recorder)
    #expect(await recorder.next() == .opened)
    let second = TransportRecorder()
    try transport(board.path).open(second)
    let closed = await second.next()
    #expect(
      closed == .closed("\(board.path) is used by another program: 'fuser -v \(board.path)' shows which; end it"))
    first.close()
    let third = try transport(board.path)
    let heard = TransportRecorder()
    third.open(heard)
    #expect(await heard.next() == .opened)
    third.close()
    await board.unplug()
  }

  @Test("What the device said before is forgotten") func staleInput() async throws {
    let board = try Board()
    // It lies in the line's buffer, and would be no packet.
    let early = open(board.path, O_RDWR | O_NOCTTY)
    defer { close(early) }
    board.send([0xFF, 0x00, 0x7F])
    let transport = try transport(board.path)
    transport.open(recorder)
    #expect(await recorder.next() == .opened)
    board.send(complete)
    #expect(await recorder.next() == .received(complete))
    transport.close()
    await board.unplug()
  }

  @Test("A transport whose device takes nothing is closed at once") func stuckDevice() async throws {
    let board = try Board()
    let transport = try transport(board.path)
    transport.open(recorder)
    #expect(await recorder.next() == .opened)
    for _ in 0..<100 { transport.send([0x02, 0x01, 0x20, 0xE8, 0x03] + [UInt8](repeating: 7, count: 1000)) }
    transport.close()
    let next = try self.transport(board.path)
    let heard = TransportRecorder()
    next.open(heard)
    #expect(await heard.next() == .opened)
    next.close()
    await board.unplug()
  }

  @Test(
    "What cannot be opened names the next step",
    arguments: [
      ("/dev/latchkey-none", "there is no /dev/latchkey-none; this system has "), ("/dev/null", "is no serial device"),
      ("/dev/null/x", "is no serial device"), ("/tmp", "is no serial device"),
    ])
  func cannotOpen(path: String, hint: String) async throws {
    try transport(path).open(recorder)
    guard case .closed(let reason?) = await recorder.next() else {
      Issue.record("not closed")
      return
    }
    #expect(reason.contains(hint))
  }

  @Test("Two hosts meet through boards on serial lines, one of which is unplugged and comes back") func hosts()
    async throws
  {
    let radio = VirtualRadio()
    let (lampBoard, phoneBoard) = (try Board(), try Board())
    try await lampBoard.run(on: radio, as: "lamp")
    try await phoneBoard.run(on: radio, as: "phone")
    let (news, continuation) = AsyncStream<String>.makeStream()
    var heard = news.makeAsyncIterator()
    let lamp = TestManager(try driver(1, lampBoard)) { lamp, event in
      switch event {
      case .stateChanged(.poweredOn, _):
        lamp.driver.withHost { host, now in
          host.startAdvertising(lamp.client, AdvertisingParameters(localName: "Lamp"), now: now)
        }
      case .advertisingStarted: continuation.yield("lamp advertises")
      default: break
      }
    }
    lamp.driver.start()
    #expect(await heard.next() == "lamp advertises")
    let phone = TestManager(try driver(2, phoneBoard)) { phone, event in
      switch event {
      case .stateChanged(.poweredOn, _):
        phone.driver.withHost { host, now in
          _ = host.startScan(phone.client, services: nil, allowDuplicates: false, now: now)
        }
      case .stateChanged(.poweredOff, _): continuation.yield("phone off")
      case .discovered: continuation.yield("found")
      default: break
      }
    }
    phone.driver.start()
    #expect(await heard.next() == "found")
    await phoneBoard.unplug()
    #expect(await heard.next() == "phone off")
    phone.driver.shutDown()
    lamp.driver.shutDown()
    await lampBoard.unplug()
  }

  private func driver(_ number: UInt64, _ board: Board) throws -> HostDriver {
    let transport = ReconnectingTransport.toController(.serial(try SerialPort(path: board.path)))
    return HostDriver(
      configuration: HostConfiguration(ownAddress: .staticRandom(number)), transport: transport,
      scheduler: transport.scheduler)
  }
}
