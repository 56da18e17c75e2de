/// Makes keys of the bytes that a terminal sends (ECMA-48; xterm's control sequences).
struct KeyDecoder: Sendable {
  enum Key: Equatable, Sendable {
    case character(Unicode.Scalar)
    case enter, tab, backspace, delete
    case left, right, up, down, home, end, wordLeft, wordRight
    /// ^U, ^K, ^W.
    case killToStart, killToEnd, killWord
    /// ^L, ^D, ^Z, ^\.
    case clearScreen, endOfInput, suspend, quit
  }

  /// The bytes of a key that is not whole.
  private var pending: [UInt8] = []

  /// The longest control sequence that is read as one.
  private static let longest = 32

  /// The key that ends with `byte`; nil if none does, or one that means nothing here.
  mutating func feed(_ byte: UInt8) -> Key? {
    guard let first = pending.first else { return begin(byte) }
    return first == 0x1B ? continueSequence(byte) : continueCharacter(byte)
  }

  private mutating func begin(_ byte: UInt8) -> Key? {
    switch byte {
    case 0x1B, 0xC2...0xF4:
      pending = [byte]
      return nil
    case 0x20...0x7E: return .character(Unicode.Scalar(byte))
    default: return Self.control(byte)
    }
  }

  private static func control(_ byte: UInt8) -> Key? {
    switch byte {
    case 0x01: .home
    case 0x02: .left
    case 0x04: .endOfInput
    case 0x05: .end
    case 0x06: .right
    case 0x08, 0x7F: .backspace
    case 0x09: .tab
    case 0x0A, 0x0D: .enter
    case 0x0B: .killToEnd
    case 0x0C: .clearScreen
    case 0x0E: .down
    case 0x10: .up
    case 0x15: .killToStart
    case 0x17: .killWord
    case 0x1A: .suspend
    case 0x1C: .quit
    default: nil
    }
  }

  // MARK: UTF-8

  private mutating func continueCharacter(_ byte: UInt8) -> Key? {
    guard byte & 0xC0 == 0x80 else {
      pending = []
      return begin(byte)
    }
    pending.append(byte)
    let length = pending[0] < 0xE0 ? 2 : pending[0] < 0xF0 ? 3 : 4
    guard pending.count == length else { return nil }
    defer { pending = [] }
    return String(validating: pending, as: UTF8.self)?.unicodeScalars.first.map { .character($0) }
  }

  // MARK: Control sequences

  private mutating func continueSequence(_ byte: UInt8) -> Key? {
    guard pending.count > 1 else { return second(byte) }
    // Parameters and intermediate bytes, then a final byte; of what is too long only the end is looked for.
    if 0x20...0x3F ~= byte {
      if pending.count < Self.longest { pending.append(byte) }
      return nil
    }
    let parameters = String(decoding: pending.dropFirst(2), as: UTF8.self)
    pending = []
    guard 0x40...0x7E ~= byte else { return byte == 0x1B ? begin(byte) : nil }
    return Self.key(final: byte, parameters)
  }

  private mutating func second(_ byte: UInt8) -> Key? {
    switch byte {
    case UInt8(ascii: "["), UInt8(ascii: "O"):
      pending.append(byte)
      return nil
    case 0x1B: return nil
    default:
      pending = []
      return switch byte {
      case UInt8(ascii: "b"): .wordLeft
      case UInt8(ascii: "f"): .wordRight
      case 0x7F: .killWord
      // Escape alone, and then a key of its own.
      case 0x00...0x1F: begin(byte)
      default: nil
      }
    }
  }

  private static func key(final byte: UInt8, _ parameters: String) -> Key? {
    let isWord = parameters.hasSuffix(";5") || parameters.hasSuffix(";3")
    switch byte {
    case UInt8(ascii: "A"): return .up
    case UInt8(ascii: "B"): return .down
    case UInt8(ascii: "C"): return isWord ? .wordRight : .right
    case UInt8(ascii: "D"): return isWord ? .wordLeft : .left
    case UInt8(ascii: "H"): return .home
    case UInt8(ascii: "F"): return .end
    case UInt8(ascii: "~"):
      return switch parameters {
      case "1", "7": .home
      case "4", "8": .end
      case "3": .delete
      default: nil
      }
    default: return nil
    }
  }
}
