import LatchkeyBluetoothTransports

/// A capture as text: a line for each PDU, and for what opens and ends connections.
package enum CaptureText {
  /// One line.
  package struct Line: Sendable, Equatable {
    /// The time since the first packet.
    package let time: Duration
    /// Who, or who sent to whom.
    package let parties: String
    package let text: String
  }

  /// Passes each line to `body`. Returns the parts of the file that were not read; one sentence for each kind.
  ///
  /// - Throws: `notACapture`; lines up to there were given before.
  package static func forEachLine(_ bytes: [UInt8], _ body: (Line) -> Void) throws(CassetteError) -> [String] {
    do throws(CaptureError) {
      // Of a capture of one host the packets that it received are text, too; where both ends are captured, each PDU is sent once.
      var decoder = ExchangeDecoder(decodesReceived: try !hasSeveralControllers(bytes))
      var reader = try CaptureReader(bytes)
      var first: Duration?
      while let packet = try reader.next() {
        let start = first ?? packet.time
        first = start
        let record = ExchangeLog.Record(
          time: max(.zero, packet.time - start), controller: "hci\(packet.controller)", direction: packet.direction,
          packet: packet.bytes)
        for entry in decoder.entries(of: record) {
          body(Line(time: record.time, parties: entry.parties, text: entry.text))
        }
      }
      return reader.remarks
    } catch {
      throw CassetteError(.notACapture, "\(error)")
    }
  }

  private static func hasSeveralControllers(_ bytes: [UInt8]) throws(CaptureError) -> Bool {
    var reader = try CaptureReader(bytes)
    var first: UInt16?
    while let packet = try? reader.next() {
      if let first, packet.controller != first { return true }
      first = packet.controller
    }
    return false
  }
}

extension CaptureReader {
  /// The parts of the file that were not read; one sentence for each kind.
  var remarks: [String] {
    var remarks: [String] = []
    if cutRecords > 0 { remarks.append("left out: \(cutRecords) packets that were cut when they were captured") }
    if isTruncated { remarks.append("the capture ends within a record") }
    return remarks
  }
}
