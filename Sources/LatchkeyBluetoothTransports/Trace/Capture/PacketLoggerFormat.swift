import LatchkeyByteCoding

/// The capture format of Apple's PacketLogger, which has no header: records of a length, a time, a type and data, in the byte
/// order of the machine. Apple has not published it; the layout is what other readers take.
struct PacketLoggerFormat {
  /// The fields of a record before its data.
  private struct Header {
    let length: UInt32
    let seconds: UInt32
    let microseconds: UInt32
    let type: UInt8
  }

  /// The types of records, of which some are packets.
  private enum RecordType: UInt8 {
    case command = 0x00
    case event = 0x01
    case sentACL = 0x02
    case receivedACL = 0x03
    case sentSCO = 0x08
    case receivedSCO = 0x09
    case sentLMP = 0x0A
    case receivedLMP = 0x0B
    case systemLog = 0xF7
    case kernel = 0xF8
    case kernelDebug = 0xF9
    case error = 0xFA
    case power = 0xFB
    case note = 0xFC
    case configuration = 0xFD
    case newController = 0xFE
  }

  /// The bytes of time and type, which the length counts with the data.
  private static let fixedLength: UInt32 = 9

  /// Whether numbers are little endian.
  private let isLittleEndian: Bool

  private init(isLittleEndian: Bool) { self.isLittleEndian = isLittleEndian }

  /// The format of bytes whose first record is plausible in one of the byte orders; nil if it is in none.
  init?(recognizing bytes: [UInt8]) {
    for isLittleEndian in [false, true] {
      let format = Self(isLittleEndian: isLittleEndian)
      var reader = ByteReader(bytes)
      guard let header = format.header(&reader), header.length >= Self.fixedLength,
        header.length <= CaptureReader.longestRecord, header.microseconds < 1_000_000,
        RecordType(rawValue: header.type) != nil
      else { continue }
      self = format
      return
    }
    return nil
  }

  private func header(_ reader: inout ByteReader) -> Header? {
    guard let length = number(&reader), let seconds = number(&reader), let microseconds = number(&reader),
      let type = try? reader.uint8("type")
    else { return nil }
    return Header(length: length, seconds: seconds, microseconds: microseconds, type: type)
  }

  private func number(_ reader: inout ByteReader) -> UInt32? {
    isLittleEndian ? try? reader.uint32("number") : try? reader.uint32BigEndian("number")
  }

  /// Reads one record.
  ///
  /// - Parameter offset: where it begins in the file.
  func readRecord(_ reader: inout ByteReader, at offset: Int) throws(CaptureError) -> RecordResult {
    guard let header = header(&reader) else { return .truncated }
    guard (Self.fixedLength...UInt32(CaptureReader.longestRecord)).contains(header.length) else {
      throw CaptureError(offset: offset, "a PacketLogger record has a length of \(header.length) bytes")
    }
    guard let data = try? reader.bytes(Int(header.length - Self.fixedLength), "data") else { return .truncated }
    let time = Duration.seconds(Int64(header.seconds)) + .microseconds(Int64(header.microseconds))
    let packet: (PacketDirection, UInt8)
    switch RecordType(rawValue: header.type) {
    case .command: packet = (.toController, 0x01)
    case .event: packet = (.fromController, 0x04)
    case .sentACL: packet = (.toController, 0x02)
    case .receivedACL: packet = (.fromController, 0x02)
    case .sentSCO: packet = (.toController, 0x03)
    case .receivedSCO: packet = (.fromController, 0x03)
    default: return .other
    }
    return .packet(CapturedPacket(time: time, packet.0, [packet.1] + data))
  }
}
