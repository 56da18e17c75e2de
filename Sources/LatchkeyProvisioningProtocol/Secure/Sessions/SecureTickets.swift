package import LatchkeyByteCoding

/// What a device keeps over restarts: its identifier, and the apps that may come back without the code.
///
/// The bytes are secret. Of each app there are one ticket, and the one before until the app has used the new one.
package struct SecureTickets: Sendable {
  struct Entry: Sendable {
    /// The entry's name within this process.
    let number: Int
    /// The suite of the handshake that the entry comes from.
    let suite: SecureSuite
    var current: SecureTicket
    var previous: SecureTicket?
    /// The app's ephemeral keys of the resumptions since the last that was confirmed, the oldest first: one that comes twice was
    /// recorded. They end with the process.
    var seen: [[UInt8]] = []
  }

  /// How many ephemeral keys an entry remembers.
  static let seenLimit = 16

  /// How many apps are remembered.
  package static let limit = 8
  private static let version: UInt8 = 1

  package let deviceIdentifier: [UInt8]
  /// The one that was used longest ago comes first.
  private(set) var entries: [Entry] = []
  private var lastNumber = 0

  /// A new device's.
  package init(deviceIdentifier: [UInt8]) { self.deviceIdentifier = deviceIdentifier }

  /// - Throws: `ByteCodingError` if the bytes are not those of `bytes`.
  package init(_ bytes: [UInt8]) throws(ByteCodingError) {
    var reader = ByteReader(bytes)
    guard try reader.uint8("the tickets' version") == Self.version else {
      throw .invalidValue(field: "the tickets' version")
    }
    deviceIdentifier = try reader.bytes(SecureInformation.identifierLength, "the device's identifier")
    let count = Int(try reader.uint8("the number of tickets"))
    guard count <= Self.limit else { throw .invalidValue(field: "the number of tickets") }
    for _ in 0..<count {
      guard let suite = SecureSuite(rawValue: try reader.uint8("a ticket's suite")) else {
        throw .invalidValue(field: "a ticket's suite")
      }
      let tickets = Int(try reader.uint8("a ticket's predecessors"))
      guard (1...2).contains(tickets) else { throw .invalidValue(field: "a ticket's predecessors") }
      let current = try Self.ticket(&reader)
      let previous = tickets == 2 ? try Self.ticket(&reader) : nil
      lastNumber += 1
      entries.append(Entry(number: lastNumber, suite: suite, current: current, previous: previous))
    }
    try reader.finish("the tickets")
  }

  package var bytes: [UInt8] {
    var bytes = [Self.version]
    bytes.reserveCapacity(18 + entries.count * (2 + 2 * SecureTicket.length))
    bytes += deviceIdentifier
    bytes.append(UInt8(truncatingIfNeeded: entries.count))
    for entry in entries {
      let tickets = [entry.current] + (entry.previous.map { [$0] } ?? [])
      bytes += [entry.suite.rawValue, UInt8(truncatingIfNeeded: tickets.count)]
      for ticket in tickets {
        bytes += ticket.name
        ticket.key.withUnsafeBytes { bytes += $0 }
      }
    }
    return bytes
  }

  /// The entry and the ticket of this name.
  func find(_ name: [UInt8]) -> (entry: Entry, ticket: SecureTicket)? {
    for entry in entries.reversed() {
      if entry.current.name == name { return (entry, entry.current) }
      if let previous = entry.previous, previous.name == name { return (entry, previous) }
    }
    return nil
  }

  /// Remembers an app; the entry's number.
  mutating func add(_ ticket: SecureTicket, suite: SecureSuite) -> Int {
    if entries.count == Self.limit { entries.removeFirst() }
    lastNumber += 1
    entries.append(Entry(number: lastNumber, suite: suite, current: ticket, previous: nil))
    return lastNumber
  }

  /// Replaces a ticket that was used, which stays valid until `confirm(_:)`.
  mutating func replace(_ used: SecureTicket, by next: SecureTicket, for ephemeral: [UInt8], in number: Int) {
    guard let index = entries.firstIndex(where: { $0.number == number }) else { return }
    var entry = entries.remove(at: index)
    entry.previous = used
    entry.current = next
    if entry.seen.count == Self.seenLimit { entry.seen.removeFirst() }
    entry.seen.append(ephemeral)
    entries.append(entry)
  }

  /// The app has used what `replace` gave it.
  mutating func confirm(_ number: Int) {
    guard let index = entries.firstIndex(where: { $0.number == number }) else { return }
    // What was recorded before had a ticket that is gone now.
    entries[index].previous = nil
  }

  mutating func remove(_ number: Int) { entries.removeAll { $0.number == number } }

  mutating func removeAll() { entries = [] }

  private static func ticket(_ reader: inout ByteReader) throws(ByteCodingError) -> SecureTicket {
    var bytes = try reader.bytes(SecureTicket.length, "a ticket")
    return SecureTicket(SecretBytes(consuming: &bytes))
  }
}

/// What an app keeps of a device, to come back without the code. The bytes are secret.
package struct SecureResumption: Sendable {
  private static let version: UInt8 = 1

  package let deviceIdentifier: [UInt8]
  let suite: SecureSuite
  /// The tickets to try, in this order: the newest, and its predecessor until a session with the newest has worked.
  private(set) var tickets: [SecureTicket]

  init(deviceIdentifier: [UInt8], suite: SecureSuite, tickets: [SecureTicket]) {
    self.deviceIdentifier = deviceIdentifier
    self.suite = suite
    self.tickets = tickets
  }

  /// - Throws: `ByteCodingError` if the bytes are not those of `bytes`.
  package init(_ bytes: [UInt8]) throws(ByteCodingError) {
    var reader = ByteReader(bytes)
    guard try reader.uint8("a resumption's version") == Self.version,
      let suite = SecureSuite(rawValue: try reader.uint8("a resumption's suite"))
    else { throw .invalidValue(field: "a resumption's version or suite") }
    self.suite = suite
    deviceIdentifier = try reader.bytes(SecureInformation.identifierLength, "a device's identifier")
    let count = Int(try reader.uint8("a resumption's tickets"))
    guard (1...2).contains(count) else { throw .invalidValue(field: "a resumption's tickets") }
    tickets = []
    for _ in 0..<count {
      var ticket = try reader.bytes(SecureTicket.length, "a ticket")
      tickets.append(SecureTicket(SecretBytes(consuming: &ticket)))
    }
    try reader.finish("a resumption")
  }

  package var bytes: [UInt8] {
    var bytes = [Self.version, suite.rawValue]
    bytes.reserveCapacity(19 + tickets.count * SecureTicket.length)
    bytes += deviceIdentifier
    bytes.append(UInt8(truncatingIfNeeded: tickets.count))
    for ticket in tickets {
      bytes += ticket.name
      ticket.key.withUnsafeBytes { bytes += $0 }
    }
    return bytes
  }

  /// The resumption after the one by `used`.
  func replacing(_ used: SecureTicket, by next: SecureTicket) -> SecureResumption {
    SecureResumption(deviceIdentifier: deviceIdentifier, suite: suite, tickets: [next, used])
  }

  /// The resumption once the newest ticket has worked.
  var confirmed: SecureResumption {
    SecureResumption(deviceIdentifier: deviceIdentifier, suite: suite, tickets: Array(tickets.prefix(1)))
  }
}
