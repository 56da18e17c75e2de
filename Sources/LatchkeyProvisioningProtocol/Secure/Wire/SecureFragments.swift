/// Why bytes on the wire are refused.
package enum SecureWireError: Error, Hashable, Sendable {
  /// A fragment has no header, or no byte of a message.
  case emptyFragment
  /// A first fragment came within a message, or another one outside of one.
  case outOfPlace
  /// A fragment is missing, repeated or out of order.
  case sequence
  /// A message is announced with this length, which is not allowed.
  case messageLength(Int)
  /// The fragments have not the length that the first one announced.
  case lengthMismatch
  /// A message is incomplete for too long.
  case incomplete
  /// A message's type is unknown, out of its place, or its body has a length that the type does not have.
  case message(type: UInt8)
}

/// Cuts messages into the values that carry them.
package enum SecureFragments {
  static let first: UInt8 = 0x80
  static let last: UInt8 = 0x40
  static let sequence: UInt8 = 0x3F
  /// The longest value of a characteristic (Core 6.0 Vol 3 Part F 3.2.9), and the shortest that carries a byte of a message.
  static let valueLengths = 4...512

  /// The values that carry `message`, none longer than `limit`.
  package static func values(of message: [UInt8], limit: Int) -> [[UInt8]] {
    let limit = min(max(limit, valueLengths.lowerBound), valueLengths.upperBound)
    var values: [[UInt8]] = []
    var position = 0
    repeat {
      var value: [UInt8] = [UInt8(truncatingIfNeeded: values.count) & sequence]
      if position == 0 {
        value[0] |= first
        value += [UInt8(truncatingIfNeeded: message.count >> 8), UInt8(truncatingIfNeeded: message.count)]
      }
      let end = min(position + limit - value.count, message.count)
      value += message[position..<end]
      position = end
      if position == message.count { value[0] |= last }
      values.append(value)
    } while position < message.count
    return values
  }
}

/// Joins values to messages again, whatever their lengths.
package struct SecureReassembler: Sendable {
  /// The time that the next fragment of a message may take.
  static let patience = Duration.seconds(5)

  /// The longest message that is accepted.
  package var limit: Int
  /// When the message that has begun is overdue; nil if none has.
  package private(set) var deadline: Duration?
  private var message: [UInt8] = []
  private var total: Int?
  private var next: UInt8 = 0

  package init(limit: Int) { self.limit = limit }

  /// Takes a value; the message that it completes, or nil. After an error the reassembler is of no more use.
  package mutating func add(_ value: [UInt8], now: Duration) throws(SecureWireError) -> [UInt8]? {
    guard let header = value.first else { throw .emptyFragment }
    if let deadline, now >= deadline { throw .incomplete }
    var body = value.dropFirst()
    if header & SecureFragments.first != 0 {
      guard total == nil else { throw .outOfPlace }
      guard body.count > 2 else { throw .emptyFragment }
      let announced = Int(body[1]) << 8 | Int(body[2])
      guard (SecureMessage.headerLength...limit).contains(announced) else { throw .messageLength(announced) }
      total = announced
      next = 0
      body = body.dropFirst(2)
    }
    guard let total else { throw .outOfPlace }
    guard !body.isEmpty else { throw .emptyFragment }
    guard header & SecureFragments.sequence == next else { throw .sequence }
    let isLast = header & SecureFragments.last != 0
    let length = message.count + body.count
    guard isLast ? length == total : length < total else { throw .lengthMismatch }
    message += body
    next = (next + 1) & SecureFragments.sequence
    guard isLast else {
      deadline = now + Self.patience
      return nil
    }
    defer { reset() }
    return message
  }

  /// Forgets the message that has begun.
  package mutating func reset() {
    message = []
    total = nil
    deadline = nil
  }
}
