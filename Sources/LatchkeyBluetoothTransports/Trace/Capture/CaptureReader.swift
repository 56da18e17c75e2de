import LatchkeyByteCoding

/// One packet of a capture.
package struct CapturedPacket: Sendable, Equatable {
  /// The time since 1970, by the clock of the capturing system: it may go backwards.
  package var time: Duration
  /// The number of the controller.
  package var controller: UInt16
  package var direction: PacketDirection
  /// The whole H4 packet.
  package var bytes: [UInt8]

  package init(time: Duration, controller: UInt16 = 0, _ direction: PacketDirection, _ bytes: [UInt8]) {
    self.time = time
    self.controller = controller
    self.direction = direction
    self.bytes = bytes
  }
}

/// Reads the packets of a capture of others: btsnoop, as Android, BlueZ and this package write it, or PacketLogger, as Apple's
/// systems do.
package struct CaptureReader: Sendable {
  private enum Format {
    case snoop(SnoopFormat.LinkType)
    case packetLogger(PacketLoggerFormat)
  }

  /// The longest record, bytes: more than the longest packet. A longer one is no length.
  static let longestRecord = 1 << 20

  private let format: Format
  private var reader: ByteReader
  private let count: Int

  /// Records whose packets were cut when they were captured: they are left out.
  package private(set) var cutRecords = 0
  /// Records that hold no packet: notes, and what is about controllers.
  package private(set) var otherRecords = 0
  /// Whether the last record is incomplete: the capture goes up to there.
  package private(set) var isTruncated = false

  /// A reader of a capture.
  ///
  /// - Throws: `CaptureError` if it is none.
  package init(_ bytes: [UInt8]) throws(CaptureError) {
    count = bytes.count
    var reader = ByteReader(bytes)
    if bytes.starts(with: SnoopFormat.magic) {
      format = .snoop(try SnoopFormat.readFileHeader(&reader))
    } else if let byteOrder = PacketLoggerFormat(recognizing: bytes) {
      format = .packetLogger(byteOrder)
    } else {
      throw CaptureError(offset: 0, "this is neither a btsnoop nor a PacketLogger capture")
    }
    self.reader = reader
  }

  /// Whether bytes look like a capture.
  package static func recognizes(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: SnoopFormat.magic) || PacketLoggerFormat(recognizing: bytes) != nil
  }

  /// The next packet; nil at the end.
  ///
  /// - Throws: `CaptureError` for what is no record.
  package mutating func next() throws(CaptureError) -> CapturedPacket? {
    while !reader.isEmpty, !isTruncated {
      let offset = count - reader.remaining
      let result: RecordResult
      switch format {
      case .snoop(let linkType): result = try SnoopFormat.readRecord(linkType, &reader, at: offset)
      case .packetLogger(let byteOrder): result = try byteOrder.readRecord(&reader, at: offset)
      }
      switch result {
      case .packet(let packet): return packet
      case .cut: cutRecords += 1
      case .other: otherRecords += 1
      case .truncated: isTruncated = true
      }
    }
    return nil
  }
}

/// What one record is.
enum RecordResult {
  case packet(CapturedPacket)
  /// A packet without its end.
  case cut
  /// No packet.
  case other
  /// The capture ends within it.
  case truncated
}

/// Why a capture cannot be read.
package struct CaptureError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Where in the file, bytes.
  package let offset: Int
  package let problem: String

  init(offset: Int, _ problem: String) {
    self.offset = offset
    self.problem = problem
  }

  /// The problem and its place.
  package var description: String { offset == 0 ? problem : "\(problem), at byte \(offset)" }
}
