import LatchkeyBluetoothHost
import Testing

@testable import CoreBluetooth

struct ConnectionProgressTests {
  /// The result of a mutating call cannot be inside `#expect`.
  private func expect<Value: Equatable>(
    _ value: Value, _ expected: Value, _ comment: Comment? = nil, at location: SourceLocation = #_sourceLocation
  ) {
    #expect(value == expected, comment, sourceLocation: location)
  }

  private let first = LinkID(1)
  private let second = LinkID(2)

  @Test("A connection starts and is lost") func connectsAndLosesTheConnection() {
    var progress = ConnectionProgress()
    expect(progress.connect(), .ask)
    #expect(progress.state == .connecting)
    #expect(progress.usableLink == nil)
    expect(progress.began(first), true)
    #expect(progress.state == .connected)
    #expect(progress.usableLink == first)
    expect(progress.ended(), .unexpected, "nobody asked for it")
    #expect(progress.state == .disconnected)
    #expect(progress.link == nil)
  }

  @Test("A lost connection is requested again where the app chose that, and the failure of an attempt ends it")
  func reconnects() {
    var progress = ConnectionProgress()
    _ = progress.connect(reconnects: true)
    expect(progress.ended(mayReconnect: true), .unexpected, "the first attempt failed")
    #expect(progress.state == .disconnected)
    _ = progress.connect(reconnects: true)
    _ = progress.began(first)
    expect(progress.ended(mayReconnect: true), .reconnecting)
    #expect(progress.state == .connecting)
    #expect(progress.usableLink == nil)
    _ = progress.began(second)
    expect(progress.ended(mayReconnect: true), .reconnecting, "each time")
    expect(progress.ended(mayReconnect: true), .unexpected, "the attempt at it failed")
    #expect(progress.state == .disconnected)
    _ = progress.connect(reconnects: true)
    _ = progress.began(first)
    expect(progress.ended(mayReconnect: false), .unexpected, "the host cannot")
    _ = progress.connect()
    _ = progress.began(first)
    expect(progress.ended(mayReconnect: true), .unexpected, "the later call did not choose it")
  }

  @Test("A connection is canceled") func cancelsAConnection() {
    var progress = ConnectionProgress()
    _ = progress.connect()
    _ = progress.began(first)
    expect(progress.cancel(), true)
    #expect(progress.state == .disconnecting)
    #expect(progress.usableLink == nil)
    expect(progress.ended(), .requested)
    #expect(progress.state == .disconnected)
  }

  @Test("An attempt is canceled") func cancelsAnAttempt() {
    var progress = ConnectionProgress()
    _ = progress.connect()
    expect(progress.cancel(), true)
    expect(progress.began(first), false, "it came up while it was canceled")
    #expect(progress.state == .disconnecting)
    expect(progress.ended(), .requested)
    #expect(progress.state == .disconnected)
  }

  @Test("Without a connection there is nothing to cancel") func thereIsNothingToCancel() {
    var progress = ConnectionProgress()
    expect(progress.cancel(), false)
    #expect(progress.state == .disconnected)
    _ = progress.connect()
    expect(progress.cancel(), true)
    expect(progress.cancel(), false)
  }

  @Test("Connecting twice is one request") func askingTwiceAsksOnce() {
    var progress = ConnectionProgress()
    expect(progress.connect(), .ask)
    expect(progress.connect(), .nothing)
    _ = progress.began(first)
    expect(progress.connect(), .alreadyConnected)
    #expect(progress.state == .connected)
  }

  @Test("Connecting again is possible before the end is reported") func connectsAgainBeforeTheEnd() {
    var progress = ConnectionProgress()
    _ = progress.connect()
    _ = progress.began(first)
    _ = progress.cancel()
    expect(progress.connect(), .ask)
    #expect(progress.state == .connecting)
    expect(progress.began(second), false, "the end of the first comes before it")
    expect(progress.ended(), .requested)
    #expect(progress.state == .connecting)
    expect(progress.began(second), true)
    #expect(progress.usableLink == second)
  }

  @Test("A request for the first connection ends with it") func requestEndsWithItsConnection() {
    var progress = ConnectionProgress()
    _ = progress.connect()
    _ = progress.began(first)
    _ = progress.ended()
    expect(progress.began(second), false, "nobody asked for a second one")
    #expect(progress.state == .disconnected)
  }

  @Test("Two cancellations are both awaited") func twoCancellationsAreAwaited() {
    var progress = ConnectionProgress()
    _ = progress.connect()
    _ = progress.cancel()
    _ = progress.connect()
    _ = progress.cancel()
    expect(progress.ended(), .requested)
    #expect(progress.state == .disconnecting)
    expect(progress.ended(), .requested)
    #expect(progress.state == .disconnected)
  }

  @Test("A radio loss resets all state") func radioLossForgetsAll() {
    var progress = ConnectionProgress()
    _ = progress.connect()
    _ = progress.began(first)
    _ = progress.cancel()
    progress.reset()
    #expect(progress.state == .disconnected)
    expect(progress.connect(), .ask)
    expect(progress.began(second), true)
  }
}
