import Glibc
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import LatchkeyBluetoothTransports

/// The events of the streams of one event loop, in order.
private final class Heard: Sendable {
  enum Event: Equatable, Sendable {
    case opened
    /// A packet, by its last byte.
    case packet(UInt8)
    case ended
  }

  private let events: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation

  init() { (events, continuation) = AsyncStream.makeStream() }

  func add(_ event: Event) { continuation.yield(event) }

  /// The events up to `last`.
  func events(until last: Event) async -> [Event] {
    var heard: [Event] = []
    for await event in events {
      heard.append(event)
      if event == last { break }
    }
    return heard
  }
}

/// One end of a stream whose other end writes by system calls: the bytes are there when the call returns.
private final class Line: H4StreamObserver {
  private let heard: Heard
  private let farEnd: Int32
  /// Written by the other end, from inside the event loop, when a packet has come.
  private let answer: [UInt8]?

  init(on loop: any EventLoop, _ heard: Heard, answer: [UInt8]? = nil) async throws {
    var ends: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    (self.heard, self.answer, farEnd) = (heard, answer, ends[1])
    _ = try await ClientBootstrap(group: loop)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(H4ChannelHandler(from: .host, isTCP: false, observer: self))
        }
      }
      .withConnectedSocket(ends[0]).get()
    #expect(await heard.events(until: .opened) == [.opened])
  }

  func write(_ bytes: [UInt8]) { #expect(Glibc.write(farEnd, bytes, bytes.count) == bytes.count) }
  func end() { Glibc.close(farEnd) }

  func streamOpened(_ sender: H4Sender) { heard.add(.opened) }

  func streamReceived(_ packet: [UInt8]) {
    heard.add(.packet(packet.last ?? 0))
    if let answer, packet != answer { write(answer) }
  }

  func streamEnded(_ reason: String) { heard.add(.ended) }
}

@Suite(.timeLimit(.minutes(5)))
final class H4ChannelHandlerTests {
  private let heard = Heard()
  /// One thread, which reads all streams.
  private let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1)

  deinit { loop.shutdownGracefully { _ in } }

  /// Commands of this length, 5 at least, that end with this byte.
  private func commands(_ count: Int, of length: Int = 5, _ byte: UInt8) -> [UInt8] {
    let command = [0x01, 0x03, 0x0C, UInt8(length - 4)] + [UInt8](repeating: byte, count: length - 4)
    return Array(repeatElement(command, count: count).joined())
  }

  /// Has `body` run while the event loop looks at nothing, so that all that it writes is there at the next look.
  private func atOnce(_ body: @escaping @Sendable () -> Void) async throws {
    try await loop.next().submit(body).get()
  }

  /// How much of a flood was heard between a packet of another end and its next, which it wrote as soon as it could.
  private func wait(_ flood: [UInt8], after first: [UInt8] = []) async throws -> Int {
    let hostile = try await Line(on: loop.next(), heard)
    let honest = try await Line(on: loop.next(), heard, answer: commands(1, 2))
    hostile.write(first)
    if !first.isEmpty { _ = await heard.events(until: .packet(9)) }
    let greeting = commands(1, 1)
    try await atOnce {
      hostile.write(flood)
      honest.write(greeting)
    }
    let before = await heard.events(until: .packet(1))
    let between = await heard.events(until: .packet(2))
    let isOver = before.contains(.packet(8)) || between.contains(.packet(8))
    let after = isOver ? [] : await heard.events(until: .packet(8))
    #expect(before.count + between.count + after.count == flood.count / (4 + Int(flood[3])) + 2, "nothing is lost")
    hostile.end()
    honest.end()
    return between.count - 1
  }

  @Test("an end that sends as much as it can leaves others their turns, and loses nothing", arguments: [5, 9, 200])
  func turns(length: Int) async throws {
    let flood = commands(60_000 / length, of: length, 7) + commands(1, of: length, 8)
    #expect(try await wait(flood) <= 2 * H4ChannelHandler.packetsInTurn)
  }

  @Test("packets that get shorter at once have one turn as long as the longest read, and no more")
  func shorterPackets() async throws {
    let first = commands(100, of: 200, 7) + commands(1, of: 200, 9)
    let flood = commands(8000, 7) + commands(1, 8)
    #expect(try await wait(flood, after: first) <= H4ChannelHandler.longestRead / 5 + 1)
  }

  @Test("A peer that sends many packets and closes costs no more than one turn")
  func closed() async throws {
    let line = try await Line(on: loop.next(), heard)
    let flood = commands(8000, 7)
    try await atOnce {
      line.write(flood)
      line.end()
    }
    let count = await heard.events(until: .ended).count - 1
    // As much as any controller accepts from its host, and little more.
    #expect(256...H4ChannelHandler.packetsInLook + 2 * H4ChannelHandler.packetsInTurn ~= count)
  }

  @Test("Packets that a peer sends before it closes are received") func lastReason() async throws {
    let line = try await Line(on: loop.next(), heard)
    let words = commands(255, of: 200, 7) + commands(1, 8)
    try await atOnce {
      line.write(words)
      line.end()
    }
    let events = await heard.events(until: .ended)
    #expect(events.count == 257)
    #expect(events.suffix(2) == [.packet(8), .ended])
  }
}
