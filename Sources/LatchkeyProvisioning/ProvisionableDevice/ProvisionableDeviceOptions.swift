import Foundation
public import LatchkeyProvisioningProtocol

/// What a device offers, and what guards it.
public struct ProvisionableDeviceOptions: Sendable {
  /// The protocols that it speaks.
  public var protocols: Set<ProvisioningProtocol> = [.secure]
  /// The code that the secure protocol and Espressif's ask for.
  public var code: ProvisioningCode?
  /// Whether Espressif's protocol is spoken in its older form too, Security 1, which lets an attacker who records it, or
  /// poses as the device, try codes offline. Never beside the secure protocol: they would share the code.
  public var allowsEspressifSecurity1 = false
  /// Whether Improv and the legacy protocol wait for `press()` although no stronger protocol is offered.
  public var needsPress = false
  /// How long an act at the device holds.
  public var pressWindow = Duration.seconds(120)
  /// How long a device that has never joined a network lets unknown apps in after its start; then, and once it has joined,
  /// `press()` opens it. Nil: always.
  public var pairingWindow: Duration? = .seconds(900)
  /// How long an attempt to join a network may take.
  public var joinLimit = Duration.seconds(90)
  /// What the device says of itself.
  public var information: DeviceInformation?
  /// Shows which device this is, if it can.
  public var identify: (@Sendable () async -> Void)?
  /// The host name, if apps may read it.
  public var hostname: String?
  /// Sets the host name, if apps may.
  public var setHostname: (@Sendable (String) async throws -> Void)?
  /// Sets the name that people see, if apps may.
  public var setName: (@Sendable (String) async throws -> Void)?
  /// The endpoints of the device's maker, by name.
  public var endpoints: [String: ProvisionableDevice.Endpoint] = [:]
  /// Enrolls the device, if apps of the secure protocol may tell it where. The app waits for two minutes at most. An `EnrollmentFailure`
  /// is sent; any other error refuses the enrollment, and nothing of it is sent.
  public var enroll: (@Sendable (ProvisioningEnrollment) async throws -> ProvisioningEnrollmentResult)?
  /// Where the state is kept over restarts.
  public var store: any ProvisionableDeviceStore = TransientDeviceStore()

  /// A device that speaks the secure protocol with `code`.
  public init(code: ProvisioningCode?) { self.code = code }

  func worker(_ joiner: any NetworkJoiner) -> DeviceWorker {
    DeviceWorker(
      joiner: joiner, identify: identify, setHostname: setHostname, setName: setName, enroll: enroll,
      endpoints: endpoints)
  }

  /// The texts of the device's QR codes, by protocol, the strongest first. They have the code: show them to the device's owner
  /// alone. A device of the secure protocol gets its identifier here, if it has none yet.
  ///
  /// - Throws: `ProvisionableDeviceError` as `ProvisionableDevice.run()` does of options and state.
  public func invitations(
    name: String
  ) throws(ProvisionableDeviceError) -> [(protocol: ProvisioningProtocol, text: String)] {
    var texts: [(protocol: ProvisioningProtocol, text: String)] = []
    if protocols.contains(.secure), let code = code?.secure {
      let spoken = Set(protocols.compactMap { SecureInvitation.SpokenProtocol(rawValue: $0.rawValue) })
      let identifier = try deviceIdentifier()
      do throws(SecureInvitationError) {
        let invitation = try SecureInvitation(
          deviceIdentifier: identifier, name: name, code: code, protocols: spoken)
        texts.append((.secure, invitation.text))
      } catch {
        throw .options("the QR code cannot be made: \(error)")
      }
    }
    if protocols.contains(.espressif), let code = code?.espressif {
      // The user name too, as Espressif's devices do: an app that is not told it asks its user, who cannot know it.
      let text = ProtocommQRCode(
        name: name, username: ProtocommDefaults.username, code: code, security: protocols.contains(.secure) ? 2 : nil
      ).encoded
      texts.append((.espressif, String(decoding: text, as: UTF8.self)))
    }
    return texts
  }

  /// The identifier of the secure protocol, drawn and stored at its first use.
  private func deviceIdentifier() throws(ProvisionableDeviceError) -> [UInt8] {
    do {
      var state = try store.load() ?? ProvisionableDeviceState()
      if !state.tickets.isEmpty { return try SecureTickets([UInt8](state.tickets)).deviceIdentifier }
      let tickets = SecureTickets(deviceIdentifier: SystemRandomness.bytes(16))
      state.tickets = Data(tickets.bytes)
      try store.store(state)
      return tickets.deviceIdentifier
    } catch {
      throw .stateUnreadable("\(error)")
    }
  }

  /// The device without its radio.
  func core(name: String, now: Duration) throws(ProvisionableDeviceError) -> ProvisionableDeviceCore {
    let state: ProvisionableDeviceState
    do {
      state = try store.load() ?? ProvisionableDeviceState()
    } catch {
      throw .stateUnreadable("\(error)")
    }
    let rules = ProvisionableDeviceCore.Rules(
      pressWindow: pressWindow, pairingWindow: pairingWindow, needsPress: needsPress, joinLimit: joinLimit,
      isNameShort: name.utf8.count <= DeviceAdvertisement.longestNameBesideService)
    let machines = try DeviceMachines(options: self, name: name, state: state, now: now).make()
    return ProvisionableDeviceCore(machines: machines, state: state, rules: rules, now: now)
  }
}
