import Crypto
import LatchkeyByteCoding

/// The records of an open session, as one side sends and receives them.
struct SecureChannel: Sendable {
  private var sending: SecureRecordCipher
  private var receiving: SecureRecordCipher
  private let kind: SecureMessage.Kind

  /// - Parameter kind: The type of the records that this side sends.
  init(sending: SymmetricKey, receiving: SymmetricKey, kind: SecureMessage.Kind) {
    self.sending = SecureRecordCipher(sending)
    self.receiving = SecureRecordCipher(receiving)
    self.kind = kind
  }

  /// For tests of the last records that there are.
  init(sending: SecureRecordCipher, receiving: SecureRecordCipher, kind: SecureMessage.Kind) {
    self.sending = sending
    self.receiving = receiving
    self.kind = kind
  }

  /// The record with a plaintext; nil if this direction has none left.
  mutating func record(_ plaintext: [UInt8]) -> SecureMessage? {
    let header = SecureMessage.header(kind, bodyLength: plaintext.count + SecureRecordCipher.tagLength)
    guard let sealed = sending.seal(plaintext, authenticating: header) else { return nil }
    return SecureMessage(kind, sealed)
  }

  /// The message finish, with a tag and the first plaintext, which may be empty.
  mutating func finish(tag: [UInt8], _ plaintext: [UInt8]) -> SecureMessage? {
    let length = tag.count + plaintext.count + SecureRecordCipher.tagLength
    let start = SecureMessage.header(.finish, bodyLength: length) + tag
    guard let sealed = sending.seal(plaintext, authenticating: start) else { return nil }
    return SecureMessage(.finish, tag + sealed)
  }

  /// The plaintext of a record, or of finish after its tag; nil if it is not the peer's next one.
  mutating func open(_ message: SecureMessage) -> [UInt8]? {
    let start = SecureMessage.headerLength + (message.kind == .finish ? SecureMessage.tagLength : 0)
    guard message.kind != kind, message.bytes.count >= start else { return nil }
    return receiving.open(Array(message.bytes[start...]), authenticating: Array(message.bytes[..<start]))
  }
}
