import LatchkeyBluetoothEmulator
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Two hosts with a channel between them, over a virtual radio.
@Suite("Two hosts with a channel") struct HostChannelTests {
  /// A couple with a channel from the central to a service of the peripheral.
  private struct Pair {
    let couple: Couple
    let psm: UInt16
    let near: ChannelID
    let far: ChannelID
    var central: Actor { couple.central }
    var peripheral: Actor { couple.peripheral }

    init(_ couple: Couple) throws {
      self.couple = couple
      let device = couple.device
      psm = try #require(couple.peripheral.with { host, _ in host.publishChannel(device, ChannelSecurity()) })
      near = try Self.open(couple, psm)
      far = try #require(couple.peripheral.channels(couple.device).last)
    }

    @discardableResult
    static func open(_ couple: Couple, _ psm: UInt16) throws -> ChannelID {
      let before = couple.central.channels(couple.app).count
      let id = couple.central.with { host, now in host.openChannel(couple.app, to: psm, on: couple.link, now: now) }
      couple.stage.wait { couple.central.channels(couple.app).count > before }
      return id
    }

    /// Writes all bytes, whenever there is room, until the other end has them.
    func transfer(_ bytes: [UInt8], from sender: Actor, _ from: ChannelID, to receiver: Actor, _ to: ChannelID) {
      var rest = bytes[...]
      HostChannelTests.drive(couple.stage) {
        sender.with { host, now in
          let count = host.writeChannel(from, Array(rest.prefix(10_000)), now: now)
          rest = rest.dropFirst(count)
        }
        return rest.isEmpty && (receiver.received[to]?.count ?? 0) >= bytes.count
      }
    }
  }

  /// Lets time pass, ten milliseconds at a time, until `step` returns true.
  private static func drive(
    _ stage: Stage, sourceLocation: SourceLocation = #_sourceLocation, _ step: () -> Bool
  ) {
    for _ in 0..<60_000 {
      if step() { return }
      stage.advance(.milliseconds(10))
    }
    Issue.record("in vain", sourceLocation: sourceLocation)
  }

  /// A radio on which packets take time, so that they wait for the controllers' buffers.
  private static let slow = RadioConfiguration(timing: AirTiming(latency: .milliseconds(5)))

  private static func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = SplitMix(seed: seed)
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  @Test(
    "exchange 100 KB both ways at once, whatever the buffers",
    arguments: [ACLBuffers.standard, .smallest, ACLBuffers(length: 251, count: 2), ACLBuffers(length: 1021, count: 8)])
  func exchange(_ buffers: ACLBuffers) throws {
    let pair = try Pair(Couple(Self.slow, controller: ControllerConfiguration(buffers: buffers)))
    let (up, down) = (Self.bytes(100_000), Self.bytes(100_000, seed: 2))
    var (upRest, downRest) = (up[...], down[...])
    HostChannelTests.drive(pair.couple.stage) {
      pair.central.with { host, now in
        upRest = upRest.dropFirst(host.writeChannel(pair.near, Array(upRest.prefix(7000)), now: now))
      }
      pair.peripheral.with { host, now in
        downRest = downRest.dropFirst(host.writeChannel(pair.far, Array(downRest.prefix(7000)), now: now))
      }
      return pair.peripheral.received[pair.far]?.count == up.count
        && pair.central.received[pair.near]?.count == down.count
    }
    #expect((pair.peripheral.received[pair.far] == up))
    #expect((pair.central.received[pair.near] == down))
    #expect(pair.central.heardOfChannels(pair.couple.app).filter { $0 != "writable" } == ["opened 80"])
    #expect(pair.peripheral.heardOfChannels(pair.couple.device).filter { $0 != "writable" } == ["opened 80"])
  }

  @Test("lose nothing where credits of the controller come late, or are lost") func lateBuffers() throws {
    var faults = ControllerFaults()
    faults.credits = .late(.milliseconds(300))
    let pair = try Pair(Couple(faults: faults))
    let bytes = Self.bytes(30_000)
    pair.transfer(bytes, from: pair.central, pair.near, to: pair.peripheral, pair.far)
    #expect((pair.peripheral.received[pair.far] == bytes))
  }

