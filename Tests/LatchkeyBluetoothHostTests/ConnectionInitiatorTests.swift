import Testing

@testable import LatchkeyBluetoothHost

/// `#expect` cannot evaluate mutating calls; this evaluates them first.
private func same<Value: Equatable>(
  _ value: Value, _ expected: Value, sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(value == expected, sourceLocation: sourceLocation)
}

@Suite struct ConnectionInitiatorTests {
  let one = ClientID(1)
  let two = ClientID(2)
  let lamp = BluetoothAddress.staticRandom(1)
  let lock = BluetoothAddress.staticRandom(2)

  @Test("A single initiation never expires") func aloneItNeverExpires() {
    var initiator = ConnectionInitiator()
    same(initiator.add(one, lamp, now: .zero), .create([lamp]))
    #expect(initiator.nextDeadline == nil)
    same(initiator.handleTimeout(now: .seconds(86400)), nil)
    #expect(initiator.isPending(lamp, for: one))
    same(initiator.connected(lamp, now: .seconds(86401)).clients, [one])
    #expect(!initiator.isPending(lamp, for: one))
  }

  @Test("Several devices are initiated in turns") func severalTakeTurns() {
    var initiator = ConnectionInitiator()
    same(initiator.add(one, lamp, now: .zero), .create([lamp]))
    same(initiator.add(one, lock, now: .seconds(100)), nil)
    #expect(initiator.nextDeadline == .seconds(104))
    same(initiator.handleTimeout(now: .seconds(103)), nil)
    same(initiator.handleTimeout(now: .seconds(104)), .cancel)
    let (failure, action) = initiator.failed(.unknownConnectionIdentifier, now: .seconds(104))
    #expect(failure == nil)
    #expect(action == .create([lock]))
    #expect(initiator.isPending(lamp, for: one))
  }

  @Test("A second client shares the initiation") func aSecondClientSharesTheInitiation() {
    var initiator = ConnectionInitiator()
    same(initiator.add(one, lamp, now: .zero), .create([lamp]))
    same(initiator.add(two, lamp, now: .zero), nil)
    same(initiator.remove(one, lamp, now: .zero), nil)
    same(initiator.connected(lamp, now: .zero).clients, [two])
  }

  @Test("The last client to give up cancels the initiation") func theLastToGiveUpCancels() {
    var initiator = ConnectionInitiator()
    same(initiator.add(one, lamp, now: .zero), .create([lamp]))
    same(initiator.remove(one, lamp, now: .zero), .cancel)
    // The link came up nevertheless, without a waiting client.
    same(initiator.connected(lamp, now: .zero).clients.isEmpty, true)
  }

  @Test("A cancellation that is never reported times out") func aCancelThatIsNeverReportedEndsByItself() {
    var initiator = ConnectionInitiator()
    _ = initiator.add(one, lamp, now: .zero)
    same(initiator.remove(one, lamp, now: .zero), .cancel)
    same(initiator.add(one, lock, now: .seconds(1)), nil)
    #expect(initiator.nextDeadline == .seconds(2))
    same(initiator.handleTimeout(now: .seconds(2)), .create([lock]))
  }

  @Test("Failures are retried and then reported") func failuresAreTriedAgainAndThenReported() {
    var initiator = ConnectionInitiator()
    var now = Duration.zero
    same(initiator.add(one, lamp, now: now), .create([lamp]))
    for _ in 0..<ConnectionInitiator.retryLimit {
      same(initiator.failed(.connectionFailedToBeEstablished, now: now).failure?.address, nil)
      #expect(initiator.nextDeadline == now + ConnectionInitiator.retryDelay)
      now += ConnectionInitiator.retryDelay
      same(initiator.handleTimeout(now: now), .create([lamp]))
    }
    let (failure, action) = initiator.failed(.connectionFailedToBeEstablished, now: now)
    #expect(failure?.address == lamp)
    #expect(failure?.clients == [one])
    #expect(action == nil)
    #expect(initiator.nextDeadline == nil)
  }

  @Test("A client can give up while a retry is pending") func givingUpWhileWaitingToTryAgain() {
    var initiator = ConnectionInitiator()
    _ = initiator.add(one, lamp, now: .zero)
    _ = initiator.failed(.hardwareFailure, now: .zero)
    same(initiator.remove(one, lamp, now: .zero), nil)
    same(initiator.handleTimeout(now: .seconds(1)), nil)
    #expect(initiator.nextDeadline == nil)
  }

