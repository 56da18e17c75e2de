import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports
import Testing

@testable import CoreBluetooth

/// Channels between two managers, over a virtual radio.
@Suite(.timeLimit(.minutes(5)))
struct ChannelTests {
  private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }

  @Test("A channel carries bytes both ways, and both ends know peer and number") func bothWays() async throws {
    let pair = try await ChannelPair()
    #expect(pair.psm >= 0x80)
    #expect(pair.near.psm == pair.psm)
    #expect(pair.far.psm == pair.psm)
    #expect(pair.near.peer === pair.peripheral)
    #expect(pair.far.peer is CBCentral)
    #expect(pair.near.outputStream.writeAll([1, 2, 3]) == 3)
    #expect(pair.far.inputStream.bytes(3) == [1, 2, 3])
    #expect(pair.far.outputStream.writeAll([4, 5]) == 2)
    #expect(pair.near.inputStream.bytes(2) == [4, 5])
  }

  @Test("Much data arrives whole, by blocking reads and writes") func muchData() async throws {
    let pair = try await ChannelPair()
    let data = bytes(1_000_000)
    async let written = blocking { pair.near.outputStream.writeAll(data) }
    let read = await blocking { pair.far.inputStream.bytes(data.count) }
    #expect(await written == data.count)
    #expect((read == data))
  }

  @Test("A reader that does not read stops the writer, and lets it go on") func backPressure() async throws {
    let pair = try await ChannelPair()
    let data = bytes(500_000)
    var count = 0
    // The radio is instant: without room nothing more moves.
    while pair.near.outputStream.hasSpaceAvailable {
      count += data[count...].withUnsafeBufferPointer {
        pair.near.outputStream.write($0.baseAddress!, maxLength: $0.count)
      }
      await pair.lab.settle()
    }
    #expect(count < 100_000)
    let rest = Array(data[count...])
    async let written = blocking { pair.near.outputStream.writeAll(rest) }
    let read = await blocking { pair.far.inputStream.bytes(data.count) }
    #expect(await written == rest.count)
    #expect((read == data))
    // Values are read meanwhile.
    let characteristic = try #require(
      try await pair.lab.central.discover(Lab.service, of: pair.peripheral)["FFF1"])
    #expect(try await pair.lab.central.read(characteristic, of: pair.peripheral) == Data([7]))
  }

  @Test("Streams that are not open neither read nor write, and closed ones do not either") func statuses() async throws
  {
    let pair = try await ChannelPair(opens: false)
    let (input, output) = (pair.near.inputStream!, pair.near.outputStream!)
    #expect(input.streamStatus == .notOpen)
    #expect(output.streamStatus == .notOpen)
    #expect(output.writeAll([1]) == 0)
    #expect(!output.hasSpaceAvailable)
    pair.far.outputStream.open()
    #expect(pair.far.outputStream.writeAll([9]) == 1)
    #expect(!input.hasBytesAvailable)
    #expect(input.bytes(1) == [])
    input.open()
    output.open()
    #expect(input.streamStatus == .open)
    #expect(output.streamStatus == .open)
    // What arrived before the stream was opened was kept.
    #expect(input.bytes(1) == [9])
    input.close()
    #expect(input.streamStatus == .closed)
    #expect(input.bytes(1) == [])
    // The other direction is still open.
    pair.far.inputStream.open()
    #expect(output.writeAll([5]) == 1)
    #expect(pair.far.inputStream.bytes(1) == [5])
    output.close()
    #expect(output.streamStatus == .closed)
    #expect(output.writeAll([1]) == 0)
    #expect(await blocking { pair.far.inputStream.bytes(1) } == [])
    #expect(pair.far.inputStream.streamStatus == .atEnd)
    #expect(pair.far.outputStream.writeAll([1]) == 0)
  }

  @Test("Closing both streams closes the channel after what was written has left") func closing() async throws {
    let pair = try await ChannelPair()
    let data = bytes(20_000)
    #expect(pair.near.outputStream.writeAll(data) == data.count)
    pair.near.outputStream.close()
    pair.near.inputStream.close()
    #expect((await blocking { pair.far.inputStream.bytes(data.count + 1) } == data))
    #expect(pair.far.inputStream.streamStatus == .atEnd)
    #expect(pair.far.inputStream.streamError == nil)
    #expect(pair.far.outputStream.streamStatus == .atEnd)
  }

  @Test("A channel that the app releases is closed") func releasing() async throws {
    let lab = Lab()
    let found = try await lab.connect([Lab.characteristic("FFF1", [.read])])
    let psm = try await lab.peripheral.publishChannel()
    var near: CBL2CAPChannel? = try await lab.central.openChannel(psm, of: found)
    let far = try await lab.peripheral.channel()
    far.inputStream.open()
    let stream = try #require(near?.inputStream)
    stream.open()
    near = nil
    let input = Unchecked(far.inputStream!)
    #expect(await blocking { input.value.bytes(1) } == [])
    #expect(far.inputStream.streamStatus == .atEnd)
    // This end learns of it by the answer to its request, which may come later than the other's end.
    let own = Unchecked(stream)
    #expect(await blocking { own.value.bytes(1) } == [])
    #expect(stream.streamStatus == .atEnd)
  }

  @Test("A lost connection is an error of the streams, after what had arrived") func disconnecting() async throws {
    let pair = try await ChannelPair()
    #expect(pair.near.outputStream.writeAll([1, 2, 3]) == 3)
    await pair.lab.settle()
    pair.lab.central.manager.cancelPeripheralConnection(pair.peripheral)
    #expect(try await pair.lab.central.disconnection() == nil)
    #expect(await blocking { pair.far.inputStream.bytes(4) } == [1, 2, 3])
    for stream in [
      pair.near.inputStream, pair.near.outputStream, pair.far.inputStream, pair.far.outputStream,
    ] as [Stream] {
      #expect(stream.streamStatus == .error)
      #expect((stream.streamError as? CBError)?.code == .peripheralDisconnected)
    }
    #expect(pair.near.outputStream.writeAll([1]) == 0)
  }

  @Test("A manager that is released ends its channels") func managerReleased() async throws {
    let pair = try await ChannelPair()
    async let read = blocking { pair.far.inputStream.bytes(1) }
    pair.lab.central.dropManager()
    #expect(await read == [])
    #expect(pair.near.inputStream.streamStatus == .error)
    #expect(pair.near.outputStream.writeAll([1]) == 0)
  }

  @Test("Managers on one connection have channels of their own") func twoManagers() async throws {
    let pair = try await ChannelPair()
    let second = CentralSide(pair.lab.options)
    try await second.isPoweredOn()
    let lamp = try await second.find("Lamp")
    try await second.connect(lamp)
    let near = try await second.openChannel(pair.psm, of: lamp)
    let far = try await pair.lab.peripheral.channel()
    for stream in [near.inputStream, near.outputStream, far.inputStream, far.outputStream] as [Stream] { stream.open() }
    #expect(near.outputStream.writeAll([1]) == 1)
    #expect(pair.near.outputStream.writeAll([2]) == 1)
    #expect(far.inputStream.bytes(1) == [1])
    #expect(pair.far.inputStream.bytes(1) == [2])
    // The first manager leaves, and the connection stays.
    pair.lab.central.manager.cancelPeripheralConnection(pair.peripheral)
    #expect(try await pair.lab.central.disconnection() == nil)
    #expect(pair.near.inputStream.streamStatus == .error)
    let input = Unchecked(pair.far.inputStream!)
    #expect(await blocking { input.value.bytes(1) } == [])
    #expect(near.outputStream.writeAll([3]) == 1)
    #expect(far.inputStream.bytes(1) == [3])
  }

  @Test("A radio that is switched off ends channels, and one that is on again opens others") func radioLost()
    async throws
  {
    let pair = try await ChannelPair()
    pair.lab.radio.setPowered(false, "central")
    let input = Unchecked(pair.near.inputStream!)
    #expect(await blocking { input.value.bytes(1) } == [])
    #expect(pair.near.outputStream.streamStatus == .error)
    try await pair.lab.central.log.first { event in
      if case .state(.poweredOff) = event { return () }
      return nil
    }
    pair.peripheral.openL2CAPChannel(pair.psm)
    pair.lab.radio.setPowered(true, "central")
    try await pair.lab.central.isPoweredOn()
    try await pair.lab.central.connect(pair.peripheral)
    // The call without a connection had no callback, so this one is the first.
    let near = try await pair.lab.central.openChannel(pair.psm, of: pair.peripheral)
    let far = try await pair.lab.peripheral.channel()
    near.outputStream.open()
    far.inputStream.open()
    #expect(near.outputStream.writeAll([4]) == 1)
    #expect(far.inputStream.bytes(1) == [4])
  }

  @Test("A central that opens channels while the app does not run is refused in time") func manyChannels() async throws
  {
    let lab = Lab()
    let found = try await lab.connect([Lab.characteristic("FFF1", [.read])])
    let psm = try await lab.peripheral.publishChannel()
    lab.peripheral.queue.suspendWhenIdle()
    for _ in 0..<64 {
      let near = try await lab.central.openChannel(psm, of: found)
      near.inputStream.close()
      near.outputStream.close()
    }
    let error = await #expect(throws: CBError.self) { _ = try await lab.central.openChannel(psm, of: found) }
    #expect(error?.code == .outOfSpace)
    lab.peripheral.queue.resume()
    var retained: [CBL2CAPChannel] = []
    for _ in 0..<64 { retained.append(try await lab.peripheral.channel()) }
    // They have ended, and count no more.
    #expect(retained.allSatisfy { $0.outputStream.writeAll([1]) == 0 })
    _ = try await lab.central.openChannel(psm, of: found)
    #expect(try await lab.peripheral.channel().psm == psm)
  }

  @Test("A channel that is not published is not opened") func notPublished() async throws {
    let lab = Lab()
    let found = try await lab.connect([Lab.characteristic("FFF1", [.read])])
    let error = await #expect(throws: CBError.self) { _ = try await lab.central.openChannel(0x80, of: found) }
    #expect(error?.code == .operationNotSupported)
    let psm = try await lab.peripheral.publishChannel()
    lab.peripheral.manager.unpublishL2CAPChannel(psm)
    lab.peripheral.manager.unpublishL2CAPChannel(psm)
    for code in [nil, CBError.Code.invalidParameters] {
      let (number, error) = try await lab.peripheral.log.first { event -> (CBL2CAPPSM, (any Error)?)? in
        if case .unpublished(let psm, let error) = event { return (psm, error) }
        return nil
      }
      #expect(number == psm)
      #expect((error as? CBError)?.code == code)
    }
    await #expect(throws: CBError.self) { _ = try await lab.central.openChannel(psm, of: found) }
  }

  @Test("A channel that needs encryption makes the devices pair, and opens") func needsEncryption() async throws {
    let lab = Lab()
    let found = try await lab.connect([Lab.characteristic("FFF1", [.read])])
    let psm = try await lab.peripheral.publishChannel(encrypted: true)
    #expect(try await lab.central.openChannel(psm, of: found).psm == psm)
  }

  @Test("Without a connection nothing is opened, and without a delegate a channel is closed") func misuse() async throws
  {
    let lab = Lab()
    let found = try await lab.connect([Lab.characteristic("FFF1", [.read])])
    let psm = try await lab.peripheral.publishChannel()
    lab.peripheral.manager.delegate = nil
    let near = try await lab.central.openChannel(psm, of: found)
    near.inputStream.open()
    let input = Unchecked(near.inputStream!)
    #expect(await blocking { input.value.bytes(1) } == [])
    lab.central.manager.cancelPeripheralConnection(found)
    #expect(try await lab.central.disconnection() == nil)
    found.openL2CAPChannel(psm)
    await lab.settle()
    #expect(
      !lab.central.log.pending.contains {
        if case .channel = $0 { true } else { false }
      })
  }
}