  @Test("stop at an app that does not read, and go on when it reads") func backPressure() throws {
    let pair = try Pair(Couple())
    pair.peripheral.isConsuming = false
    let bytes = Self.bytes(200_000)
    var written = 0
    for _ in 0..<50 {
      pair.central.with { host, now in
        written += host.writeChannel(pair.near, Array(bytes[written...].prefix(20_000)), now: now)
      }
      pair.couple.stage.advance(.seconds(1))
    }
    let window = Int(ChannelParameters.own.credits) * Int(ChannelParameters.own.mps)
    let arrived = pair.peripheral.received[pair.far]?.count ?? 0
    #expect(arrived <= window)
    #expect(arrived > window / 2)
    #expect(written <= window + ChannelSender.capacity + ACLTransmitter.channelDepth * 247)
    let canWrite = pair.central.with { host, _ in host.canWriteChannel(pair.near) }
    #expect(!canWrite)
    // The link is alive meanwhile.
    let outcome = pair.central.run(.read(pair.couple.placement[.plain]), pair.couple.app, pair.couple.link)
    #expect(outcome?.value != nil)
    pair.peripheral.isConsuming = true
    pair.peripheral.with { host, now in host.consumeChannel(pair.far, count: 1000, now: now) }
    pair.couple.stage.wait { pair.central.heardOfChannels(pair.couple.app).last == "writable" }
    var rest = bytes[written...]
    HostChannelTests.drive(pair.couple.stage) {
      pair.central.with { host, now in
        rest = rest.dropFirst(host.writeChannel(pair.near, Array(rest.prefix(20_000)), now: now))
      }
      return pair.peripheral.received[pair.far]?.count == bytes.count
    }
    #expect((pair.peripheral.received[pair.far] == bytes))
  }

