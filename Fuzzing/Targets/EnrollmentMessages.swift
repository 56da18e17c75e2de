// modules: LatchkeyByteCoding LatchkeyEnrollmentProtocol
// from LatchkeyEnrollmentServer: Routes/IdempotencyKey.swift
import Foundation
import LatchkeyByteCoding
import LatchkeyEnrollmentProtocol

/// Reads the input as a body of each kind, with the server's reader and with the client's: an accepted body has one encoding, which
/// the server accepts and which reads the same. Then reads it as the text of each field.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEnrollmentMessages(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  let limits = StrictJSON.Limits(size: 1 << 20, depth: 16, members: 64)
  if (try? StrictJSON.validate(input, within: limits)) != nil {
    // What is JSON to the server is JSON to its decoder: they must not disagree.
    guard (try? JSONDecoder().decode(Anything.self, from: Data(input))) != nil else {
      fatalError("JSON to one reader alone")
    }
    guard depth(of: input) <= 16 else { fatalError("deeper than the limit") }
  }
  check(PasswordLogin.self, input)
  check(KeyLogin.self, input)
  check(LoginAnswer.self, input)
  check(ChallengeRequest.self, input)
  check(Challenge.self, input)
  check(Approval.self, input)
  check(DeviceRegistration.self, input)
  check(ServerMadeIdentityRequest.self, input)
  check(EnrolledDevice.self, input)
  check(RenewalRequest.self, input)
  check(CertificateRevocation.self, input)
  check(CertificateList.self, input)
  check(ApprovalKeyRegistration.self, input)
  check(DeviceStatus.self, input)
  check(AccountList.self, input)
  check(Transfer.self, input)
  check(TransferReceipt.self, input)
  check(Problem.self, input)
  checkTexts(String(decoding: input, as: UTF8.self))
  return 0
}

private func check<Message: Codable & Hashable>(_ type: Message.Type, _ input: [UInt8]) {
  guard let message = try? JSONDecoder().decode(type, from: Data(input)) else { return }
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  guard let text = try? encoder.encode(message) else { fatalError("\(type): cannot be written again") }
  guard (try? JSONDecoder().decode(type, from: text)) == message else { fatalError("\(type): reads differently") }
  if let transfer = message as? Transfer, let same = try? JSONDecoder().decode(Transfer.self, from: text) {
    guard transfer.digest == same.digest, transfer.digest.count == 32 else { fatalError("the digest differs") }
  }
}

private func checkTexts(_ text: String) {
  if let amount = Amount(text) {
    guard amount.description == text, amount.minorUnits >= 0 else { fatalError("the amount reads differently") }
  }
  if let bytes = Base64URL.decode(text) {
    guard Base64URL.encode(bytes) == text else { fatalError("the text reads differently") }
  }
  if let name = try? UserName(entered: text) {
    guard (try? UserName(entered: name.text)) == name, (1...64).contains(name.text.unicodeScalars.count) else {
      fatalError("the name reads differently")
    }
  }
  guard UserName.candidates(entered: text).count <= 3 else { fatalError("too many names") }
  if let key = IdempotencyKey(field: text) {
    guard (16...128).contains(key.text.utf8.count), text == key.text || text == "\"\(key.text)\"" else {
      fatalError("the key reads differently")
    }
  }
}

/// Brackets of JSON that was found to be valid.
private func depth(of json: [UInt8]) -> Int {
  var (depth, deepest, isText, isEscaped) = (0, 0, false, false)
  for byte in json {
    if isEscaped {
      isEscaped = false
    } else if isText {
      isEscaped = byte == UInt8(ascii: "\\")
      isText = byte != UInt8(ascii: "\"")
    } else {
      switch byte {
      case UInt8(ascii: "\""): isText = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        deepest = max(deepest, depth)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
    }
  }
  return deepest
}

/// Any value; its content is not decoded.
private struct Anything: Decodable {
  init(from decoder: any Decoder) {}
}
