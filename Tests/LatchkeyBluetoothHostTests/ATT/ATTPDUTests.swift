import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Every PDU in both directions, and cut short at every place.
@Suite struct ATTPDUTests {
  private func check<PDU: ATTPDU>(
    _ pdu: PDU, _ hex: String, shortest: Int, step: Int = 1, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let bytes = try Hexadecimal.decode(hex)
    #expect(ATTText.frame(pdu.frame()).dropFirst(2) == Hexadecimal.encode(bytes), sourceLocation: location)
    #expect(pdu.frame().capacity >= OutgoingFrame.headroom + bytes.count, sourceLocation: location)
    #expect(pdu.encodedCount == bytes.count - 1, sourceLocation: location)
    let decoded = try PDU(whole: ByteReader(bytes, from: 1))
    #expect(decoded.frame() == pdu.frame(), sourceLocation: location)
    for count in 1..<bytes.count {
      let isWhole = (try? PDU(whole: ByteReader(Array(bytes.prefix(count)), from: 1))) != nil
      let isExpected = count - 1 >= shortest && (count - 1 - shortest) % step == 0
      #expect(isWhole == isExpected, "cut to \(count)", sourceLocation: location)
    }
  }

  @Test("PDUs of fixed length have the specification's bytes") func ofFixedLength() throws {
    try check(ATTErrorResponse(request: 0x0A, handle: 0x0203, code: .invalidHandle), "01 0a 0302 01", shortest: 4)
    try check(ATTExchangeMTURequest(mtu: 517), "02 0502", shortest: 2)
    try check(ATTExchangeMTUResponse(mtu: 23), "03 1700", shortest: 2)
    try check(ATTFindInformationRequest(range: AttributeHandleRange(1, 0x0203)), "04 0100 0302", shortest: 4)
    try check(ATTReadRequest(handle: 0x0203), "0a 0302", shortest: 2)
    try check(ATTReadBlobRequest(handle: 0x0203, offset: 0x0405), "0c 0302 0504", shortest: 4)
    try check(ATTExecuteWriteRequest(writes: true), "18 01", shortest: 1)
    try check(ATTExecuteWriteRequest(writes: false), "18 00", shortest: 1)
    try check(ATTWriteResponse(), "13", shortest: 0)
    try check(ATTExecuteWriteResponse(), "19", shortest: 0)
    try check(ATTHandleValueConfirmation(), "1e", shortest: 0)
  }

  @Test("PDUs with a value have the specification's bytes") func withAValue() throws {
    let range = AttributeHandleRange(1, 0xFFFF)
    try check(
      ATTFindByTypeValueRequest(range: range, type: 0x2800, value: [0x0F, 0x18]), "06 0100 ffff 0028 0f18", shortest: 6)
    try check(ATTReadResponse(value: [1, 2]), "0b 0102", shortest: 0)
    try check(ATTReadBlobResponse(value: [1, 2]), "0d 0102", shortest: 0)
    try check(ATTReadMultipleResponse(values: [1, 2]), "0f 0102", shortest: 0)
    try check(ATTReadMultipleVariableResponse(tuples: [1, 0, 2]), "21 010002", shortest: 0)
    try check(ATTWriteRequest(handle: 3, value: [1, 2]), "12 0300 0102", shortest: 2)
    try check(ATTWriteCommand(handle: 3, value: [1, 2]), "52 0300 0102", shortest: 2)
    let prepare = ATTPrepareWriteRequest(handle: 3, offset: 4, value: [1, 2])
    try check(prepare, "16 0300 0400 0102", shortest: 4)
    try check(ATTPrepareWriteResponse(echoing: prepare), "17 0300 0400 0102", shortest: 4)
    try check(ATTHandleValueNotification(handle: 3, value: [1, 2]), "1b 0300 0102", shortest: 2)
    try check(ATTHandleValueIndication(handle: 3, value: [1, 2]), "1d 0300 0102", shortest: 2)
  }

  @Test("PDUs of several entries have the specification's bytes") func ofSeveralEntries() throws {
    let range = AttributeHandleRange(1, 5)
    let wide = GATTPairTests.wide
    let wideHex = "ffeeddccbbaa99887766554433221100"
    try check(
      ATTFindInformationResponse(entries: [(1, 0x2800), (2, 0x2803)]), "05 01 0100 0028 0200 0328", shortest: 5, step: 4
    )
    try check(ATTFindInformationResponse(entries: [(1, wide)]), "05 02 0100 \(wideHex)", shortest: 19)
    try check(
      ATTFindByTypeValueResponse(groups: [range, AttributeHandleRange(6, 9)]), "07 0100 0500 0600 0900", shortest: 4,
      step: 4)
    try check(
      ATTReadByTypeResponse(valueCount: 1, entries: [1, 0, 0xAA, 2, 0, 0xBB]), "09 03 0100 aa 0200 bb", shortest: 4,
      step: 3)
    try check(ATTReadMultipleRequest(handles: [1, 2, 3]), "0e 0100 0200 0300", shortest: 4, step: 2)
    try check(ATTReadMultipleVariableRequest(handles: [1, 2, 3]), "20 0100 0200 0300", shortest: 4, step: 2)
    try check(
      ATTReadByGroupTypeResponse(groups: [(range, 0x1800), (AttributeHandleRange(6, 9), 0x1801)]),
      "11 06 0100 0500 0018 0600 0900 0118", shortest: 7, step: 6)
    try check(ATTReadByGroupTypeResponse(groups: [(range, wide)]), "11 14 0100 0500 \(wideHex)", shortest: 21)
    try check(
      ATTMultipleHandleValueNotification(values: [(1, [0xAA]), (2, [])]), "23 0100 0100 aa 0200 0000", shortest: 5,
      step: 4)
  }

  @Test("PDUs with a type of either width have the specification's bytes") func withATypeOfEitherWidth() throws {
    let range = AttributeHandleRange(1, 5)
    let wide = "ffeeddccbbaa99887766554433221100"
    try check(ATTReadByTypeRequest(range: range, type: 0x2803), "08 0100 0500 0328", shortest: 6)
    try check(
      ATTReadByTypeRequest(range: range, type: GATTPairTests.wide), "08 0100 0500 \(wide)", shortest: 6, step: 14)
    try check(ATTReadByGroupTypeRequest(range: range, type: 0x2800), "10 0100 0500 0028", shortest: 6)
    try check(
      ATTReadByGroupTypeRequest(range: range, type: GATTPairTests.wide), "10 0100 0500 \(wide)", shortest: 6, step: 14)
  }

  @Test("Each opcode is assigned to one half") func opcodesAreSorted() {
    let forClient: [UInt8] = [1, 3, 5, 7, 9, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x1D, 0x21, 0x23]
    for opcode in UInt8(0)...255 { #expect(ATTOpcode.isForClient(opcode) == forClient.contains(opcode)) }
  }
}
