// modules: LatchkeyByteCoding LatchkeyProvisioningProtocol
import LatchkeyByteCoding
import LatchkeyProvisioningProtocol

/// Reads the input as each message and text of Espressif's protocol: what is accepted encodes to what reads as the same again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzProtocommMessages(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  if let message = try? SessionMessage(bytes) { check(message, message.encoded) { try SessionMessage($0) } }
  if let message = try? ConfigMessage(bytes) { check(message, message.encoded) { try ConfigMessage($0) } }
  if let message = try? ScanMessage(bytes) { check(message, message.encoded) { try ScanMessage($0) } }
  if let message = try? ControlMessage(bytes) { check(message, message.encoded) { try ControlMessage($0) } }
  // A device tells a few capabilities of those that it may read.
  if let version = try? ProtocommVersion(bytes) {
    guard let again = try? ProtocommVersion(version.encoded()), again.security == version.security,
      again.capabilities.isSubset(of: version.capabilities), again.counts == version.counts
    else { fatalError("the version differs") }
  }
  if let code = try? ProtocommQRCode(bytes) {
    guard let again = try? ProtocommQRCode(code.encoded), again.name == code.name, again.username == code.username,
      again.code?.array() == code.code?.array(), again.security == code.security
    else { fatalError("the code differs") }
  }
  return 0
}

private func check<Message: Equatable>(_ message: Message, _ encoded: [UInt8], _ decode: ([UInt8]) throws -> Message) {
  guard (try? decode(encoded)) == message else { fatalError("a message differs") }
}