  @Test("A busy controller gets a cancellation first") func aControllerThatIsBusyIsCancelledFirst() {
    var initiator = ConnectionInitiator()
    same(initiator.add(one, lamp, now: .zero), .create([lamp]))
    same(initiator.failed(.commandDisallowed, now: .zero).action, .cancel)
    same(initiator.failed(.unknownConnectionIdentifier, now: .zero).action, .create([lamp]))
    // An end that came late, or is this one's: only another cancellation makes it certain.
    same(initiator.failed(.unknownConnectionIdentifier, now: .zero).action, .cancel)
    initiator.cancelRefused(now: .seconds(1))
    #expect(initiator.nextDeadline == .seconds(1) + ConnectionInitiator.retryDelay)
    same(initiator.handleTimeout(now: .seconds(2)), .create([lamp]))
    #expect(initiator.isPending(lamp, for: one))
  }

  @Test("A late link does not end another initiation") func aLateLinkDoesNotEndAnotherInitiation() {
    var initiator = ConnectionInitiator()
    _ = initiator.add(one, lamp, now: .zero)
    _ = initiator.remove(one, lamp, now: .zero)
    _ = initiator.add(one, lock, now: .zero)
    same(initiator.handleTimeout(now: .seconds(2)), .create([lock]))
    let late = initiator.connected(lamp, now: .seconds(3))
    #expect(late.clients == [])
    #expect(late.action == nil)
    same(initiator.connected(lock, now: .seconds(4)).clients, [one])
  }

  @Test("A device whose link is ending waits for the end") func aDeviceWhoseLinkIsEndingWaitsForItsEnd() {
    var initiator = ConnectionInitiator()
    initiator.hold(lamp)
    same(initiator.add(one, lamp, now: .zero), nil)
    same(initiator.add(one, lock, now: .zero), .create([lock]))
    same(initiator.connected(lock, now: .zero).clients, [one])
    same(initiator.letGo(lamp, now: .zero), .create([lamp]))
    same(initiator.letGo(lamp, now: .zero), nil)
  }

  @Test("A link from the peer serves the waiting clients") func aLinkThatThePeerMadeServesWhoWaits() {
    var initiator = ConnectionInitiator()
    _ = initiator.add(one, lamp, now: .zero)
    let served = initiator.served(lamp, now: .zero)
    #expect(served.clients == [one])
    #expect(served.action == .cancel)
    same(initiator.served(lock, now: .zero).clients, [])
    #expect(!initiator.isPending(lamp, for: one))
  }

  @Test("All devices that fit are in the accept list") func allThatFitStandInTheList() {
    var initiator = ConnectionInitiator(listCapacity: 3)
    let addresses = (10..<15).map { BluetoothAddress.staticRandom($0) }
    same(initiator.add(one, addresses[0], now: .zero), .create([addresses[0]]))
    // Begun again with another one; those that come meanwhile are in it.
    same(initiator.add(one, addresses[1], now: .zero), .cancel)
    for address in addresses.dropFirst(2) { same(initiator.add(one, address, now: .zero), nil) }
    same(initiator.failed(.unknownConnectionIdentifier, now: .zero).action, .create(Array(addresses.prefix(3))))
    // The others have their turn.
    #expect(initiator.nextDeadline == ConnectionInitiator.turn)
    same(initiator.handleTimeout(now: .seconds(4)), .cancel)
    same(
      initiator.failed(.unknownConnectionIdentifier, now: .seconds(4)).action,
      .create([addresses[3], addresses[4], addresses[0]]))
    let connected = initiator.connected(addresses[4], now: .seconds(5))
    #expect(connected.clients == [one])
    #expect(connected.action == .create([addresses[3], addresses[0], addresses[1]]))
    // A peer that is not in the current list is removed without a command.
    same(initiator.remove(one, addresses[2], now: .seconds(5)), nil)
    #expect(initiator.nextDeadline == nil)
    same(initiator.remove(one, addresses[0], now: .seconds(5)), .cancel)
  }

