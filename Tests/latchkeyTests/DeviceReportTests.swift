import Testing

@testable import latchkey

@Suite struct DeviceReportTests {
  @Test(arguments: ["{\"pw\":\"x\"}", " \n{", "[{\"password\":\"x\"}]", "\t["])
  func whatLooksLikeJSONMayHoldAPassword(text: String) {
    #expect(DeviceReport.mayHoldPassword(text))
  }

  @Test(arguments: ["", " ", "hello", "灯 {", "a["])
  func otherTextIsShown(text: String) {
    #expect(!DeviceReport.mayHoldPassword(text))
  }
}
