import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import BluetoothTransports

/// What one end of a stream heard, and between which packets another channel of the same event loop had its turn.
private final class TurnRecorder: H4StreamObserver {
  private let heard = Mutex<[Int]>([])
  private let ended: AsyncStream<[Int]>.Continuation
  let outcome: AsyncStream<[Int]>
  private let loop: any EventLoop
  private let turns = Mutex(0)

  private let count: Int

  /// Tells what it heard when it has heard so many packets.
  init(_ count: Int, on loop: any EventLoop) {
    self.loop = loop
    self.count = count
    (outcome, ended) = AsyncStream.makeStream()
  }

  func streamOpened(_ sender: H4Sender) {}

  func streamReceived(_ packet: [UInt8]) {
    let turn = turns.withLock { $0 }
    let all = heard.withLock { heard in
      heard.append(turn)
      return heard.count == count ? heard : []
    }
    if !all.isEmpty {
      ended.yield(all)
      ended.finish()
    }
    // What waits on the loop comes between two turns of the stream.
    loop.execute { self.turns.withLock { $0 += 1 } }
  }

  func streamEnded(_ reason: String) {}
}

@Suite(.timeLimit(.minutes(5)))
struct H4ChannelHandlerTests {
  @Test("an end that sends as much as it can leaves others their turns, and loses nothing") func turns() async throws {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let count = 5000
    let recorder = TurnRecorder(count, on: loop)
    let listener = try await ServerBootstrap(group: loop)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            H4ChannelHandler(from: .host, isTCP: true, observer: recorder))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(to: try #require(listener.localAddress)).get()
    let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
    try await client.writeAndFlush(ByteBuffer(bytes: Array(repeatElement(reset, count: count).joined()))).get()
    var heard: [Int] = []
    for await turns in recorder.outcome { heard = turns }
    try await client.close()
    try await listener.close()
    #expect(heard.count == count)
    let turns = Dictionary(grouping: heard, by: \.self).sorted { $0.key < $1.key }.map(\.value.count)
    #expect(turns.count > 1)
    #expect(turns.allSatisfy { $0 <= H4ChannelHandler.packetsInTurn })
  }
}
