import LatchkeyBluetoothHost

// Buffers and windows at both ends of an ACL packet's path (Core 6.0 Vol 4 Part E 4.1, 4.2).
//
// Every packet passes here, so each step is one mutating call on the controller in its place in the radio's table:
// anything else would copy the controller, or check again and again that it is uniquely referenced.

extension [VirtualLink] {
  /// The index of a link; links are few, so a linear search beats a table.
  @inline(__always)
  func index(of handle: ConnectionHandle) -> Int? {
    for index in indices where self[index].handle == handle { return index }
    return nil
  }
}

extension VirtualController {
  /// The result for a packet that the host sends.
  enum Admission {
    /// There is no such link.
    case unknownLink
    /// The host has no credit for it, or it is too long.
    case overflow
    /// It crosses the air at once.
    case direct(Int, LinkEnd)
    /// It waits at the link of this index.
    case queued(Int)
  }

  /// Accepts a packet from the host into a buffer.
  mutating func admit(_ handle: ConnectionHandle, length: Int) -> Admission {
    guard let index = state.links.index(of: handle) else { return .unknownLink }
    guard state.inController < buffers.count, length <= buffers.length else { return .overflow }
    state.inController += 1
    state.links[index].inController += 1
    guard state.links[index].isClear, state.links[index].queue.isEmpty, let peer = state.links[index].peer else {
      return .queued(index)
    }
    return .direct(index, peer)
  }

  /// The result for a packet that arrived over the air.
  enum Acceptance {
    /// The link ended meanwhile.
    case unknownLink
    /// It goes to the host unchanged.
    case handed
    /// It must be cut to this length, or must wait, at the link of this index.
    case held(Int, limit: Int)
  }

  /// Decides on a packet from the air, and counts it if the host gets it now.
  mutating func accept(_ handle: ConnectionHandle, length: Int) -> Acceptance {
    guard let index = state.links.index(of: handle) else { return .unknownLink }
    let limit = min(buffers.length, state.hostFlow.packetLength)
    guard length <= limit, state.hostFlow.isOpen, state.links[index].held.isEmpty else {
      return .held(index, limit: limit)
    }
    count(index)
    return .handed
  }

  /// Removes and returns the next packet that waits for the host, of the links from this index on, if the host has a
  /// free buffer.
  mutating func dequeueHeld(_ index: Int) -> VirtualLink.Held? {
    guard state.hostFlow.isOpen, !state.links[index].held.isEmpty else { return nil }
    count(index)
    return state.links[index].held.removeFirst()
  }

  @inline(__always)
  private mutating func count(_ index: Int) {
    guard state.hostFlow.isOn else { return }
    state.hostFlow.used += 1
    state.links[index].atHost += 1
  }

  /// Handles returned buffers of the host (Host Number Of Completed Packets). Handles of links that just ended are no
  /// error: their buffers were returned with the link.
  ///
  /// - Returns: false if it returns more than it has.
  mutating func hostCompleted(_ handle: ConnectionHandle, count: Int) -> Bool {
    guard let index = state.links.index(of: handle) else { return true }
    let returned = min(count, state.links[index].atHost)
    state.links[index].atHost -= returned
    state.hostFlow.used -= returned
    return returned == count
  }

  // MARK: Credits

  /// Completes one packet of the host.
  ///
  /// - Returns: whether it is the first one to report.
  mutating func complete(_ index: Int) -> Bool {
    state.links[index].completed += 1
    defer { state.isReporting = true }
    return !state.isReporting
  }

  /// Reports the completed packets of all links, which returns their credits to the host.
  mutating func reportCompleted(into outputs: inout [RadioOutput]) {
    for index in state.links.indices where state.links[index].completed > 0 {
      let count = state.links[index].completed
      state.links[index].completed = 0
      state.inController -= count
      outputs.append(.packet(state.links[index].report(count), to: id))
    }
  }

  /// Returns credits to the host, which must be informed.
  mutating func credit(_ count: Int, _ index: Int) -> ConnectionHandle {
    state.inController -= count
    state.links[index].inController -= count
    return state.links[index].handle
  }
}