  @Test("An ignored accept list is no longer used") func aListThatIsIgnoredIsNotUsed() {
    var initiator = ConnectionInitiator(listCapacity: 8)
    _ = initiator.add(one, lamp, now: .zero)
    _ = initiator.add(one, lock, now: .zero)
    same(initiator.failed(.unknownConnectionIdentifier, now: .zero).action, .create([lamp, lock]))
    for attempt in 1...ConnectionInitiator.unexpectedLinkLimit {
      let stranger = initiator.connected(.staticRandom(99), now: .zero)
      #expect(stranger.clients == [])
      #expect(stranger.action == .create(attempt < ConnectionInitiator.unexpectedLinkLimit ? [lamp, lock] : [lamp]))
    }
  }

  @Test("A refused accept list is no longer used") func aListThatIsRefusedIsNotUsed() {
    var initiator = ConnectionInitiator(listCapacity: 8)
    _ = initiator.add(one, lamp, now: .zero)
    _ = initiator.add(one, lock, now: .zero)
    _ = initiator.failed(.unknownConnectionIdentifier, now: .zero)
    same(initiator.listRefused(now: .zero), .cancel)
    same(initiator.failed(.unknownConnectionIdentifier, now: .zero).action, .create([lamp]))
    same(initiator.listRefused(now: .zero), nil)
  }

  @Test("An accept list that always fails is no longer used") func aListThatAlwaysFailsIsNotUsed() {
    var initiator = ConnectionInitiator(listCapacity: 8)
    _ = initiator.add(one, lamp, now: .zero)
    _ = initiator.add(one, lock, now: .zero)
    _ = initiator.failed(.unknownConnectionIdentifier, now: .zero)
    var now = Duration.zero
    for attempt in 0...ConnectionInitiator.retryLimit {
      same(initiator.failed(.invalidParameters, now: now).failure?.address, nil)
      now += ConnectionInitiator.retryDelay
      same(
        initiator.handleTimeout(now: now), .create(attempt < ConnectionInitiator.retryLimit ? [lamp, lock] : [lamp]))
    }
  }

  @Test("A scan has its share of the radio") func aScanHasItsShareOfTheRadio() {
    var initiator = ConnectionInitiator()
    same(initiator.add(one, lamp, now: .zero), .create([lamp]))
    initiator.setSharesRadio(true, now: .seconds(100))
    #expect(initiator.nextDeadline == .seconds(104))
    same(initiator.handleTimeout(now: .seconds(104)), .cancel)
    #expect(initiator.isInitiating)
    same(initiator.failed(.unknownConnectionIdentifier, now: .seconds(104)).action, nil)
    #expect(!initiator.isInitiating)
    #expect(initiator.nextDeadline == .seconds(104) + ConnectionInitiator.pause)
    same(initiator.handleTimeout(now: .seconds(106)), .create([lamp]))
    initiator.setSharesRadio(false, now: .seconds(107))
    #expect(initiator.nextDeadline == nil)
  }

  @Test("A failure without a waiting client is ignored") func unawaitedFailure() {
    var initiator = ConnectionInitiator()
    same(initiator.failed(.hardwareFailure, now: .zero).failure?.address, nil)
    same(initiator.remove(one, lamp, now: .zero), nil)
  }
}

@Suite struct AdvertiserTests {
  @Test("The last client to start is on the air") func theLastToAskHasTheAir() {
    var advertiser = Advertiser()
    let (one, two) = (ClientID(1), ClientID(2))
    advertiser.start(one, AdvertisingParameters(localName: "one"))
    same(advertiser.answered(.success), one)
    advertiser.start(two, AdvertisingParameters(localName: "two"))
    #expect(advertiser.current?.client == two)
    same(advertiser.answered(.success), two)
    same(advertiser.stop(one), false)
    same(advertiser.stop(two), true)
    #expect(advertiser.current == nil)
  }

  @Test("The previous client is on the air again after a stop") func theClientBeforeHasItAgain() {
    var advertiser = Advertiser()
    let (one, two) = (ClientID(1), ClientID(2))
    advertiser.start(one, AdvertisingParameters(localName: "one"))
    advertiser.start(two, AdvertisingParameters(localName: "two"))
    same(advertiser.stop(two), true)
    #expect(advertiser.current?.client == one)
    #expect(advertiser.isAdvertising(one))
    #expect(!advertiser.isAdvertising(two))
  }

