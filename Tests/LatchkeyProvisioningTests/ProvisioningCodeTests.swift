import Foundation
import LatchkeyByteCoding
import LatchkeyProvisioningProtocol
import Testing

@testable import LatchkeyProvisioning

/// What a person types, scans or pastes as a device's code, and what devices take.
@Suite struct ProvisioningCodeTests {
  private static let identifier = String(repeating: "ab", count: 16)

  @Test("Digits are a code of both protocols; other texts one of Espressif's") func typedCodes() throws {
    let digits = try ProvisioningCode("8362-9174")
    #expect(digits.secure?.text == "83629174" && digits.espressif?.array() == Array("8362-9174".utf8))
    #expect(digits.deviceName == nil && !digits.isForSecureAlone)
    let word = try ProvisioningCode("abcd1234")
    #expect(word.secure == nil && word.espressif?.array() == Array("abcd1234".utf8))
  }

  @Test("The text of a Latchkey's QR code is for the secure protocol alone, whatever else the device speaks")
  func invitation() throws {
    let code = try ProvisioningCode(
      "latchkey:v2?id=\(Self.identifier)&name=Lamp&pin=83629174&protocols=secure,espressif")
    #expect(code.secure?.text == "83629174" && code.espressif == nil && code.deviceName == "Lamp")
    #expect(code.isForSecureAlone)
    #expect("\(code)" == "a device's code" && Mirror(reflecting: code).children.isEmpty)
  }

  @Test("The text of an Espressif device's QR code has its name, code and user") func espressifText() throws {
    let text = #"{"ver":"v1","name":"PROV_1","username":"me","pop":"abcd","transport":"ble"}"#
    let code = try ProvisioningCode(text)
    #expect(code.espressif?.array() == Array("abcd".utf8) && code.username == "me" && code.deviceName == "PROV_1")
    #expect(code.secure == nil && !code.isForSecureAlone)
  }

  @Test(
    "Texts that are no codes are refused",
    arguments: [
      ("", ProvisioningCodeError.empty), (String(repeating: "1", count: 65), .tooLong(65)),
      (String(repeating: "{", count: 2000), .tooLong(2000)), ("latchkey:v3?", .notUnderstood), ("{}", .notUnderstood),
      ("{\"ver\":\"v2\"}", .notUnderstood), ("latchkey:v2?id=1", .notUnderstood),
    ])
  func refused(_ text: String, _ error: ProvisioningCodeError) {
    #expect(throws: error) { try ProvisioningCode(text) }
  }

  private func error(
    _ code: String?, _ change: (inout ProvisionableDeviceOptions) -> Void
  ) throws -> ProvisionableDeviceError? {
    var options = ProvisionableDeviceOptions(code: try code.map { try ProvisioningCode($0) })
    change(&options)
    do throws(ProvisionableDeviceError) {
      _ = try options.core(name: "Lamp", now: .zero)
      return nil
    } catch {
      return error
    }
  }

  @Test("A device refuses weak codes, no code, no protocol, and a stored state that it cannot read") func options()
    throws
  {
    #expect(try error("83629174") { _ in } == nil)
    for code in ["12345678", "00000000", "abcd1234", nil] {
      guard case .options = try error(code, { _ in }) else {
        Issue.record("\(code ?? "no code") was taken")
        continue
      }
    }
    guard case .options = try error("83629174", { $0.protocols = [] }),
      case .options = try error(nil, { $0.protocols = [.espressif] })
    else {
      Issue.record("a device without a protocol, or a code, was made")
      return
    }
    var state = ProvisionableDeviceState()
    state.tickets = Data([1, 2, 3])
    guard case .stateUnreadable = try error("83629174", { $0.store = MemoryDeviceStore(state) }) else {
      Issue.record("tickets that are none were taken")
      return
    }
  }

  @Test("The secure protocol's code is never Security 1's: an attacker who poses as the device would get it")
  func security1() throws {
    let refused = try error("83629174") {
      $0.protocols = [.secure, .espressif]
      $0.allowsEspressifSecurity1 = true
    }
    guard case .options = refused else {
      Issue.record("both share a code")
      return
    }
  }

  @Test("The QR codes of a device name it, and stay the same over restarts") func invitations() throws {
    let store = MemoryDeviceStore()
    var texts: [[String]] = []
    for _ in 0..<2 {
      var options = ProvisionableDeviceOptions(code: try ProvisioningCode("83629174"))
      options.protocols = [.secure, .espressif, .improv]
      options.store = store
      let invitations = try options.invitations(name: "PROV_Lamp")
      #expect(invitations.map(\.protocol) == [.secure, .espressif])
      texts.append(invitations.map(\.text))
      // The device that runs has the identifier of its text.
      _ = try options.core(name: "PROV_Lamp", now: .zero)
    }
    #expect(texts[0] == texts[1])
    #expect(try ProvisioningCode(texts[0][0]).isForSecureAlone)
    #expect(texts[0][1].contains("83629174"))
  }

  @Test("The QR code for Espressif's apps has all that they would ask for, the user name of Security 2 too")
  func espressifInvitation() throws {
    var options = ProvisionableDeviceOptions(code: try ProvisioningCode("83629174"))
    options.protocols = [.espressif]
    #expect(
      try options.invitations(name: "PROV_Lamp").map(\.text)
        == [#"{"ver":"v1","name":"PROV_Lamp","username":"wifiprov","pop":"83629174","transport":"ble"}"#])
  }
}
