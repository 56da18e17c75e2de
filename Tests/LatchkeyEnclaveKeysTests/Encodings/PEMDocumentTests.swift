import LatchkeyEnclaveKeys
import Testing

@Suite("PEM: blocks with one label") struct PEMDocumentTests {
  private func contents(_ lines: String...) -> (contents: [[UInt8]?], isWhole: Bool) {
    PEMDocument.contents(of: "CERTIFICATE", in: lines.joined(separator: "\n"))
  }

  @Test("Other text and blocks with other labels are skipped") func otherBlocksAreSkipped() {
    let found = contents(
      "subject=a: b", "-----BEGIN PRIVATE KEY-----", "?", "-----END PRIVATE KEY-----", "-----BEGIN CERTIFICATE-----",
      "AQID", "-----END CERTIFICATE-----", "after")
    #expect(found.contents == [[1, 2, 3]] && found.isWhole)
    #expect(PEMDocument.contents(of: "CERTIFICATE", in: "").contents.isEmpty)
  }

  @Test("A written block is read, whatever ends its lines", arguments: ["\n", "\r\n", "\r", " \t\n  "])
  func writtenBlockIsRead(ending: String) {
    let bytes = [UInt8](0...199)
    let text = PEMDocument(label: "CERTIFICATE", bytes: bytes).text.replacing("\n", with: ending)
    let found = PEMDocument.contents(of: "CERTIFICATE", in: text + text)
    #expect(found.contents == [bytes, bytes] && found.isWhole)
  }

  @Test("A block that is not base64 has no content") func otherThanBase64() {
    for body in ["A", "AQI", "AQID=", "A:QI", "AQ ID", "-----BEGIN PUBLIC KEY-----"] {
      let found = contents("-----BEGIN CERTIFICATE-----", body, "-----END CERTIFICATE-----")
      #expect(found.contents == [nil] && found.isWhole, "\(body)")
    }
  }

  @Test("An end without a beginning has no content") func endWithoutBeginning() {
    let found = contents("AQID", "-----END CERTIFICATE-----", "-----END CERTIFICATE-----")
    #expect(found.contents == [nil, nil] && found.isWhole)
  }

  @Test("A second beginning starts the block anew") func secondBeginning() {
    let found = contents(
      "-----BEGIN CERTIFICATE-----", "AQID", "-----BEGIN CERTIFICATE-----", "BAUG", "-----END CERTIFICATE-----")
    #expect(found.contents == [[4, 5, 6]] && found.isWhole)
  }

  @Test("A block that does not end is not whole, and gives nothing") func blockWithoutEnd() {
    for end in ["", "-----END PUBLIC KEY-----", "-----END CERTIFICATE----", "-----end CERTIFICATE-----"] {
      let found = contents("-----BEGIN CERTIFICATE-----", "AQID", end)
      #expect(found.contents.isEmpty && !found.isWhole, "\(end)")
    }
  }
}