  @Test("have four channels at once, each with its own data, and none is starved") func fourChannels() throws {
    let pair = try Pair(Couple(Self.slow))
    for _ in 0..<3 { try Pair.open(pair.couple, pair.psm) }
    let near = pair.central.channels(pair.couple.app)
    let far = pair.peripheral.channels(pair.couple.device)
    #expect(near.count == 4)
    #expect(far.count == 4)
    let bytes = near.indices.map { Self.bytes(40_000, seed: UInt64($0)) }
    var rests = bytes.map { $0[...] }
    var firstDone: Int?
    HostChannelTests.drive(pair.couple.stage) {
      pair.central.with { host, now in
        for index in near.indices {
          let count = host.writeChannel(near[index], Array(rests[index].prefix(5000)), now: now)
          rests[index] = rests[index].dropFirst(count)
        }
      }
      let counts = far.map { pair.peripheral.received[$0]?.count ?? 0 }
      if firstDone == nil, counts.contains(40_000) { firstDone = counts.min() }
      return counts.allSatisfy { $0 == 40_000 }
    }
    // When the first has all, the last one has nearly all.
    #expect((firstDone ?? 0) > 30_000)
    for index in far.indices { #expect(pair.peripheral.received[far[index]] == bytes[index]) }
  }

  @Test("read attributes beside a transfer, each before more of it leaves than the controller holds")
  func readsBesideATransfer() throws {
    let buffers = ACLBuffers(length: 251, count: 4)
    let pair = try Pair(Couple(Self.slow, controller: ControllerConfiguration(buffers: buffers)))
    let bytes = Self.bytes(400_000)
    var rest = bytes[...]
    let fill: () -> Void = {
      pair.central.with { host, now in
        rest = rest.dropFirst(host.writeChannel(pair.near, Array(rest.prefix(30_000)), now: now))
      }
    }
    for _ in 0..<20 {
      fill()
      let queued = pair.central.with { host, _ in
        guard let channel = host.channels[pair.near] else { return 0 }
        return host.acl.queuedFrames(of: channel.remote, channel.link.handle)
      }
      #expect(queued > 0)
      let before = pair.peripheral.received[pair.far]?.count ?? 0
      let request = pair.central.submit(.read(pair.couple.placement[.plain]), pair.couple.app, pair.couple.link)
      var isDone = false
      var atRequest: Int?
      pair.couple.stage.wait {
        isDone = isDone || pair.central.simulation.dequeueOutcome(request, of: pair.central.node) != nil
        if isDone, atRequest == nil { atRequest = pair.peripheral.received[pair.far]?.count ?? 0 }
        return isDone
      }
      // What was in the controller when the request came, and what left while the answer was on its way.
      let packets = ((atRequest ?? .max) - before) / 247
      #expect(packets <= 4 * buffers.count, "\(packets) packets")
    }
  }

  @Test("lose the channel with the link, with data on the way", arguments: [1, 5, 40, 200, 700])
  func linkLost(_ packets: Int) throws {
    let pair = try Pair(Couple(Self.slow))
    var faults = ControllerFaults()
    faults.linkLoss = ControllerFaults.LinkLoss(afterPackets: packets)
    pair.central.setFaults(faults)
    let bytes = Self.bytes(200_000)
    var rest = bytes[...]
    Self.drive(pair.couple.stage) {
      pair.central.with { host, now in
        rest = rest.dropFirst(host.writeChannel(pair.near, Array(rest.prefix(5000)), now: now))
      }
      return pair.central.heardOfChannels(pair.couple.app).contains("closed: disconnected")
        && pair.peripheral.heardOfChannels(pair.couple.device).contains("closed: disconnected")
    }
    // What arrived is the beginning of what was sent.
    let received = pair.peripheral.received[pair.far] ?? []
    #expect(received == Array(bytes.prefix(received.count)))
    #expect(pair.central.count(pair.couple.app, "closed: disconnected") == 1)
    #expect(pair.peripheral.count(pair.couple.device, "closed: disconnected") == 1)
    let events = pair.central.heard(pair.couple.app)
    #expect(events.last?.hasPrefix("disconnected") == true)
    // It works again on a new link.
    pair.central.setFaults(ControllerFaults())
    pair.central.clearLog()
    pair.central.connect(pair.couple.app, to: pair.peripheral)
    pair.peripheral.advertise(pair.couple.device)
    pair.couple.stage.wait { pair.central.link(pair.couple.app) != nil }
    let link = try #require(pair.central.link(pair.couple.app))
    pair.central.with { host, now in host.openChannel(pair.couple.app, to: pair.psm, on: link, now: now) }
    pair.couple.stage.wait { !pair.central.channels(pair.couple.app).isEmpty }
  }

  @Test("close it from either end, and use its identifiers again") func reuse() throws {
    let couple = try Couple()
    let pair = try Pair(couple)
    for round in 0..<200 {
      let near = try Pair.open(couple, pair.psm)
      let far = try #require(pair.peripheral.channels(couple.device).last)
      pair.transfer([UInt8(truncatingIfNeeded: round)], from: pair.central, near, to: pair.peripheral, far)
      if round.isMultiple(of: 2) {
        pair.central.with { host, now in host.closeChannel(near, now: now) }
        couple.stage.wait { pair.peripheral.heardOfChannels(couple.device).last == "closed: closedByPeer" }
        pair.peripheral.with { host, now in host.closeChannel(far, now: now) }
      } else {
        pair.peripheral.with { host, now in host.closeChannel(far, now: now) }
        couple.stage.wait { pair.central.heardOfChannels(couple.app).last == "closed: closedByPeer" }
      }
    }
    // The first one stayed open.
    pair.transfer([1, 2, 3], from: pair.central, pair.near, to: pair.peripheral, pair.far)
    #expect(pair.peripheral.received[pair.far] == [1, 2, 3])
    for actor in [pair.central, pair.peripheral] {
      let count = actor.with { host, _ in host.links.first?.channels.count }
      #expect(count == 1)
    }
  }

  @Test("hand over what was written before the end") func closedAfterWriting() throws {
    let pair = try Pair(Couple())
    let bytes = Self.bytes(ChannelSender.capacity)
    let count = pair.central.with { host, now in
      defer { host.closeChannel(pair.near, now: now) }
      return host.writeChannel(pair.near, bytes, now: now)
    }
    #expect(count == bytes.count)
    pair.couple.stage.wait {
      pair.peripheral.heardOfChannels(pair.couple.device).contains("closed: closedByPeer")
    }
    #expect((pair.peripheral.received[pair.far] == bytes))
  }

  @Test("end the channels of one client, while another uses the same link") func twoClients() throws {
    let couple = try Couple()
    let pair = try Pair(couple)
    let other = couple.central.addClient()
    couple.central.connect(other, to: couple.peripheral)
    let link = try #require(couple.central.link(other))
    couple.central.with { host, now in host.openChannel(other, to: pair.psm, on: link, now: now) }
    couple.stage.wait { !couple.central.channels(other).isEmpty }
    couple.central.disconnect(couple.app, from: couple.peripheral)
    couple.stage.advance(.seconds(1))
    #expect(couple.central.heardOfChannels(couple.app) == ["opened 80", "closed: disconnected"])
    #expect(couple.central.heard(couple.app).last == "disconnected 2 requested")
    #expect(couple.central.heardOfChannels(other) == ["opened 80"])
    #expect(couple.peripheral.count(couple.device, "closed: closedByPeer") == 1)
    let channel = try #require(couple.central.channels(other).first)
    let far = try #require(couple.peripheral.channels(couple.device).last)
    pair.transfer([9], from: couple.central, channel, to: couple.peripheral, far)
  }

  @Test("work from the peripheral to the central as well") func fromThePeripheral() throws {
    let couple = try Couple()
    let psm = try #require(couple.central.with { host, _ in host.publishChannel(couple.app, ChannelSecurity()) })
    let id = couple.peripheral.with { host, now in
      host.openChannel(couple.device, to: psm, on: couple.peripheralLink, now: now)
    }
    couple.stage.wait { !couple.peripheral.channels(couple.device).isEmpty }
    let far = try #require(couple.central.channels(couple.app).first)
    let count = couple.peripheral.with { host, now in host.writeChannel(id, [1, 2, 3], now: now) }
    #expect(count == 3)
    couple.stage.wait { couple.central.received[far] == [1, 2, 3] }
  }

  @Test("pay nothing for channels on a link that has none") func noCost() throws {
    let couple = try Couple()
    #expect(couple.central.run(.read(couple.placement[.plain]), couple.app, couple.link)?.value != nil)
    let (count, deadline) = couple.central.with { host, _ in
      (host.links.first?.channels.count, host.links.first?.channelDeadline)
    }
    #expect(count == 0)
    #expect(deadline == nil)
  }
}
