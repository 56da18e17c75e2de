import Foundation
import Testing

@testable import LatchkeyProvisioning

@Suite struct PayloadTests {
  @Test("Credentials have one order of members, and read back equal") func credentialsAreWrittenInOneOrder() throws {
    let credentials = try LegacyWiFiCredentials(ssid: "客厅", password: "a\"b\\c\n\u{1}")
    #expect(credentials.json == "{\"ssid\":\"客厅\",\"password\":\"a\\\"b\\\\c\\n\\u0001\"}")
    #expect(try LegacyWiFiCredentials(json: credentials.json) == credentials)
  }

  @Test("Credentials with other members, white space and escapes are read") func credentialsOfOthersAreRead() throws {
    let credentials = try LegacyWiFiCredentials(
      json: " { \"password\" : \"\" , \"bssid\" : [1, {}], \"ssid\" : \"\\u5ba2\\u5385\" } ")
    #expect(credentials.ssid == "客厅")
    #expect(credentials.password.isEmpty)
  }

  @Test(
    "Text that is no credentials is refused",
    arguments: [
      "", "hello", "null", "[]", "{}", "{\"ssid\":\"x\"}", "{\"password\":\"x\"}", "{\"ssid\":1,\"password\":\"x\"}",
      "{\"ssid\":\"x\",\"password\":null}", "{\"ssid\":\"x\",\"password\":\"y\"",
      "{\"ssid\":\"x\",\"password\":\"y\"}}",
      "[{\"ssid\":\"x\",\"password\":\"y\"}]", String(repeating: "[", count: 2000),
      "{\"ssid\":\"x\",\"password\":\"y\"}" + String(repeating: " ", count: 2048),
    ])
  func otherTextIsNotCredentials(text: String) {
    #expect(throws: LegacyPayloadError.notCredentials) { try LegacyWiFiCredentials(json: text) }
  }

  @Test("Lengths are limited in bytes, and zero characters are refused") func lengthsAreOfBytes() throws {
    _ = try LegacyWiFiCredentials(ssid: String(repeating: "s", count: 32), password: String(repeating: "p", count: 128))
    #expect(throws: LegacyPayloadError.ssidLength(0)) { try LegacyWiFiCredentials(ssid: "", password: "") }
    #expect(throws: LegacyPayloadError.ssidLength(33)) {
      try LegacyWiFiCredentials(ssid: String(repeating: "客", count: 11), password: "")
    }
    #expect(throws: LegacyPayloadError.passwordLength(129)) {
      try LegacyWiFiCredentials(ssid: "x", password: String(repeating: "p", count: 129))
    }
    #expect(throws: LegacyPayloadError.embeddedNUL) { try LegacyWiFiCredentials(ssid: "x\0", password: "") }
    #expect(throws: LegacyPayloadError.embeddedNUL) {
      try LegacyWiFiCredentials(json: "{\"ssid\":\"x\",\"password\":\"a\\u0000b\"}")
    }
  }

  @Test("The longest credentials fit the longest text that is parsed") func longestCredentialsAreParsed() throws {
    let worst = try LegacyWiFiCredentials(
      ssid: String(repeating: "\u{1}", count: 32), password: String(repeating: "\u{1}", count: 128))
    #expect(try LegacyWiFiCredentials(json: worst.json) == worst)
  }

  @Test("Credentials print neither name nor password") func credentialsPrintNothing() throws {
    let credentials = try LegacyWiFiCredentials(ssid: "network", password: "password")
    var dumped = ""
    dump(credentials, to: &dumped)
    for text in ["\(credentials)", String(reflecting: credentials), dumped] {
      #expect(!text.contains("network") && !text.contains("password"))
    }
  }

  @Test(
    "An answer is read as its code, its status or its text",
    arguments: [
      ("{\"code\":0}", LegacyUnauthenticatedAnswer.code(.accepted)), ("{ \"code\" : 1 }", .code(.refused)),
      ("{\"code\":2}", .code(.couldNotJoin)), ("{\"status\":\"connected\"}", .status(.connected)),
      ("{\"status\":\"failed\"}", .status(.failed)), ("{\"code\":3}", .text("{\"code\":3}")),
      ("{\"code\":true}", .text("{\"code\":true}")), ("{\"code\":\"0\"}", .text("{\"code\":\"0\"}")),
      ("{\"status\":\"CONNECTED\"}", .text("{\"status\":\"CONNECTED\"}")), ("配网成功", .text("配网成功")), ("", .text("")),
      ("{}", .text("{}")), ("[0]", .text("[0]")),
    ])
  func answersAreRead(text: String, answer: LegacyUnauthenticatedAnswer) {
    #expect(LegacyUnauthenticatedAnswer(text) == answer)
  }

  @Test("Each code and each status reads back equal") func answersAreWrittenAsTheyAreRead() {
    for code in LegacyUnauthenticatedAnswer.Code.allCases {
      #expect(LegacyUnauthenticatedAnswer(LegacyUnauthenticatedAnswer.code(code).text) == .code(code))
    }
    for status in LegacyUnauthenticatedAnswer.Status.allCases {
      #expect(LegacyUnauthenticatedAnswer(LegacyUnauthenticatedAnswer.status(status).text) == .status(status))
    }
  }

  @Test("The outcome follows from the answers") func outcomeFollowsFromTheAnswers() {
    func outcome(_ answers: [LegacyUnauthenticatedAnswer]) -> LegacyUnauthenticatedResult.Outcome {
      LegacyUnauthenticatedResult(peripheral: UUID(), service: .encrypted, unauthenticatedAnswers: answers)
        .unauthenticatedOutcome
    }
    #expect(outcome([.code(.accepted)]) == .accepted)
    #expect(outcome([.code(.accepted), .status(.connected)]) == .connected)
    #expect(outcome([.code(.accepted), .status(.failed)]) == .couldNotJoin)
    #expect(outcome([.code(.refused)]) == .refused)
    #expect(outcome([.code(.couldNotJoin), .status(.failed)]) == .couldNotJoin)
    #expect(outcome([.status(.connected)]) == .connected)
    #expect(outcome([.text("ok")]) == .other)
  }
}
