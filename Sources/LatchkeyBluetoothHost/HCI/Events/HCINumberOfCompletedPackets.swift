package import LatchkeyByteCoding

/// Reports ACL packets that have left the controller's buffers (Core 6.0 Vol 4 Part E 7.7.19).
///
/// One arrives for every few packets, so it is decoded in place: iterate it for handles and counts.
package struct HCINumberOfCompletedPackets: Sendable, Sequence {
  package struct Entry: Sendable, Equatable {
    package var connectionHandle: ConnectionHandle
    package var count: UInt16

    package init(connectionHandle: ConnectionHandle, count: UInt16) {
      self.connectionHandle = connectionHandle
      self.count = count
    }
  }

  private static let entryCount = 4

  /// The entries, whole.
  private let entries: ByteReader

  /// Reads the event's parameters, to the last byte.
  package init(decoding parameters: ByteReader) throws(ByteCodingError) {
    var reader = parameters
    let count = Int(try reader.uint8("Num_Handles")) * Self.entryCount
    guard reader.remaining == count else {
      throw reader.remaining < count
        ? .truncated(field: "completed packets", needed: count, available: reader.remaining)
        : .trailingBytes(structure: "completed packets", count: reader.remaining - count)
    }
    entries = reader
  }

  /// The indicator, the event's code, its length and Num_Handles.
  private static let packetHeaderCount = 4

  /// The number of entries in a whole H4 packet; nil if it is of another kind or malformed. The event is as frequent as data,
  /// so it is read in place.
  package static func entryCount(of packet: borrowing [UInt8]) -> Int? {
    let count = packet.count
    guard count >= packetHeaderCount, packet[0] == HCIPacketType.event.rawValue,
      packet[1] == HCIEventCode.numberOfCompletedPackets, Int(packet[2]) == count - 3
    else { return nil }
    let entries = Int(packet[3])
    return entries * entryCount == count - packetHeaderCount ? entries : nil
  }

  /// An entry of such a packet.
  package static func entry(_ index: Int, of packet: borrowing [UInt8]) -> Entry {
    let start = packetHeaderCount + index * entryCount
    return Entry(
      connectionHandle: ConnectionHandle(rawValue: UInt16(packet[start]) | UInt16(packet[start + 1]) << 8),
      count: UInt16(packet[start + 2]) | UInt16(packet[start + 3]) << 8)
  }

  /// An event of at most 63 entries, the limit of its length field.
  package init(_ entries: [Entry]) {
    var writer = ByteWriter(capacity: entries.count * Self.entryCount)
    for entry in entries.prefix(63) {
      entry.connectionHandle.encode(into: &writer)
      writer.uint16(entry.count)
    }
    self.entries = ByteReader(writer.bytes)
  }

  package func encode(into writer: inout ByteWriter) {
    writer.uint8(UInt8(truncatingIfNeeded: entries.remaining / Self.entryCount))
    writer.append(entries)
  }

  /// The whole H4 packet for one handle, made in one piece: it is as frequent as data.
  package static func packet(_ handle: ConnectionHandle, count: UInt16) -> [UInt8] {
    [
      HCIPacketType.event.rawValue, HCIEventCode.numberOfCompletedPackets, 5, 1,
      UInt8(truncatingIfNeeded: handle.rawValue), UInt8(truncatingIfNeeded: handle.rawValue >> 8),
      UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8),
    ]
  }

  package struct Iterator: IteratorProtocol {
    fileprivate var reader: ByteReader

    package mutating func next() -> Entry? {
      guard !reader.isEmpty, let handle = try? ConnectionHandle(from: &reader), let count = try? reader.uint16("count")
      else { return nil }
      return Entry(connectionHandle: handle, count: count)
    }
  }

  package func makeIterator() -> Iterator { Iterator(reader: entries) }
}
