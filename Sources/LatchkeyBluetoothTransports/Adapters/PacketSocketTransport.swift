import Dispatch
import Glibc
import Synchronization

/// A controller behind a socket that keeps the borders of packets: one read and one write is one HCI packet. A lost one stays
/// lost; `ReconnectingTransport` makes another. It lives from `open` to `close`, or to the end of the connection.
///
/// A stream's transport would not do: it gathers what it writes. A Dispatch source would not either: an adapter that is
/// unplugged makes its socket neither readable nor writable, which is an error to poll(2), and nothing to the source.
final class PacketSocketTransport: ControllerTransport {
  /// How many packets are read before packets that wait are written.
  private static let packetsInTurn = 16
  /// How many bytes may wait for a controller that takes none.
  static let maximumWaiting = 1 << 20

  private enum Phase {
    case idle
    case opening
    case open(Connection)
    case closed
  }

  /// What is open. Unchecked: what changes does so under the transport's lock, and its one thread alone reads into its memory.
  private final class Connection: @unchecked Sendable {
    let descriptor: CInt
    let receiver: any ControllerTransportReceiver
    let waker: Waker
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: H4Framer.maximumPacketLength, alignment: 1)
    /// Packets that the controller does not take yet.
    var waiting: [[UInt8]] = []
    var waitingCount = 0
    /// Why a write failed.
    var failure: String?

    init(_ descriptor: CInt, _ receiver: any ControllerTransportReceiver, _ waker: Waker) {
      self.descriptor = descriptor
      self.receiver = receiver
      self.waker = waker
    }

