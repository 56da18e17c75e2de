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

  /// Reads a whole H4 packet; nil if it is of another kind or malformed. The event is as frequent as data.
  init?(packet: [UInt8]) {
    var reader = ByteReader(packet)
    guard let type = try? reader.uint8("H4 type"), type == HCIPacketType.event.rawValue,
      let code = try? reader.uint8("event code"), code == HCIEventCode.numberOfCompletedPackets,
      let length = try? reader.uint8("event length"), reader.remaining == length,
      let event = try? Self(decoding: reader)
    else { return nil }
    self = event
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
      guard let handle = try? ConnectionHandle(from: &reader), let count = try? reader.uint16("count") else {
        return nil
      }
      return Entry(connectionHandle: handle, count: count)
    }
  }

  package func makeIterator() -> Iterator { Iterator(reader: entries) }
}
