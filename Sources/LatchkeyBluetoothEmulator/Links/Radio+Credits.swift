import LatchkeyBluetoothHost

// Number Of Completed Packets (Core 6.0 Vol 4 Part E 7.7.19) and its faults.

extension Radio {
  /// Completes one ACL packet of a link's host. It is reported with all others before the next outputs.
  mutating func complete(_ slot: Int, _ index: Int) {
    if controllers[slot].complete(index) { reporting.append(slot) }
  }

  /// Reports to hosts the packets that were completed since outputs were last dequeued.
  mutating func reportCompletedPackets() {
    while !reporting.isEmpty {
      let slot = reporting.removeLast()
      controllers[slot].state.isReporting = false
      guard !hasCreditFaults || controllers[slot].faults.credits == .prompt else { continue }
      controllers[slot].reportCompleted(into: &outputs)
    }
  }

  private mutating func giveCredits(_ count: Int, _ slot: Int, _ index: Int) {
    let handle = controllers[slot].credit(count, index)
    emit(HCINumberOfCompletedPackets.packet(handle, count: UInt16(truncatingIfNeeded: count)), to: slot)
  }

  // MARK: Faults

  /// Withholds credits by a controller's fault. Called at the end of each input, so that a delay counts from then.
  mutating func withholdCredits(now: Duration) {
    for slot in reporting where controllers[slot].state.isReporting {
      let fault = controllers[slot].faults.credits
      for index in controllers[slot].state.links.indices where controllers[slot].state.links[index].completed > 0 {
        let count = controllers[slot].state.links[index].completed
        switch fault {
        case .prompt, .withheld: continue
        case .late(let delay):
          controllers[slot].state.lateCredits.append(
            .init(at: now + delay, handle: controllers[slot].state.links[index].handle, count: count))
          deadlineTable.change(slot)
        case .everyLost(let every):
          let before = controllers[slot].state.completedPackets
          controllers[slot].state.completedPackets += count
          let lost = every > 0 ? (before + count) / every - before / every : 0
          if count > lost { giveCredits(count - lost, slot, index) }
        }
        controllers[slot].state.links[index].completed = 0
      }
    }
  }

  /// Releases the credits that are due by `now`; all of them without a `now`.
  mutating func releaseLateCredits(_ slot: Int, now: Duration?) {
    guard !controllers[slot].state.lateCredits.isEmpty else { return }
    let due = controllers[slot].state.lateCredits.filter { credit in now.map { credit.at <= $0 } ?? true }
    controllers[slot].state.lateCredits.removeFirst(due.count)
    for credit in due {
      guard let index = controllers[slot].linkIndex(credit.handle) else { continue }
      giveCredits(credit.count, slot, index)
    }
    deadlineTable.change(slot)
  }

  /// Releases all credits that a fault withholds, including late ones.
  mutating func releaseAllCredits(_ slot: Int) {
    releaseLateCredits(slot, now: nil)
    controllers[slot].reportCompleted(into: &outputs)
  }
}

/// The flow control of ACL packets towards the host (Core 6.0 Vol 4 Part E 4.2): the host's buffers and how many of
/// them are in use.
struct HostFlowControl: Sendable {
  var isOn = false
  /// Set by Host Buffer Size; until then the host accepts any length.
  var packetLength = Int.max
  var packetCount = Int.max
  /// Packets that the host has not returned, over all links.
  var used = 0

  /// Whether the host accepts one more packet.
  var isOpen: Bool { !isOn || used < packetCount }
}
