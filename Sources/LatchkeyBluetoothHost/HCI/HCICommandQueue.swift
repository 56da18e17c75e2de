package import LatchkeyByteCoding

/// Sends commands as fast as the controller allows, and matches replies to them (Core 6.0 Vol 4 Part E 4.4).
///
/// The controller grants credits with every Command Complete and Command Status, including those of opcode 0x0000; it
/// may grant none for a while. A command that is not answered in time frees its credit, so an unknown command cannot
/// block the others. HCI Host Number Of Completed Packets needs no credit and never enters this queue.
package struct HCICommandQueue<Tag: Sendable>: Sendable {
  private struct Waiting: Sendable {
    let opcode: HCIOpcode
    let packet: [UInt8]
    let tag: Tag
  }

  private struct Outstanding: Sendable {
    let opcode: HCIOpcode
    let tag: Tag
    let deadline: Duration
  }

  private let timeout: Duration
  private var credits = 1
  private var waiting: [Waiting] = []
  private var outstanding: [Outstanding] = []
  /// When to send one command without a credit: the controller granted none, and owes no reply that could grant one.
  private var starvedUntil: Duration?

  /// A queue for a controller that accepts one command, as after power-up or Reset.
  package init(timeout: Duration = .seconds(3)) { self.timeout = timeout }

  /// Whether no command waits or is outstanding.
  package var isIdle: Bool { waiting.isEmpty && outstanding.isEmpty }

  /// Appends a command; `tag` is returned with its reply.
  package mutating func enqueue(_ command: some HCICommand, tag: Tag, now: Duration) {
    waiting.append(Waiting(opcode: type(of: command).opcode, packet: command.packet, tag: tag))
    watchForStarvation(now)
  }

  /// The next H4 packet that may be sent now; call until it returns nil.
  package mutating func nextPacket(now: Duration) -> [UInt8]? {
    // Nothing may be sent before the reply to a Reset (7.3.2).
    guard credits > 0, let next = waiting.first, !outstanding.contains(where: { $0.opcode == .reset }) else {
      return nil
    }
    waiting.removeFirst()
    credits -= 1
    starvedUntil = nil
    outstanding.append(Outstanding(opcode: next.opcode, tag: next.tag, deadline: now + timeout))
    return next.packet
  }

  /// Handles a Command Complete. Returns nil if no outstanding command matches it; it still grants its credits.
  package mutating func complete(
    credits: UInt8, opcode: HCIOpcode, parameters: ByteReader, now: Duration
  ) -> (tag: Tag, reply: HCIReply)? {
    end(opcode, credits, now).map { ($0, .complete(parameters)) }
  }

  /// Handles a Command Status, as `complete(credits:opcode:parameters:now:)` does a Command Complete.
  package mutating func status(
    _ status: HCIStatus, credits: UInt8, opcode: HCIOpcode, now: Duration
  ) -> (tag: Tag, reply: HCIReply)? {
    end(opcode, credits, now).map { ($0, .status(status)) }
  }

  /// When to call `expire(now:)`.
  package var nextDeadline: Duration? {
    // Every command has the same timeout, so the first one sent is the first one due.
    guard let due = outstanding.first?.deadline else { return starvedUntil }
    return starvedUntil.map { min($0, due) } ?? due
  }

  /// Removes the commands that are due and returns their tags, in the order of sending.
  package mutating func expire(now: Duration) -> [Tag] {
    var tags: [Tag] = []
    while let first = outstanding.first, first.deadline <= now {
      tags.append(first.tag)
      outstanding.removeFirst()
    }
    if !tags.isEmpty { credits = max(credits, 1) }
    if let starvedUntil, starvedUntil <= now { credits = max(credits, 1) }
    watchForStarvation(now)
    return tags
  }

  /// Removes all commands, since a reset or lost controller drops them, and returns their tags in the order of
  /// enqueueing.
  package mutating func removeAll() -> [Tag] {
    let tags = outstanding.map(\.tag) + waiting.map(\.tag)
    self = HCICommandQueue(timeout: timeout)
    return tags
  }

  /// Removes matching commands that were not sent yet, and returns their tags.
  package mutating func removeWaiting(now: Duration, where isUnwanted: (Tag) -> Bool) -> [Tag] {
    guard waiting.contains(where: { isUnwanted($0.tag) }) else { return [] }
    let tags = waiting.map(\.tag).filter(isUnwanted)
    waiting.removeAll { isUnwanted($0.tag) }
    watchForStarvation(now)
    return tags
  }

  private mutating func end(_ opcode: HCIOpcode, _ credits: UInt8, _ now: Duration) -> Tag? {
    self.credits = Int(credits)
    let index = opcode == .none ? nil : outstanding.firstIndex { $0.opcode == opcode }
    let tag = index.map { outstanding.remove(at: $0).tag }
    watchForStarvation(now)
    return tag
  }

  private mutating func watchForStarvation(_ now: Duration) {
    let isStarved = credits == 0 && outstanding.isEmpty && !waiting.isEmpty
    starvedUntil = isStarved ? starvedUntil ?? now + timeout : nil
  }
}
