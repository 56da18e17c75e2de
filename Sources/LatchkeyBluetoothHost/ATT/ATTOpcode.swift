/// The opcodes of the attribute protocol (Core 6.0 Vol 3 Part F 3.4.8, table 3.42).
///
/// Those of the features left out are not named: signed writes.
package enum ATTOpcode: UInt8, Sendable {
  case errorResponse = 0x01
  case exchangeMTURequest = 0x02
  case exchangeMTUResponse = 0x03
  case findInformationRequest = 0x04
  case findInformationResponse = 0x05
  case findByTypeValueRequest = 0x06
  case findByTypeValueResponse = 0x07
  case readByTypeRequest = 0x08
  case readByTypeResponse = 0x09
  case readRequest = 0x0A
  case readResponse = 0x0B
  case readBlobRequest = 0x0C
  case readBlobResponse = 0x0D
  case readMultipleRequest = 0x0E
  case readMultipleResponse = 0x0F
  case readByGroupTypeRequest = 0x10
  case readByGroupTypeResponse = 0x11
  case writeRequest = 0x12
  case writeResponse = 0x13
  case prepareWriteRequest = 0x16
  case prepareWriteResponse = 0x17
  case executeWriteRequest = 0x18
  case executeWriteResponse = 0x19
  case handleValueNotification = 0x1B
  case handleValueIndication = 0x1D
  case handleValueConfirmation = 0x1E
  case readMultipleVariableRequest = 0x20
  case readMultipleVariableResponse = 0x21
  case multipleHandleValueNotification = 0x23
  case writeCommand = 0x52

  /// The flag of commands: an unknown opcode that has it is ignored, not refused (3.3.1).
  package static let commandFlag: UInt8 = 0x40

  /// Whether a received opcode is for the client half of a bearer (responses, notifications and indications); all
  /// others, including unknown ones, are for the server half.
  @inline(__always)
  package static func isForClient(_ opcode: UInt8) -> Bool {
    switch opcode {
    case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x1D, 0x21, 0x23: true
    default: false
    }
  }

  /// Whether an opcode is a request's, known or not: commands have a flag, all others are odd or a confirmation's.
  @inline(__always)
  static func isRequest(_ opcode: UInt8) -> Bool { opcode & 1 == 0 && 0x02...0x1A ~= opcode }

  /// The opcode of the response to a request: the next one up. Only for requests.
  @inline(__always)
  var response: UInt8 { rawValue + 1 }
}
