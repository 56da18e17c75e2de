import Testing

@testable import latchkey

@Suite struct DeviceReportTests {
  @Test(
    "What looks like JSON may hold a password", arguments: ["{\"pw\":\"x\"}", " \n{", "[{\"password\":\"x\"}]", "\t["])
  func whatLooksLikeJSONMayHoldAPassword(text: String) {
    #expect(DeviceReport.mayHoldPassword(text))
  }

  @Test("Other text is shown", arguments: ["", " ", "hello", "灯 {", "a["])
  func otherTextIsShown(text: String) {
    #expect(!DeviceReport.mayHoldPassword(text))
  }
}
