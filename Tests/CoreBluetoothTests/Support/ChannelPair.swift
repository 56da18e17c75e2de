import Testing

@testable import CoreBluetooth

extension CentralSide {
  /// Opens a channel, or throws why not.
  func openChannel(_ psm: CBL2CAPPSM, of peripheral: CBPeripheral) async throws -> CBL2CAPChannel {
    peripheral.openL2CAPChannel(psm)
    let (channel, error) = try await log.first { event -> (CBL2CAPChannel?, (any Error)?)? in
      if case .channel(let channel, let error) = event { return (channel, error) }
      return nil
    }
    if let error { throw error }
    return try #require(channel)
  }
}

extension PeripheralSide {
  func publishChannel(encrypted: Bool = false) async throws -> CBL2CAPPSM {
    manager.publishL2CAPChannel(withEncryption: encrypted)
    let (psm, error) = try await log.first { event -> (CBL2CAPPSM, (any Error)?)? in
      if case .published(let psm, let error) = event { return (psm, error) }
      return nil
    }
    if let error { throw error }
    return psm
  }

  func channel() async throws -> CBL2CAPChannel {
    let (channel, error) = try await log.first { event -> (CBL2CAPChannel?, (any Error)?)? in
      if case .channel(let channel, let error) = event { return (channel, error) }
      return nil
    }
    if let error { throw error }
    return try #require(channel)
  }
}

/// Both ends of an open channel. Unchecked: each test uses a stream from one thread at a time.
struct ChannelPair: @unchecked Sendable {
  let lab: Lab
  let peripheral: CBPeripheral
  let psm: CBL2CAPPSM
  let near: CBL2CAPChannel
  let far: CBL2CAPChannel

  init(opens: Bool = true) async throws {
    lab = Lab()
    peripheral = try await lab.connect([Lab.characteristic("FFF1", [.read], value: Data([7]), permissions: .readable)])
    psm = try await lab.peripheral.publishChannel()
    near = try await lab.central.openChannel(psm, of: peripheral)
    far = try await lab.peripheral.channel()
    guard opens else { return }
    for stream in [near.inputStream, near.outputStream, far.inputStream, far.outputStream] as [Stream] { stream.open() }
  }
}

extension InputStream {
  /// Reads until that many bytes came, or the stream ends; waits for them.
  func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1000)
    while bytes.count < count {
      let length = read(&buffer, maxLength: min(buffer.count, count - bytes.count))
      guard length > 0 else { break }
      bytes += buffer[..<length]
    }
    return bytes
  }
}

extension OutputStream {
  /// Writes all bytes; waits for room. Returns how many were written.
  func writeAll(_ bytes: [UInt8]) -> Int {
    var count = 0
    while count < bytes.count {
      let length = bytes[count...].withContiguousStorageIfAvailable { rest -> Int in
        guard let start = rest.baseAddress else { return -1 }
        return write(start, maxLength: rest.count)
      }
      guard let length, length > 0 else { break }
      count += length
    }
    return count
  }
}

/// A thread with a run loop, and the events of streams that are scheduled there.
final class LoopThread: NSObject, StreamDelegate, @unchecked Sendable {
  let events = EventLog<(stream: Stream, event: Stream.Event)>()
  private let ready = DispatchSemaphore(value: 0)
  private(set) var loop: RunLoop!
  private var isDone = false
  /// Runs on the thread, for each event.
  var reaction: ((Stream, Stream.Event) -> Void)?

  override init() {
    super.init()
    Thread.detachNewThread { [self] in
      loop = RunLoop.current
      // A run loop without a source does not sleep.
      let timer = Timer(timeInterval: 1000, repeats: true) { _ in }
      loop.add(timer, forMode: .default)
      ready.signal()
      while !isDone { _ = loop.run(mode: .default, before: .distantFuture) }
      timer.invalidate()
    }
    ready.wait()
  }

  /// Schedules a stream in the thread's loop, with this object as its delegate.
  func schedule(_ stream: Stream) {
    stream.delegate = self
    stream.schedule(in: loop, forMode: .default)
  }

  /// Ends the thread.
  func end() {
    loop.add(Timer(timeInterval: 0, repeats: false) { [self] _ in isDone = true }, forMode: .default)
  }

  func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
    reaction?(aStream, eventCode)
    events.add((aStream, eventCode))
  }

  func event(_ event: Stream.Event, of stream: Stream) async throws {
    try await events.first { $0.stream === stream && $0.event == event ? () : nil }
  }
}
