import LatchkeyProvisioningProtocol

/// Makes the machines of a device's protocols.
struct DeviceMachines {
  let options: ProvisionableDeviceOptions
  let name: String
  let state: ProvisionableDeviceState
  let now: Duration

  func make() throws(ProvisionableDeviceError) -> [(kind: ProvisioningProtocol, machine: any ProvisioningDeviceMachine)]
  {
    guard !options.protocols.isEmpty else { throw .options("a device speaks one protocol at least") }
    guard !(options.protocols.contains(.secure) && options.allowsEspressifSecurity1) else {
      throw .options("Espressif's Security 1 would give the secure protocol's code away: offer one of the two")
    }
    var machines: [(kind: ProvisioningProtocol, machine: any ProvisioningDeviceMachine)] = []
    for kind in options.protocols.sorted(by: >) {
      switch kind {
      case .secure: machines.append((kind, try secure()))
      case .espressif: machines.append((kind, try espressif()))
      case .improv: machines.append((kind, improv()))
      case .legacy: machines.append((kind, LegacyServiceMachine()))
      }
    }
    return machines
  }

  private var information: DeviceInformation {
    options.information ?? DeviceInformation(firmware: "latchkey", version: "1", hardware: "Linux", name: name)
  }

  private func secure() throws(ProvisionableDeviceError) -> SecureDeviceMachine {
    guard let code = options.code?.secure else {
      throw .options("the secure protocol needs a code of 8 to 16 digits, or a secret of 16 to 64 bytes in Base64")
    }
    var capabilities: ProvisioningCapabilities = [.scan, .information, .forget]
    if options.identify != nil { capabilities.insert(.identify) }
    if options.setHostname != nil { capabilities.insert(.hostname) }
    if !options.endpoints.isEmpty { capabilities.insert(.custom) }
    var configuration = SecureDeviceConfiguration(
      code: code, capabilities: capabilities, information: information, hostname: options.hostname ?? "")
    configuration.takesEnrollment = options.enroll != nil
    let stored = state.tickets.isEmpty ? nil : [UInt8](state.tickets)
    do throws(SecureDeviceError) {
      return try SecureDeviceMachine(
        configuration, storedState: stored, randomness: SecureRandomness(bytes: SystemRandomness.bytes))
    } catch {
      switch error {
      case .weakCode: throw .options("the code is one that guessers try first")
      case .storedState: throw .stateUnreadable("the tickets of known apps cannot be read")
      case .configuration: throw .options("the secure protocol cannot be set up so")
      }
    }
  }

  private func espressif() throws(ProvisionableDeviceError) -> ProtocommDeviceMachine {
    guard let code = options.code?.espressif else {
      throw .options("Espressif's protocol needs a code of 1 to 64 bytes")
    }
    var configuration: ProtocommDeviceConfiguration
    do throws(SRPVerifier.Failure) {
      configuration = try ProtocommDeviceConfiguration(code: code, random: SystemRandomness.bytes)
    } catch {
      throw .options("no verifier can be made of the code")
    }
    configuration.security1 = options.allowsEspressifSecurity1 ? .always : .never
    configuration.customEndpoints = options.endpoints.keys.sorted()
    return ProtocommDeviceMachine(configuration, random: SystemRandomness.bytes)
  }

  private func improv() -> ImprovDeviceMachine {
    var capabilities: ImprovCapabilities = [.information, .scan]
    if options.identify != nil { capabilities.insert(.identify) }
    if options.setHostname != nil { capabilities.insert(.hostname) }
    let configuration = ImprovDeviceMachine.Configuration(
      information: information, hostname: options.hostname ?? "", capabilities: capabilities,
      hasName: options.setName != nil)
    let needsPress = options.needsPress || options.protocols.contains(.secure)
    return ImprovDeviceMachine(configuration, context: DeviceContext(now: now, isAuthorized: !needsPress))
  }
}
