import Foundation
import Synchronization
import Testing

@testable import latchkey

/// The output of a scan, with a scan response that is waited for as long as the test sets.
@Suite(.timeLimit(.minutes(5))) struct DeviceListTests {
  /// Lets those who wait go on.
  private final class Gate: Sendable {
    private let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    func pass() async { for await _ in stream { return } }
    func open() { continuation.finish() }
  }

  /// The lines, as they come.
  private final class Lines: Sendable {
    private let reported = Mutex<[Advertisement]>([])
    private let (stream, continuation) = AsyncStream.makeStream(of: Void.self)

    var names: [String?] { reported.withLock { $0.map(\.name) } }

    func report(_ advertisement: Advertisement) {
      reported.withLock { $0.append(advertisement) }
      continuation.yield()
    }

    func wait() async { for await _ in stream { return } }
  }

  private static let lamp = UUID()

  private func seen(_ name: String?, rssi: Int = -40, device: UUID = lamp) -> Advertisement {
    Advertisement(
      identifier: device, name: name, rssi: rssi, services: ["F200"], manufacturerData: nil, isConnectable: true)
  }

  @Test("A scan response with the name makes one line") func aScanResponseWithTheNameMakesOneLine() async {
    let (gate, lines) = (Gate(), Lines())
    let list = DeviceList(wait: { _ in await gate.pass() }, report: { lines.report($0) })
    await list.add(seen(nil))
    await list.add(seen("Lamp"))
    #expect(lines.names == [])
    gate.open()
    await lines.wait()
    #expect(lines.names == ["Lamp"])
    // A report without news makes none, one with news makes one at once.
    await list.add(seen("Lamp", rssi: -90))
    #expect(lines.names == ["Lamp"])
    await list.add(seen("Lantern"))
    #expect(lines.names == ["Lamp", "Lantern"])
  }

  @Test("The end lists the devices whose scan response did not come") func theEndReportsThoseThatStillWait() async {
    let (gate, lines) = (Gate(), Lines())
    let list = DeviceList(wait: { _ in await gate.pass() }, report: { lines.report($0) })
    await list.add(seen("Lamp"))
    await list.add(seen("Lantern", device: UUID()))
    await list.end()
    #expect(lines.names == ["Lamp", "Lantern"])
    gate.open()
  }
}