    /// The thread has ended, which retains it. Before that the number would be another file's.
    deinit {
      Glibc.close(descriptor)
      memory.deallocate()
    }
  }

  private let name: String
  private let makeDescriptor: @Sendable () throws(AdapterError) -> CInt
  /// A serial queue, which gets a thread of its own as long as it has work.
  private let queue: DispatchQueue
  private let phase = Mutex(Phase.idle)

  /// A transport that opens `descriptor`, which does not block, and is closed by the transport.
  ///
  /// - Parameter name: for the reasons of closing.
  init(name: String, _ makeDescriptor: @escaping @Sendable () throws(AdapterError) -> CInt) {
    self.name = name
    self.makeDescriptor = makeDescriptor
    queue = DispatchQueue(label: "latchkey.bluetooth.adapter")
  }

  /// Opens the socket, in the caller's thread.
  func open(_ receiver: any ControllerTransportReceiver) {
    guard change(from: { if case .idle = $0 { true } else { false } }, to: .opening) else { return }
    let isOpening: (Phase) -> Bool = { if case .opening = $0 { true } else { false } }
    let connection: Connection
    do throws(AdapterError) {
      let waker = try Waker()
      connection = Connection(try makeDescriptor(), receiver, waker)
    } catch {
      if change(from: isOpening, to: .closed) { receiver.transportClosed(error.description) }
      return
    }
    guard change(from: isOpening, to: .open(connection)) else { return }
    receiver.transportOpened()
    queue.async { self.serve(connection) }
  }

  private func change(from isExpected: (Phase) -> Bool, to next: Phase) -> Bool {
    phase.withLock { phase in
      guard isExpected(phase) else { return false }
      phase = next
      return true
    }
  }

  /// Sends the packet, or keeps it until the controller takes it.
  func send(_ packet: consuming [UInt8]) {
    let packet = packet
    phase.withLock { phase in
      guard case .open(let connection) = phase, connection.failure == nil else { return }
      if connection.waiting.isEmpty {
        switch Self.write(packet, to: connection.descriptor) {
        case .done: return
        case .failed(let code): return fail(connection, Self.reason(code))
        case .again: break
        }
      }
      guard connection.waitingCount + packet.count <= Self.maximumWaiting else {
        return fail(connection, "it takes no more packets")
      }
      connection.waiting.append(packet)
      connection.waitingCount += packet.count
      connection.waker.wake()
    }
  }

  /// Has the thread end the connection. Called with the lock held.
  private func fail(_ connection: Connection, _ reason: String) {
    connection.failure = reason
    connection.waker.wake()
  }

  /// Closes the socket.
  func close() { takeConnection()?.waker.wake() }

  /// Closes the transport. Returns the connection to the first caller.
  private func takeConnection() -> Connection? {
    phase.withLock { phase in
      defer { phase = .closed }
      guard case .open(let connection) = phase else { return nil }
      return connection
    }
  }

  // MARK: On the thread

  /// What the thread does next.
  private enum Turn {
    case wait(isWriting: Bool)
    case end(String)
    case stop
  }

  /// Reads and writes until the end of the connection.
  private func serve(_ connection: Connection) {
    while true {
      switch turn(connection) {
      case .stop: return
      case .end(let reason): return end(reason)
      case .wait(let isWriting):
        var waited = [
          pollfd(fd: connection.descriptor, events: Int16(POLLIN | (isWriting ? POLLOUT : 0)), revents: 0),
          pollfd(fd: connection.waker.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&waited, nfds_t(waited.count), -1) > 0 else { continue }
        if waited[1].revents != 0 { connection.waker.reset() }
        if waited[0].revents & Int16(POLLOUT) != 0 { writeWaiting(connection) }
        if waited[0].revents & ~Int16(POLLOUT) != 0, let reason = read(connection) { return end(reason) }
      }
    }
  }

  private func turn(_ connection: Connection) -> Turn {
    phase.withLock { phase in
      guard case .open(let open) = phase, open === connection else { return .stop }
      if let failure = connection.failure { return .end(failure) }
      return .wait(isWriting: !connection.waiting.isEmpty)
    }
  }

  private func end(_ reason: String) {
    if let connection = takeConnection() { connection.receiver.transportClosed("\(name): \(reason)") }
  }

  /// Reads what there is, or as many packets as one turn has. Returns why the connection has ended, if it has.
  private func read(_ connection: Connection) -> String? {
    for _ in 0..<Self.packetsInTurn {
      switch Self.read(connection) {
      case .packet(let packet):
        guard case .wait = turn(connection) else { return nil }
        connection.receiver.transportReceived(packet)
      case .none: return nil
      case .end: return "the other end closed it"
      case .failed(let code): return Self.reason(code)
      }
    }
    return nil
  }

  private func writeWaiting(_ connection: Connection) {
    phase.withLock { _ in
      var sent = 0
      defer {
        connection.waitingCount -= connection.waiting.prefix(sent).reduce(0) { $0 + $1.count }
        connection.waiting.removeFirst(sent)
      }
      while sent < connection.waiting.count {
        switch Self.write(connection.waiting[sent], to: connection.descriptor) {
        case .done: sent += 1
        case .again: return
        case .failed(let code): return connection.failure = Self.reason(code)
        }
      }
    }
  }

  private static func reason(_ code: CInt) -> String {
    switch code {
    // What the kernel says of an adapter that was unplugged.
    case EPIPE, ENODEV, ENETDOWN: "the adapter is gone"
    default: String(cString: strerror(code))
    }
  }

  // MARK: Calls of the system

  private enum Reading {
    case packet([UInt8])
    case none
    case end
    case failed(CInt)
  }

  private enum Writing {
    case done
    case again
    case failed(CInt)
  }

  /// Reads one packet.
  private static func read(_ connection: Connection) -> Reading {
    let memory = connection.memory
    var count = 0
    repeat {
      count = recv(connection.descriptor, memory.baseAddress, memory.count, CInt(MSG_DONTWAIT))
    } while count < 0 && errno == EINTR
    guard count <= 0 else { return .packet(Array(memory.prefix(count))) }
    if count == 0 { return .end }
    return errno == EAGAIN || errno == EWOULDBLOCK ? .none : .failed(errno)
  }

  private static func write(_ packet: [UInt8], to descriptor: CInt) -> Writing {
    var count = 0
    repeat {
      count = Glibc.send(descriptor, packet, packet.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
    } while count < 0 && errno == EINTR
    if count >= 0 { return .done }
    // The adapter's own queue is full, or memory is short for a moment.
    return [EAGAIN, EWOULDBLOCK, ENOBUFS, ENOMEM].contains(errno) ? .again : .failed(errno)
  }
}

/// Wakes a thread that waits in poll(2): a pipe, readable from `wake()` to `reset()`.
private final class Waker: Sendable {
  /// The end that becomes readable.
  let descriptor: CInt
  private let writing: CInt

  init() throws(AdapterError) {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .noDescriptor(errno: errno) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (descriptor, writing) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(writing)
  }

  /// A pipe that is full is readable already.
  func wake() { _ = write(writing, [1], 1) }

  func reset() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(descriptor, &bytes, bytes.count) == bytes.count {}
  }
}
