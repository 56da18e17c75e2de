import LatchkeyBluetoothHost

// Advertising events (Core 6.0 Vol 6 Part B 4.4.2), and the time of scanning.

extension Radio {
  /// Starts advertisers of a controller: the first event of each is at once.
  mutating func startAdvertising(_ handles: [AdvertisingHandle?], _ slot: Int, now: Duration) {
    deadlineTable.change(slot)
    for handle in handles {
      guard let index = controllers[slot].state.advertisers.firstIndex(where: { $0.handle == handle }) else { continue }
      let place = AdvertiserPlace(slot: slot, index: index)
      change(place) {
        $0.nextEvent = now
        $0.endsAt = $0.duration.map { now + $0 }
        $0.completedEvents = 0
      }
      advertise(place, now: now)
    }
  }

  /// Starts listening: a controller receives the current advertisers at once, then with all other listeners.
  mutating func startListening(_ slot: Int, now: Duration) {
    deadlineTable.change(slot)
    refreshListeners()
    for other in controllers.indices {
      for index in controllers[other].state.advertisers.indices {
        let place = AdvertiserPlace(slot: other, index: index)
        guard listens(slot, to: place) else { continue }
        deliverAdvertisement(slot, place, now: now)
        // Without a listener no events happened, and their time passed; counted ones happen in any case.
        if self[place].nextEvent <= now, self[place].maximumEvents == 0 { planNextEvent(place, now: now) }
      }
    }
  }

  /// Performs the due events of a controller's advertisers.
  mutating func serveAdvertisers(_ slot: Int, now: Duration) {
    for index in controllers[slot].state.advertisers.indices {
      let place = AdvertiserPlace(slot: slot, index: index)
      guard self[place].isEnabled else { continue }
      if let end = self[place].endsAt, end <= now {
        endAdvertising(place, .advertisingTimeout)
      } else if self[place].nextEvent <= now {
        advertise(place, now: now)
      }
    }
  }

  private mutating func advertise(_ place: AdvertiserPlace, now: Duration) {
    refreshListeners()
    // An event may end another controller's listening: it may connect.
    for listener in self[place].listeners where listens(listener, to: place) {
      deliverAdvertisement(listener, place, now: now)
    }
    guard self[place].isEnabled, self[place].maximumEvents > 0 else { return planNextEvent(place, now: now) }
    change(place) { $0.completedEvents += 1 }
    if self[place].completedEvents >= self[place].maximumEvents {
      endAdvertising(place, .limitReached)
    } else {
      planNextEvent(place, now: now)
    }
  }

  private mutating func planNextEvent(_ place: AdvertiserPlace, now: Duration) {
    let interval = self[place].interval
    var next = self[place].nextEvent + interval
    if next <= now { next = now + interval }
    if timing.hasAdvertisingDelay { next += .microseconds(Int64(random.next() % 10_000)) }
    change(place) { $0.nextEvent = next }
    deadlineTable.change(place.slot)
  }

  /// Ends an advertiser at its own limit, and informs its host (Vol 4 Part E 7.8.9, 7.8.56).
  private mutating func endAdvertising(_ place: AdvertiserPlace, _ status: HCIStatus) {
    deadlineTable.change(place.slot)
    listenerTable.change(place.slot)
    change(place) { $0.isEnabled = false }
    if let event = endEvent(of: place, status, link: 0x0000) {
      emit(event, to: place.slot)
    } else {
      announceFailure(status, role: .peripheral, slot: place.slot)
    }
  }

  /// The event of the end of an advertising set; nil for legacy advertising, which has none.
  func endEvent(of place: AdvertiserPlace, _ status: HCIStatus, link: ConnectionHandle) -> HCIEvent? {
    guard let handle = self[place].handle else { return nil }
    return .le(
      .advertisingSetTerminated(
        LEAdvertisingSetTerminated(
          status: status, handle: handle, connectionHandle: link,
          completedEvents: UInt8(clamping: self[place].completedEvents))))
  }

  // MARK: Scanning

  /// Starts a scan, whose time begins now.
  mutating func startScanning(_ slot: Int, now: Duration) {
    controllers[slot].state.scanner.begin(now: now)
    startListening(slot, now: now)
  }

  /// Ends the duration of a scan, or begins the next one (Vol 4 Part E 7.8.65).
  mutating func serveScanner(_ slot: Int, now: Duration) {
    guard let deadline = controllers[slot].state.scanner.deadline, deadline <= now else { return }
    deadlineTable.change(slot)
    listenerTable.change(slot)
    controllers[slot].state.scanner.turn(now: now)
    if controllers[slot].state.scanner.isReceiving {
      startListening(slot, now: now)
    } else if !controllers[slot].state.scanner.isEnabled {
      emit(.le(.scanTimeout), to: slot)
    }
  }
}
