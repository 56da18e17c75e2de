import Foundation
import LatchkeyByteCoding

/// The Record Access Control Point (Glucose Service 1.0.1, 3.4): which records a command means, and what answers it.
///
/// A record begins with its flags and a sequence number of 16 bits. The filter by time is not supported.
struct RecordAccess {
  /// What a command leads to.
  struct Outcome: Equatable {
    /// The records to notify, in order.
    var records: [Data] = []
    /// The indication that ends the procedure.
    var response: Data
    /// The records that remain.
    var remaining: [Data]
  }

  private enum Opcode: UInt8 {
    case report = 0x01, delete = 0x02, abort = 0x03, count = 0x04
  }

  /// The codes of a response (3.4.3).
  private enum Code: UInt8 {
    case success = 0x01, opcodeNotSupported = 0x02, invalidOperator = 0x03, operatorNotSupported = 0x04,
      invalidOperand = 0x05, noRecordsFound = 0x06, operandNotSupported = 0x09
  }

  private struct Refusal: Error { let code: Code }

  static func handle(_ command: Data, _ records: [Data]) -> Outcome {
    var reader = ByteReader([UInt8](command))
    let number = (try? reader.uint8("opcode")) ?? 0x00
    guard let opcode = Opcode(rawValue: number) else {
      return Outcome(response: response(number, .opcodeNotSupported), remaining: records)
    }
    do throws(Refusal) {
      return try perform(opcode, &reader, records)
    } catch {
      return Outcome(response: response(number, error.code), remaining: records)
    }
  }

  private static func perform(
    _ opcode: Opcode, _ reader: inout ByteReader, _ records: [Data]
  ) throws(Refusal) -> Outcome {
    if opcode == .abort {
      guard operatorNumber(&reader) == 0x00 else { throw Refusal(code: .invalidOperator) }
      return Outcome(response: response(opcode.rawValue, .success), remaining: records)
    }
    let chosen = try choose(&reader, records)
    switch opcode {
    case .count:
      var bytes = ByteWriter(capacity: 4)
      bytes.uint8(0x05)
      bytes.uint8(0x00)
      bytes.uint16(UInt16(clamping: chosen.count))
      return Outcome(response: Data(bytes.bytes), remaining: records)
    case .report:
      guard !chosen.isEmpty else { throw Refusal(code: .noRecordsFound) }
      return Outcome(
        records: chosen.map { records[$0] }, response: response(opcode.rawValue, .success), remaining: records)
    case .delete, .abort:
      guard !chosen.isEmpty else { throw Refusal(code: .noRecordsFound) }
      let gone = Set(chosen)
      return Outcome(
        response: response(opcode.rawValue, .success),
        remaining: records.indices.filter { !gone.contains($0) }.map { records[$0] })
    }
  }

  private static func operatorNumber(_ reader: inout ByteReader) -> UInt8? { try? reader.uint8("operator") }

  /// The indexes of the records that an operator and its operand mean (3.4.2).
  private static func choose(_ reader: inout ByteReader, _ records: [Data]) throws(Refusal) -> [Int] {
    guard let number = operatorNumber(&reader), number != 0x00 else { throw Refusal(code: .invalidOperator) }
    switch number {
    case 0x01, 0x05, 0x06:
      guard reader.isEmpty else { throw Refusal(code: .invalidOperand) }
      let all = Array(records.indices)
      return number == 0x01 ? all : Array(number == 0x05 ? all.prefix(1) : all.suffix(1))
    case 0x02, 0x03, 0x04:
      guard let filter = try? reader.uint8("filter") else { throw Refusal(code: .invalidOperand) }
      guard filter == 0x01 else { throw Refusal(code: .operandNotSupported) }
      guard let first = try? reader.uint16("sequence number") else { throw Refusal(code: .invalidOperand) }
      var range = number == 0x02 ? 0...first : first...UInt16.max
      if number == 0x04 {
        guard let last = try? reader.uint16("sequence number"), first <= last else {
          throw Refusal(code: .invalidOperand)
        }
        range = first...last
      }
      guard reader.isEmpty else { throw Refusal(code: .invalidOperand) }
      let meant = range
      return records.indices.filter { index in
        guard let number = sequenceNumber(records[index]) else { return false }
        return meant.contains(number)
      }
    default: throw Refusal(code: .operatorNotSupported)
    }
  }

  /// The sequence number of a record, after its flags (3.1.1.2).
  private static func sequenceNumber(_ record: Data) -> UInt16? {
    var reader = ByteReader([UInt8](record), from: 1)
    return try? reader.uint16("sequence number")
  }

  private static func response(_ opcode: UInt8, _ code: Code) -> Data { Data([0x06, 0x00, opcode, code.rawValue]) }
}