/// Streams in run loops.
@Suite(.timeLimit(.minutes(5)))
struct ChannelStreamTests {
  @Test("A sleeping run loop gets each event when it happens") func events() async throws {
    let pair = try await ChannelPair(opens: false)
    let thread = LoopThread()
    defer { thread.end() }
    let (input, output) = (pair.near.inputStream!, pair.near.outputStream!)
    thread.schedule(input)
    thread.schedule(output)
    input.open()
    output.open()
    try await thread.event(.openCompleted, of: input)
    try await thread.event(.hasSpaceAvailable, of: output)
    pair.far.outputStream.open()
    #expect(pair.far.outputStream.writeAll([1, 2]) == 2)
    try await thread.event(.hasBytesAvailable, of: input)
    #expect(input.bytes(1) == [1])
    // A byte is left.
    try await thread.event(.hasBytesAvailable, of: input)
    #expect(input.bytes(1) == [2])
    pair.far.outputStream.close()
    pair.far.inputStream.close()
    try await thread.event(.endEncountered, of: input)
    #expect(input.streamStatus == .atEnd)
  }

  @Test("A delegate that writes when there is room, and one that reads what comes, move all") func transfer()
    async throws
  {
    let pair = try await ChannelPair(opens: false)
    let (sending, receiving) = (LoopThread(), LoopThread())
    defer {
      sending.end()
      receiving.end()
    }
    let data = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let written = Locked(0)
    let received = Locked([UInt8]())
    sending.reaction = { stream, event in
      guard event == .hasSpaceAvailable, let stream = stream as? OutputStream else { return }
      let start = written.withLock { $0 }
      guard start < data.count else { return stream.close() }
      let count = data[start...].withUnsafeBufferPointer {
        stream.write($0.baseAddress!, maxLength: min($0.count, 5000))
      }
      written.withLock { $0 += count }
    }
    receiving.reaction = { stream, event in
      guard event == .hasBytesAvailable, let stream = stream as? InputStream else { return }
      var buffer = [UInt8](repeating: 0, count: 3000)
      let count = stream.read(&buffer, maxLength: buffer.count)
      received.withLock { $0 += buffer[..<count] }
    }
    sending.schedule(pair.near.outputStream)
    receiving.schedule(pair.far.inputStream)
    pair.near.inputStream.close()
    pair.near.outputStream.open()
    pair.far.inputStream.open()
    try await receiving.event(.endEncountered, of: pair.far.inputStream)
    #expect((received.withLock { $0 } == data))
  }

