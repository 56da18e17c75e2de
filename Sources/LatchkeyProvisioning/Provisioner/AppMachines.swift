import Foundation
import LatchkeyProvisioningProtocol

/// Makes the machines of an app's protocols.
struct AppMachines: Sendable {
  let options: ProvisionerOptions
  let code: ProvisioningCode?
  let peripheral: UUID

  /// Whether the device is known to speak the secure protocol: by its record, or by its code. A record that cannot be read
  /// counts as one.
  var isKnownSecure: Bool {
    if code?.isForSecureAlone == true { return true }
    do {
      return try options.knownDevices.device(peripheral) != nil
    } catch {
      return true
    }
  }

  func make(_ kind: ProvisioningProtocol) throws(ProvisioningFailure) -> any ProvisioningAppMachine {
    switch kind {
    case .secure: return secure()
    case .espressif:
      var configuration = ProtocommAppConfiguration(code: code?.espressif)
      configuration.username = code?.username ?? options.espressifUsername
      configuration.allowsSecurity0 = options.allowsEspressifSecurity0
      configuration.allowsSecurity1 = options.allowsEspressifSecurity1
      return ProtocommAppMachine(configuration, random: SystemRandomness.bytes)
    case .improv: return ImprovAppMachine()
    case .legacy:
      var generator = SystemRandomNumberGenerator()
      guard let key = try? Secp192k1.PrivateKey(using: &generator) else {
        throw .unsupported("a source of random numbers")
      }
      return LegacyAppMachine(privateKey: key)
    }
  }

  private func secure() -> SecureAppMachine {
    let record = (try? options.knownDevices.device(peripheral)) ?? nil
    let resumption = record?.resumption.flatMap { try? SecureResumption([UInt8]($0)) }
    let knowledge = SecureAppMachine.Knowledge(
      code: code?.secure, resumption: resumption, deviceIdentifier: code?.deviceIdentifier)
    return SecureAppMachine(knowledge, randomness: SecureRandomness(bytes: SystemRandomness.bytes))
  }
}
