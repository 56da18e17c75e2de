import Foundation
import LatchkeyProvisioningProtocol
import Testing

@testable import LatchkeyProvisioning
@testable import LatchkeyProvisioningProtocol

/// What options and codes make of the machines of either end.
@Suite struct MachineChoiceTests {
  private struct Unreadable: KnownDeviceStore {
    func device(_ peripheral: UUID) throws -> KnownDevice? { throw FileDeviceStoreError.inUse }
    func store(_ device: KnownDevice?, _ peripheral: UUID) throws {}
  }

  private func machines(
    code: String?, _ change: (inout ProvisionerOptions) -> Void = { _ in }
  ) throws -> AppMachines {
    var options = ProvisionerOptions()
    change(&options)
    return AppMachines(options: options, code: try code.map { try ProvisioningCode($0) }, peripheral: UUID())
  }

  private static let invitation =
    "latchkey:v2?id=000102030405060708090a0b0c0d0e0f&name=Lamp&pin=83629174&protocols=secure"

  @Test("A device is known as secure by its record, by one that cannot be read, and by its QR code") func known() throws
  {
    #expect(try !machines(code: nil).isKnownSecure)
    #expect(try !machines(code: "83629174").isKnownSecure)
    #expect(try machines(code: Self.invitation).isKnownSecure)
    #expect(try machines(code: nil) { $0.knownDevices = Unreadable() }.isKnownSecure)
  }

  @Test("An app speaks Espressif's weaker schemes only if it is told to, and under the user name of the QR code")
  func espressif() throws {
    func configuration(
      _ code: String?, _ change: (inout ProvisionerOptions) -> Void = { _ in }
    ) throws -> ProtocommAppConfiguration {
      let machine = try machines(code: code, change).make(.espressif)
      return try #require(machine as? ProtocommAppMachine).configuration
    }
    let plain = try configuration("abcd1234")
    #expect(!plain.allowsSecurity0 && !plain.allowsSecurity1)
    #expect(plain.username == "wifiprov")
    #expect(try configuration("abcd1234") { $0.allowsEspressifSecurity0 = true }.allowsSecurity0)
    #expect(try configuration("abcd1234") { $0.allowsEspressifSecurity1 = true }.allowsSecurity1)
    #expect(try configuration(nil) { $0.espressifUsername = "somebody" }.username == "somebody")
    let code = #"{"ver":"v1","name":"PROV_1","username":"lamp","pop":"abcd1234","transport":"ble"}"#
    #expect(try configuration(code) { $0.espressifUsername = "somebody" }.username == "lamp")
  }

  @Test("With a QR code's text no other device is spoken to") func identifier() throws {
    var machine = try machines(code: Self.invitation).make(.secure)
    let context = AppContext(now: .zero)
    machine.begin(SecureService.definition, context: context)
    _ = machine.dequeueActions()
    let information = SecureInformation(
      flags: .pin, capabilities: 0, suites: [.classical], window: 0, maximumMessage: 2048,
      deviceIdentifier: [UInt8](repeating: 7, count: 16))
    machine.handle(.subscribed(SecureService.receive), context: context)
    machine.handle(.read(SecureService.information, information.bytes), context: context)
    guard case .report(.failed(.refused))? = machine.dequeueActions().last else {
      Issue.record("it spoke to another device")
      return
    }
  }

  private func core(_ change: (inout ProvisionableDeviceOptions) -> Void) throws -> ProvisionableDeviceCore {
    var options = ProvisionableDeviceOptions(code: try ProvisioningCode("83629174"))
    change(&options)
    return try options.core(name: "Lamp", now: .zero)
  }

  @Test("A device speaks Security 1 only if it is told to") func security1() throws {
    for isAllowed in [false, true] {
      let core = try core {
        $0.protocols = [.espressif]
        $0.allowsEspressifSecurity1 = isAllowed
      }
      let machine = try #require(core.machines.first?.machine as? ProtocommDeviceMachine)
      #expect(machine.configuration.security1 == (isAllowed ? .always : .never))
      #expect(machine.configuration.security0 == .never)
    }
  }

  @Test("Improv says that it waits for somebody where it is guarded: by the options, or beside the secure protocol")
  func improv() throws {
    func state(_ change: @escaping (inout ProvisionableDeviceOptions) -> Void) throws -> UInt8? {
      let core = try core(change)
      return core.machines.first { $0.kind == .improv }?.machine.serviceData?.bytes.first
    }
    #expect(try state { $0.protocols = [.improv] } == ImprovState.authorized.rawValue)
    #expect(try state { $0.protocols = [.improv, .secure] } == ImprovState.authorizationRequired.rawValue)
    let guarded = try state {
      $0.protocols = [.improv]
      $0.needsPress = true
    }
    #expect(guarded == ImprovState.authorizationRequired.rawValue)
  }

  private struct Refusal: Error {}

  @Test("What a device's own code refuses, or cannot do, is no success") func worker() async throws {
    var options = ProvisionableDeviceOptions(code: nil)
    let bare = options.worker(ScriptedJoiner())
    options.setHostname = { name in if name != "lamp" { throw Refusal() } }
    options.setName = { _ in throw Refusal() }
    options.endpoints = ["good": { $0 }, "bad": { _ in throw Refusal() }]
    let worker = options.worker(ScriptedJoiner())
    func word(_ worker: DeviceWorker, _ work: DeviceWork) async -> String {
      switch await worker.perform(work) {
      case .done: "done"
      case .networks(let networks): "\(networks.count) networks"
      case .response(let bytes): "\(bytes)"
      case .failed(let failure): "\(failure)"
      }
    }
    #expect(await word(worker, .setHostname("lamp")) == "done")
    #expect(await word(worker, .setHostname("other")) == "invalid")
    #expect(await word(worker, .setName("Lamp")) == "invalid")
    #expect(await word(bare, .setHostname("lamp")) == "unavailable")
    #expect(await word(bare, .setName("Lamp")) == "unavailable")
    #expect(await word(bare, .identify) == "unavailable")
    #expect(await word(worker, .custom(endpoint: "good", body: [1])) == "[1]")
    #expect(await word(worker, .custom(endpoint: "bad", body: [1])) == "invalid")
    #expect(await word(worker, .custom(endpoint: "none", body: [1])) == "invalid")
    #expect(await word(bare, .custom(endpoint: "enroll", body: [1])) == "invalid")
    #expect(await word(worker, .scan) == "2 networks")
    #expect(await word(worker, .forget) == "done")
  }
}