  @Test("A failure ends the request") func aFailureEndsTheRequest() {
    var advertiser = Advertiser()
    let one = ClientID(1)
    advertiser.start(one, AdvertisingParameters())
    same(advertiser.answered(.commandDisallowed), one)
    #expect(!advertiser.isAdvertising(one))
    same(advertiser.answered(.success), nil)
  }

  @Test("Several clients take turns") func severalTakeTurns() {
    var advertiser = Advertiser()
    let clients = (1...3).map { ClientID($0) }
    for client in clients {
      advertiser.start(client, AdvertisingParameters())
      _ = advertiser.beginRound(now: .zero)
    }
    // The client without a reported start is on the air at once.
    same(advertiser.answered(.success), clients[2])
    #expect(advertiser.nextDeadline == .zero)
    for client in [clients[1], clients[0]] {
      same(advertiser.handleTimeout(now: .zero), true)
      _ = advertiser.beginRound(now: .zero)
      same(advertiser.answered(.success), client)
    }
    var order: [ClientID] = []
    for turn in 1...6 {
      let deadline = advertiser.nextDeadline
      #expect(deadline == Advertiser.shortestTurn * turn)
      same(advertiser.handleTimeout(now: Advertiser.shortestTurn * turn - .milliseconds(1)), false)
      same(advertiser.handleTimeout(now: Advertiser.shortestTurn * turn), true)
      order += advertiser.current.map { [$0.client] } ?? []
      _ = advertiser.beginRound(now: Advertiser.shortestTurn * turn)
      same(advertiser.answered(.success), nil)
    }
    #expect(Set(order.prefix(3)) == Set(clients))
    #expect(order.prefix(3) == order.suffix(3))
    // Alone, a client keeps the air.
    _ = advertiser.stop(clients[0])
    _ = advertiser.stop(clients[1])
    #expect(advertiser.nextDeadline == nil)
  }

  @Test("Long intervals have long turns") func longIntervalsHaveLongTurns() {
    var advertiser = Advertiser()
    advertiser.start(ClientID(1), AdvertisingParameters(interval: 0x4000))
    advertiser.start(ClientID(2), AdvertisingParameters(interval: 0x4000))
    _ = advertiser.beginRound(now: .zero)
    same(advertiser.answered(.success), ClientID(2))
    same(advertiser.handleTimeout(now: .zero), true)
    _ = advertiser.beginRound(now: .zero)
    same(advertiser.answered(.success), ClientID(1))
    #expect(advertiser.nextDeadline == .microseconds(3 * (0x4000 * 625 + 10_000)))
  }
}

@Suite struct EarlyPacketsTests {
  @Test("Early packets are returned for their handle in order") func returnedForTheirHandle() {
    var early = EarlyPackets()
    same(early.enqueue([1], handle: 1, now: .zero), true)
    same(early.enqueue([2], handle: 2, now: .zero), true)
    same(early.enqueue([3], handle: 1, now: .zero), true)
    same(early.dequeue(handle: 1), [[1], [3]])
    same(early.dequeue(handle: 1), [])
    same(early.dequeue(handle: 2), [[2]])
  }

  @Test("No packet is buffered while the handle's last link may still deliver")
  func notWhileTheHandlesLastLinkMayStillBring() {
    var early = EarlyPackets()
    early.linkEnded(1, now: .seconds(5))
    same(early.enqueue([1], handle: 1, now: .seconds(5)), false)
    same(early.enqueue([1], handle: 1, now: .milliseconds(5999)), false)
    same(early.enqueue([2], handle: 2, now: .seconds(5)), true)
    early.reset()
    same(early.enqueue([1], handle: 1, now: .milliseconds(5999)), false)
    same(early.enqueue([1], handle: 1, now: .seconds(6)), true)
    same(early.dequeue(handle: 1), [[1]])
    same(early.dequeue(handle: 2), [])
  }

  @Test("Early packets are bounded in number and time") func neverManyNorForLong() {
    var early = EarlyPackets()
    for index in 0..<EarlyPackets.capacity { same(early.enqueue([UInt8(index)], handle: 1, now: .zero), true) }
    same(early.enqueue([9], handle: 1, now: .zero), false)
    #expect(early.nextDeadline == .seconds(1))
    same(early.expire(now: .seconds(1)), Array(repeating: 1, count: EarlyPackets.capacity))
    same(early.dequeue(handle: 1), [])
    #expect(early.nextDeadline == nil)
  }
}
