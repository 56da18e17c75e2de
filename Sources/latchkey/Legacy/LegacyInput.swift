import Foundation
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyProvisioningProtocol

/// Reads the input of `legacy` commands. Each error in it is `badData`, and no message quotes a secret.
enum LegacyInput {
  /// More hexadecimal text than any command can use: a capture of a long session.
  private static let textLimit = 16 * 1024 * 1024

  /// `argument` itself, or what @FILE or - stands for, without white space at its ends.
  static func text(_ argument: String) throws(CommandFailure) -> String {
    let bytes: [UInt8]
    if argument == "-" {
      bytes = try StandardStreams.read(atMost: textLimit)
    } else if argument.hasPrefix("@") {
      bytes = try file(String(argument.dropFirst()))
    } else {
      return argument
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandFailure(.badData, "the input is not UTF-8")
    }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The bytes that `argument` spells: an even number of digits, white space anywhere.
  static func bytes(_ argument: String, _ name: String) throws(CommandFailure) -> [UInt8] {
    let digits = try text(argument).filter { !$0.isWhitespace }
    do {
      return try Hexadecimal.decode(digits)
    } catch {
      throw CommandFailure(.badData, "the \(name) is not hexadecimal: \(error)")
    }
  }

  /// A private key: 48 digits, or 64 of which the first 16 are zero.
  static func privateKey(_ argument: String) throws(CommandFailure) -> Secp192k1.PrivateKey {
    let text = try text(argument)
    do {
      return try LegacyHexadecimal.privateKey(text)
    } catch {
      throw CommandFailure(
        .badData, "the private key is not 48 hexadecimal digits (or 64, GMObjC's form) of a number in 1..<n")
    }
  }

  /// A public key: 96 digits, or 98 of which the first two are 04.
  static func publicKey(_ argument: String) throws(CommandFailure) -> Secp192k1.PublicKey {
    let text = try text(argument)
    do {
      return try LegacyHexadecimal.publicKey(text)
    } catch {
      throw CommandFailure(
        .badData, "the public key is not 96 hexadecimal digits (or 98 with 04, GMObjC's form) of a point of secp192k1")
    }
  }

  /// A message key: 48 digits, or 64 of which the last 16 are zero.
  static func messageKey(_ argument: String) throws(CommandFailure) -> LegacyMessageKey {
    let bytes = try bytes(argument, "key")
    do {
      return try LegacyMessageKey(bytes: bytes)
    } catch {
      throw CommandFailure(.badData, "the key is not 48 hexadecimal digits (or 64 that end in 16 zeros, GMObjC's form)")
    }
  }

  private static func file(_ path: String) throws(CommandFailure) -> [UInt8] {
    let bytes: Data
    do {
      bytes = try FileHandle(forReadingFrom: URL(fileURLWithPath: path)).read(upToCount: textLimit + 1) ?? Data()
    } catch {
      throw CommandFailure(.inputOutput, "\(path) cannot be read")
    }
    guard bytes.count <= textLimit else { throw CommandFailure(.badData, "\(path) has more than \(textLimit) bytes") }
    return Array(bytes)
  }
}