  @Test("An event waits until the stream is scheduled, and comes once") func scheduledLater() async throws {
    let pair = try await ChannelPair()
    let other = LoopThread()
    defer { other.end() }
    #expect(pair.far.outputStream.writeAll([1]) == 1)
    await pair.lab.settle()
    let input = pair.near.inputStream!
    // A mode in which the loop never runs.
    let idle = RunLoop.Mode("idle")
    input.schedule(in: other.loop, forMode: idle)
    input.remove(from: other.loop, forMode: idle)
    other.schedule(input)
    input.schedule(in: other.loop, forMode: .default)
    try await other.event(.hasBytesAvailable, of: input)
    #expect(input.bytes(1) == [1])
    #expect(pair.far.outputStream.writeAll([2]) == 1)
    try await other.event(.hasBytesAvailable, of: input)
    input.remove(from: other.loop, forMode: .default)
    #expect(pair.far.outputStream.writeAll([3]) == 1)
    #expect(input.bytes(2) == [2, 3])
    await pair.lab.settle()
    #expect(other.events.pending.isEmpty)
  }

  @Test("A lost connection is reported to each stream once") func lost() async throws {
    let pair = try await ChannelPair()
    let thread = LoopThread()
    defer { thread.end() }
    let (input, output) = (pair.near.inputStream!, pair.near.outputStream!)
    thread.schedule(input)
    thread.schedule(output)
    pair.lab.central.manager.cancelPeripheralConnection(pair.peripheral)
    var errors = 0
    while errors < 2 {
      try await thread.events.first { $0.event == .errorOccurred ? () : nil }
      errors += 1
    }
    await pair.lab.settle()
    #expect(!thread.events.pending.contains { $0.event == .errorOccurred || $0.event == .endEncountered })
  }
}

/// Runs something that blocks on a thread of its own.
private func blocking<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: body()) }
  }
}

extension Lab {
  /// Waits until both managers' queues have done what is there.
  fileprivate func settle() async {
    for _ in 0..<3 {
      for queue in [central.queue, peripheral.queue] {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
      }
    }
  }
}
