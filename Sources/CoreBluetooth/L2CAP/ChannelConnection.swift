import Dispatch
import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

/// An app's end of an open channel: what its two streams share.
///
/// Received bytes wait here until the app reads them; the peer's credits bound them. Bytes to send wait in the host. The
/// channel is closed when both streams are, or with this object. Unchecked: all state is under the condition's lock.
final class ChannelConnection: @unchecked Sendable {
  /// The state of one of the streams.
  private enum Half { case notOpen, open, closed }

  let description: ChannelDescription
  private let driver: HostDriver
  private let directory: ChannelDirectory
  let inputSchedule = StreamSchedule()
  let outputSchedule = StreamSchedule()

  private let condition = NSCondition()
  private var input = Half.notOpen
  private var output = Half.notOpen
  /// Received SDUs that were not read; of the first one, from an offset on.
  private var received: [[UInt8]] = []
  private var firstOffset = 0
  /// Why the channel ended, if it has.
  private var end: ChannelEnd?
  /// Whether the app has received the channel.
  private var isDelivered = false
  /// Whether the host knows that the app is done with the channel.
  private var isReleased = false
  /// How often the host had room again.
  private var roomCount = 0
  // Events that the app has not reacted to: they are not repeated.
  private var isBytesSignaled = false
  private var isRoomSignaled = false
  private var isInputEndSignaled = false
  private var isOutputEndSignaled = false

  init(_ description: ChannelDescription, driver: HostDriver, directory: ChannelDirectory) {
    self.description = description
    self.driver = driver
    self.directory = directory
  }

  deinit {
    directory.remove(description.id)
    guard !isReleased else { return }
    // Any lock may be held here.
    DispatchQueue.global().async { [driver, description] in
      driver.withHost { host, now in host.closeChannel(description.id, now: now) }
    }
  }

  // MARK: Events of the host

  /// Handles bytes of the peer.
  func receive(_ bytes: [UInt8]) {
    condition.lock()
    let isWanted = input != .closed && end == nil
    if isWanted {
      received.append(bytes)
      condition.broadcast()
    }
    let events = inputEvents()
    condition.unlock()
    inputSchedule.signal(events)
    if !isWanted { consume(1) }
  }

  /// Handles that the host accepts bytes again.
  func becameWritable() {
    condition.lock()
    roomCount += 1
    condition.broadcast()
    let events = outputEvents(hasRoom: true)
    condition.unlock()
    outputSchedule.signal(events)
  }

  /// Handles the end of the channel. What was received before can still be read.
  func ended(_ end: ChannelEnd) {
    condition.lock()
    if self.end == nil { self.end = end }
    condition.broadcast()
    let (inputs, outputs, isOver) = (inputEvents(), outputEvents(hasRoom: false), isDelivered)
    condition.unlock()
    inputSchedule.signal(inputs)
    outputSchedule.signal(outputs)
    if isOver { release() }
  }

  /// Handles that the app has received the channel. One that ended does not count for the host any more, even if the app
  /// retains it.
  func delivered() {
    condition.lock()
    isDelivered = true
    let isOver = end != nil
    condition.unlock()
    if isOver { release() }
  }

  /// Closes the channel, whatever the state of its streams.
  func close() {
    release()
    ended(.closedByPeer)
  }

  /// Reports to the host, once, that the app is done with the channel.
  private func release() {
    condition.lock()
    let isFirst = !isReleased
    isReleased = true
    condition.unlock()
    guard isFirst else { return }
    directory.remove(description.id)
    driver.withHost { host, now in host.closeChannel(description.id, now: now) }
  }

  private func consume(_ count: Int) {
    guard count > 0 else { return }
    driver.withHost { host, now in host.consumeChannel(description.id, count: count, now: now) }
  }

  // MARK: Input

  var inputStatus: Stream.Status {
    condition.lock()
    defer { condition.unlock() }
    return status(of: input, hasData: !received.isEmpty)
  }

  var hasBytes: Bool {
    condition.lock()
    defer { condition.unlock() }
    return input == .open && !received.isEmpty
  }

  func openInput() {
    condition.lock()
    guard input == .notOpen else { return condition.unlock() }
    input = .open
    let events = inputEvents().union(.openCompleted)
    condition.unlock()
    inputSchedule.signal(events)
  }

  func closeInput() {
    inputSchedule.close()
    condition.lock()
    let count = received.count
    (input, received, firstOffset) = (.closed, [], 0)
    let isLast = output == .closed
    condition.broadcast()
    condition.unlock()
    if isLast { release() } else { consume(count) }
  }

