import CoreBluetooth
import Foundation
import LatchkeyBluetoothHost
import LatchkeyByteCoding

/// Decodes PDUs of the Attribute protocol to text (Core 6.0 Vol 3 Part F 3.4), and learns from the declarations that pass
/// which characteristic a handle is.
struct AttributeTexts {
  private struct Place: Hashable {
    let server: String
    let handle: AttributeHandle
  }

  private var names: [Place: String] = [:]

  /// Bytes of a value that are printed.
  private static let shownBytes = 32
  /// Handles that are remembered.
  private static let capacity = 65_536

  mutating func text(of payload: ByteReader, from sender: String, to receiver: String) -> String {
    var reader = payload
    guard let number = try? reader.uint8("opcode") else { return "ATT empty" }
    guard let opcode = ATTOpcode(rawValue: number) else {
      return "ATT \(ExchangeDecoder.hexadecimal(number)) \(Self.bytes(reader.remainingBytes()))"
    }
    let name = ExchangeDecoder.words("\(opcode)")
    let server = ATTOpcode.isForClient(number) ? sender : receiver
    guard let rest = try? parameters(of: opcode, &reader, server) else { return "\(name), malformed" }
    return rest.isEmpty ? name : "\(name) \(rest)"
  }

  private mutating func parameters(
    of opcode: ATTOpcode, _ reader: inout ByteReader, _ server: String
  ) throws -> String {
    switch opcode {
    case .errorResponse:
      let request = try reader.uint8("request")
      let handle = try reader.uint16("handle")
      let code = try reader.uint8("code")
      let name = ATTOpcode(rawValue: request).map { ExchangeDecoder.words("\($0)") }
      return "\(attribute(handle, server)): \(Self.error(code)) to \(name ?? ExchangeDecoder.hexadecimal(request))"
    case .exchangeMTURequest, .exchangeMTUResponse: return "\(try reader.uint16("MTU"))"
    case .findInformationRequest: return try Self.range(&reader)
    case .findByTypeValueRequest, .readByTypeRequest, .readByGroupTypeRequest:
      let range = try Self.range(&reader)
      let width = opcode == .findByTypeValueRequest ? 2 : reader.remaining
      let type = try BluetoothUUID(from: &reader, width: width)
      return "\(range) \(Self.name(of: type))\(reader.isEmpty ? "" : " = \(Self.bytes(reader.remainingBytes()))")"
    case .readByTypeResponse: return try declarations(&reader, server)
    case .readByGroupTypeResponse, .findInformationResponse, .findByTypeValueResponse, .readMultipleRequest,
      .readMultipleResponse, .readMultipleVariableRequest, .readMultipleVariableResponse,
      .multipleHandleValueNotification, .readResponse, .readBlobResponse:
      return Self.bytes(reader.remainingBytes())
    case .readRequest: return attribute(try reader.uint16("handle"), server)
    case .readBlobRequest:
      let handle = try reader.uint16("handle")
      return "\(attribute(handle, server)) from \(try reader.uint16("offset"))"
    case .writeRequest, .writeCommand, .handleValueNotification, .handleValueIndication:
      let handle = try reader.uint16("handle")
      return "\(attribute(handle, server)) = \(Self.bytes(reader.remainingBytes()))"
    case .prepareWriteRequest, .prepareWriteResponse:
      let handle = try reader.uint16("handle")
      let offset = try reader.uint16("offset")
      return "\(attribute(handle, server)) from \(offset) = \(Self.bytes(reader.remainingBytes()))"
    case .executeWriteRequest: return try reader.uint8("flags") == 0 ? "cancel" : "write"
    case .writeResponse, .executeWriteResponse, .handleValueConfirmation: return ""
    }
  }

  /// The entries of a Read By Type Response, in which characteristic declarations have 7 or 21 bytes (Part G 3.3.1).
  private mutating func declarations(_ reader: inout ByteReader, _ server: String) throws -> String {
    let length = Int(try reader.uint8("length"))
    let all = reader.remainingBytes()
    guard length == 7 || length == 21 else { return Self.bytes(all) }
    var entries = ByteReader(all)
    var texts: [String] = []
    while !entries.isEmpty {
      var entry = try entries.subReader(length, "declaration")
      _ = try entry.uint16("handle")
      _ = try entry.uint8("properties")
      let value = try entry.uint16("value handle")
      let name = Self.name(of: try BluetoothUUID(from: &entry, width: length - 5))
      if names.count < Self.capacity { names[Place(server: server, handle: value)] = name }
      texts.append(attribute(value, server))
    }
    return texts.joined(separator: ", ")
  }

  private func attribute(_ handle: AttributeHandle, _ server: String) -> String {
    let number = Self.number(handle)
    return names[Place(server: server, handle: handle)].map { "\(number) (\($0))" } ?? number
  }

  // MARK: Texts

  private static func range(_ reader: inout ByteReader) throws -> String {
    let first = try reader.uint16("first handle")
    return "\(number(first))…\(number(try reader.uint16("last handle")))"
  }

  private static func number(_ handle: AttributeHandle) -> String {
    "0x" + Hexadecimal.encode([UInt8(handle >> 8), UInt8(truncatingIfNeeded: handle)]).uppercased()
  }

  /// The assigned name and the digits, as far as there is a name.
  private static func name(of uuid: BluetoothUUID) -> String {
    let digits = "\(uuid)"
    let name = CBUUID(string: digits).description
    return name == digits ? digits : "\(digits) \(name)"
  }

  private static func bytes(_ bytes: [UInt8]) -> String {
    guard bytes.count > shownBytes else { return bytes.isEmpty ? "no bytes" : Hexadecimal.encode(bytes) }
    return "\(Hexadecimal.encode(bytes.prefix(shownBytes)))… (\(bytes.count) bytes)"
  }

  private static func error(_ code: UInt8) -> String {
    guard let named = CBATTError.Code(rawValue: Int(code)) else { return ExchangeDecoder.hexadecimal(code) }
    let name = "\(named)"
    return name.hasPrefix("_") ? ExchangeDecoder.hexadecimal(code) : ExchangeDecoder.words(name)
  }
}
