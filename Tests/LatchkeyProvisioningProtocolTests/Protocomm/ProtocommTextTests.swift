import LatchkeyByteCoding
import LatchkeyProvisioningProtocol
import Testing

/// The texts that devices and their labels carry: the version's and the QR code's.
@Suite struct ProtocommTextTests {
  @Test(
    "Tests 2 and 3: versions of all ages",
    arguments: [
      (#"{"prov":{"ver":"netprov-v1.2","sec_ver":2,"sec_patch_ver":1,"cap":["wifi_prov","wifi_scan"]}}"#, 2, true),
      ("{\n\t\"prov\":\t{\n\t\t\"ver\":\t\"v1.1\",\n\t\t\"sec_ver\":\t2\n\t}\n}", 2, false),
      (#"{"prov":{"sec_ver":2,"sec_patch_ver":0}}"#, 2, false),
      (#"{"prov":{"sec_ver":1,"sec_patch_ver":7}}"#, 1, false),
      (#"{"prov":{"ver":"v1.1","cap":["wifi_scan"]}}"#, 1, false), (#"{"prov":{"cap":["no_sec"]}}"#, 0, false),
      (#"{"prov":{"sec_ver":2,"cap":["no_sec"]},"rmaker":{"ver":"1.0","cap":["claim"]}}"#, 2, false),
      // No JSON: very old firmware, and never Security 0.
      ("V0.1", 1, false), ("no_sec", 1, false), ("{\"prov\":{\"cap\":[\"no_sec\"]}", 1, false), ("\u{FFFD}", 1, false),
    ]) func versions(_ text: String, _ security: Int, _ counts: Bool) throws
  {
    let version = try ProtocommVersion(Array(text.utf8))
    #expect(version.security == security)
    #expect(version.counts == counts)
  }

  @Test(
    "Test 3: a patch version of 2, as a text or below zero, and a scheme that there is not, are refused",
    arguments: [
      #"{"prov":{"sec_ver":2,"sec_patch_ver":2}}"#, #"{"prov":{"sec_ver":2,"sec_patch_ver":"1"}}"#,
      #"{"prov":{"sec_ver":2,"sec_patch_ver":-1}}"#, #"{"prov":{"sec_ver":2,"sec_patch_ver":1.0}}"#,
      #"{"prov":{"sec_ver":2,"sec_patch_ver":null}}"#, #"{"prov":{"sec_ver":3}}"#, #"{"prov":{"sec_ver":-1}}"#,
      #"{"prov":{"sec_ver":"2"}}"#, #"{"prov":{"sec_ver":99999999999}}"#, #"{"prov":{"sec_ver":true}}"#, #"{}"#,
      #"{"prov":1}"#, #"{"rmaker":{}}"#, "",
    ]) func refusedVersions(_ text: String)
  {
    #expect(throws: ProvisioningFailure.self) { try ProtocommVersion(Array(text.utf8)) }
  }

  @Test("A device's version is read back as it was", arguments: [0, 1, 2]) func roundTrip(_ security: Int) throws {
    var version = ProtocommVersion(security: security, counts: security == 2, capabilities: ["wifi_prov", "no_pop"])
    #expect(try ProtocommVersion(version.encoded(application: ("a \"b\"", "1\n"))) == version)
    version.capabilities = []
    #expect(try ProtocommVersion(version.encoded()) == version)
  }

  @Test("A QR code's text is Espressif's, in their order, and is read back") func code() throws {
    var code = ProtocommQRCode(name: "PROV_D4E5F6", username: "wifiprov", code: SecretBytes(Array("abcd1234".utf8)))
    #expect(
      String(decoding: code.encoded, as: UTF8.self)
        == #"{"ver":"v1","name":"PROV_D4E5F6","username":"wifiprov","pop":"abcd1234","transport":"ble"}"#)
    code.security = 1
    code.username = nil
    let again = try ProtocommQRCode(code.encoded)
    #expect(again.name == "PROV_D4E5F6" && again.username == nil && again.security == 1)
    #expect(again.code?.array() == Array("abcd1234".utf8))
    #expect(
      try ProtocommQRCode(Array(#"{"ver":"v1","name":"a","transport":"ble","network":"wifi","pop":""}"#.utf8)).code
        == nil)
  }

  @Test("A code with every character is quoted so that it is read back") func quoting() throws {
    let text = "\"\\/\u{01}\u{7F}ü€😀"
    let code = ProtocommQRCode(name: text, code: SecretBytes(Array(text.utf8)))
    let again = try ProtocommQRCode(code.encoded)
    #expect(again.name == text)
    #expect(again.code?.array() == Array(text.utf8))
  }

  @Test(
    "Other texts are no code, and say whether they are another kind",
    arguments: [
      (#"{"ver":"v2","name":"a","transport":"ble"}"#, ProtocommQRCode.Failure.unsupported),
      (#"{"ver":"v1","name":"a","transport":"softap"}"#, .unsupported),
      (#"{"ver":"v1","name":"a","transport":"ble","security":3}"#, .unsupported),
      (#"{"ver":"v1","name":"a","transport":"ble","security":true}"#, .unsupported),
      (#"{"ver":"v1","name":"","transport":"ble"}"#, .malformed), (#"{"ver":"v1","transport":"ble"}"#, .malformed),
      (#"{"ver":1,"name":"a","transport":"ble"}"#, .malformed),
      (#"{"ver":"v1","name":"a","transport":"ble","pop":1234}"#, .malformed),
      (#"{"ver":"v1","name":"a","transport":"ble","username":null}"#, .malformed),
      (#"{"ver":"v1","name":"a","name":"b","transport":"ble"}"#, .malformed),
      (#"{"ver":"v1","name":"a","transport":"ble"}x"#, .malformed), (#"["v1"]"#, .malformed), ("", .malformed),
      ("MT:Y.K9042C00KA0648G00", .malformed), ("https://example.org", .malformed),
      (#"{"ver":"v1","transport":"ble","name":""# + String(repeating: "a", count: 65) + "\"}", .malformed),
      (String(repeating: "[", count: 2000), .malformed),
    ]) func refusedCodes(_ text: String, _ failure: ProtocommQRCode.Failure)
  {
    #expect(throws: failure) { try ProtocommQRCode(Array(text.utf8)) }
  }

  @Test("No description has a code or a passphrase in it") func secrets() {
    let code = SecretBytes(Array("abcd1234".utf8))
    for text in [
      "\(ProtocommQRCode(name: "a", code: code))", "\(homeSettings)", "\(ProtocommAppConfiguration(code: code))",
      "\(ConfigMessage.set(homeSettings))",
      "\(ProtocommDeviceConfiguration(code: code, verifier: ProtocommBench.verifier))",
    ] {
      #expect(!text.contains("abcd1234") && !text.contains("secret123") && !text.contains("97, 98"))
    }
  }
}