  /// Reads bytes that were received; waits for the first. 0 at the end, -1 after an error.
  func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    condition.lock()
    while input == .open, received.isEmpty, end == nil, !buffer.isEmpty { condition.wait() }
    guard input == .open else {
      condition.unlock()
      return -1
    }
    var (count, sdus) = (0, 0)
    while count < buffer.count, sdus < received.count {
      let sdu = received[sdus]
      let part = min(sdu.count - firstOffset, buffer.count - count)
      sdu.withUnsafeBytes { bytes in
        UnsafeMutableRawBufferPointer(rebasing: buffer[count..<count + part])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[firstOffset..<firstOffset + part]))
      }
      count += part
      firstOffset += part
      if firstOffset == sdu.count { (firstOffset, sdus) = (0, sdus + 1) }
    }
    received.removeFirst(sdus)
    isBytesSignaled = false
    let events = inputEvents()
    let hasFailed = count == 0 && !buffer.isEmpty && end?.error != nil
    condition.unlock()
    inputSchedule.signal(events)
    consume(sdus)
    return hasFailed ? -1 : count
  }

  // MARK: Output

  var outputStatus: Stream.Status {
    condition.lock()
    defer { condition.unlock() }
    return status(of: output, hasData: false)
  }

  /// Whether a write would be accepted.
  var hasRoom: Bool {
    condition.lock()
    let isOpen = output == .open && end == nil
    condition.unlock()
    return isOpen && driver.withHost { host, _ in host.canWriteChannel(description.id) }
  }

  func openOutput() {
    condition.lock()
    guard output == .notOpen else { return condition.unlock() }
    output = .open
    condition.unlock()
    let hasRoom = hasRoom
    condition.lock()
    let events = outputEvents(hasRoom: hasRoom).union(.openCompleted)
    condition.unlock()
    outputSchedule.signal(events)
  }

  func closeOutput() {
    outputSchedule.close()
    condition.lock()
    output = .closed
    let isLast = input == .closed
    condition.broadcast()
    condition.unlock()
    if isLast { release() }
  }

  /// Sends bytes, as many as there is room for; waits for room for the first. -1 after the end.
  func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    while true {
      condition.lock()
      guard output == .open, end == nil else {
        condition.unlock()
        return -1
      }
      let before = roomCount
      isRoomSignaled = false
      condition.unlock()
      let (count, hasRoom) = driver.withHost { host, now in
        (host.writeChannel(description.id, bytes, now: now), host.canWriteChannel(description.id))
      }
      condition.lock()
      if count > 0 || bytes.isEmpty {
        let events = outputEvents(hasRoom: hasRoom)
        condition.unlock()
        outputSchedule.signal(events)
        return count
      }
      while output == .open, end == nil, roomCount == before { condition.wait() }
      condition.unlock()
    }
  }

  // MARK: State

  /// The error of both streams.
  var error: CBError? {
    condition.lock()
    defer { condition.unlock() }
    return end?.error
  }

  private func status(of half: Half, hasData: Bool) -> Stream.Status {
    switch half {
    case .notOpen: return .notOpen
    case .closed: return .closed
    case .open:
      guard let end, !hasData else { return .open }
      return end.error == nil ? .atEnd : .error
    }
  }

  /// The events of the input that are due.
  private func inputEvents() -> Stream.Event {
    guard input == .open else { return [] }
    guard received.isEmpty else {
      defer { isBytesSignaled = true }
      return isBytesSignaled ? [] : .hasBytesAvailable
    }
    guard let end, !isInputEndSignaled else { return [] }
    isInputEndSignaled = true
    return end.event
  }

  /// The events of the output that are due.
  private func outputEvents(hasRoom: Bool) -> Stream.Event {
    guard output == .open else { return [] }
    if let end {
      defer { isOutputEndSignaled = true }
      return isOutputEndSignaled ? [] : end.event
    }
    guard hasRoom else { return [] }
    defer { isRoomSignaled = true }
    return isRoomSignaled ? [] : .hasSpaceAvailable
  }
}

extension ChannelEnd {
  /// The error of a stream; nil if the channel was closed in order.
  fileprivate var error: CBError? {
    switch self {
    case .closedByPeer: nil
    case .disconnected: .delivered(.peripheralDisconnected)
    case .violated: .delivered(.unknown)
    }
  }

  fileprivate var event: Stream.Event { error == nil ? .endEncountered : .errorOccurred }
}
