import Foundation
import LatchkeyCommandLine
import LatchkeyProvisioning

/// The code of `device`: given, or drawn for this run.
enum DeviceCode {
  /// Eight digits, as a label has them.
  static func draw() -> String {
    while true {
      var generator = SystemRandomNumberGenerator()
      let digits = (0..<8).map { _ in String(UInt8.random(in: 0...9, using: &generator)) }.joined()
      guard let code = try? ProvisioningCode(digits), code.suitsAllClients, !code.isWeak else { continue }
      return digits
    }
  }

  /// The code that `argument` stands for; a new one without it.
  static func read(_ argument: String?) throws(CommandFailure) -> (text: String, code: ProvisioningCode) {
    let text =
      try argument.map { value throws(CommandFailure) in
        try SecretArgument.read(value, option: "--code", prompt: "Code: ")
      } ?? draw()
    do throws(ProvisioningCodeError) {
      return (text, try ProvisioningCode(text))
    } catch {
      throw CommandFailure(.badData, "--code: \(error.explanation)")
    }
  }
}
