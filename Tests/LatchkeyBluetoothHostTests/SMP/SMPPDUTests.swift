import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Core 6.0 Vol 3 Part H 3.5 and 3.6.
@Suite("The PDUs of the Security Manager") struct SMPPDUTests {
  private static let block = (0..<16).map { UInt8($0 + 0x10) }

  /// Each PDU with its bytes, and the attempt to decode parameters as its type.
  private struct Sample: Sendable {
    let code: SMPCode
    let bytes: [UInt8]
    let reencode: @Sendable (ByteReader) throws -> [UInt8]

    init<PDU: SMPPDU & Equatable>(_ pdu: PDU, _ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
      code = PDU.code
      self.bytes = bytes
      reencode = { Array(try PDU(whole: $0).frame().dropFirst(OutgoingFrame.headroom)) }
      #expect(Array(pdu.frame().dropFirst(OutgoingFrame.headroom)) == bytes, sourceLocation: sourceLocation)
      let decoded = try? PDU(whole: ByteReader(bytes, from: 1))
      #expect(decoded == pdu, sourceLocation: sourceLocation)
    }
  }

  private func samples() throws -> [Sample] {
    let block = Self.block
    let key = try #require(SecurityKey(block))
    let features = SMPPairingFeatures(
      ioCapability: .keyboardDisplay, hasOutOfBandData: true, authentication: [.bonding, .mitm, .secureConnections],
      maximumKeySize: 7, initiatorKeys: [.encryptionKey, .identityKey], responderKeys: .signingKey)
    return [
      Sample(SMPPairingRequest(features: features), [0x01, 0x04, 0x01, 0x0D, 0x07, 0x03, 0x04]),
      Sample(SMPPairingResponse(features: features), [0x02, 0x04, 0x01, 0x0D, 0x07, 0x03, 0x04]),
      Sample(SMPPairingConfirm(value: block), [0x03] + block),
      Sample(SMPPairingRandom(value: block), [0x04] + block),
      Sample(SMPPairingFailed(reason: .dhKeyCheckFailed), [0x05, 0x0B]),
      Sample(SMPEncryptionInformation(longTermKey: key), [0x06] + block),
      Sample(
        SMPCentralIdentification(encryptedDiversifier: 0x1234, randomNumber: 0x0102_0304_0506_0708),
        [0x07, 0x34, 0x12, 0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01]),
      Sample(SMPIdentityInformation(resolvingKey: key), [0x08] + block),
      Sample(
        SMPIdentityAddressInformation(address: .staticRandom(0x0102_0304_0506)),
        [0x09, 0x01, 0x06, 0x05, 0x04, 0x03, 0x02, 0xC1]),
      Sample(SMPSigningInformation(signatureKey: key), [0x0A] + block),
      Sample(SMPSecurityRequest(authentication: [.bonding, .keypress, .ct2]), [0x0B, 0x31]),
      Sample(
        SMPPairingPublicKey(x: block + block, y: block + block.reversed()),
        [0x0C] + block + block + block + block.reversed()),
      Sample(SMPPairingDHKeyCheck(value: block), [0x0D] + block),
      Sample(SMPPairingKeypressNotification(action: .completed), [0x0E, 0x04]),
    ]
  }

  @Test("Have the codes, the fields and the lengths of the specification, all fourteen") func samplesMatch() throws {
    let samples = try samples()
    #expect(samples.map(\.code) == SMPCode.allCases)
    for sample in samples {
      #expect(sample.bytes.first == sample.code.rawValue)
      #expect(sample.bytes.count == 1 + sample.code.parameterCount)
      #expect(try sample.reencode(ByteReader(sample.bytes, from: 1)) == sample.bytes)
    }
  }

  @Test("Are refused when they are shorter or longer, by any number of bytes") func lengths() throws {
    for sample in try samples() {
      for count in 0...80 where count != sample.code.parameterCount {
        let bytes = Array((sample.bytes.dropFirst() + [UInt8](repeating: 1, count: 80)).prefix(count))
        #expect(throws: ByteCodingError.self) { try sample.reencode(ByteReader(bytes)) }
      }
    }
  }

  @Test("Are refused with values out of their range") func ranges() {
    for value in 0...255 as ClosedRange<UInt8> {
      let features: [UInt8] = [0x00, 0x00, 0x00, 0x10, 0x00, 0x00]
      func decodes(_ index: Int) -> Bool {
        var bytes = features
        bytes[index] = value
        return (try? SMPPairingResponse(whole: ByteReader(bytes))) != nil
      }
      #expect(decodes(0) == (value <= 4))
      #expect(decodes(1) == (value <= 1))
      #expect(decodes(2))
      #expect(decodes(3) == (7...16).contains(value))
      #expect(decodes(4) && decodes(5))
      #expect(((try? SMPPairingKeypressNotification(whole: ByteReader([value]))) != nil) == (value <= 4))
      let address = [value, 1, 2, 3, 4, 5, 0xC6]
      #expect(((try? SMPIdentityAddressInformation(whole: ByteReader(address))) != nil) == (value <= 1))
    }
  }

  @Test("Accept a random identity address only if it is a static one", arguments: [0x00, 0x40, 0x80, 0xBF] as [UInt8])
  func identityAddress(_ top: UInt8) {
    #expect(throws: ByteCodingError.invalidValue(field: "BD_ADDR")) {
      try SMPIdentityAddressInformation(whole: ByteReader([1, 1, 2, 3, 4, 5, top]))
    }
    #expect(throws: Never.self) { try SMPIdentityAddressInformation(whole: ByteReader([0, 1, 2, 3, 4, 5, top])) }
  }

  @Test("Preserve reserved bits, which confirm values are computed of") func reservedBits() throws {
    let bytes: [UInt8] = [0x03, 0x00, 0xFF, 0x10, 0xF7, 0xF0]
    let features = try SMPPairingRequest(whole: ByteReader(bytes)).features
    #expect(Array(SMPPairingRequest(features: features).frame().dropFirst(OutgoingFrame.headroom + 1)) == bytes)
    #expect(!features.authentication.isBonding)
    #expect(SMPAuthenticationRequirements(rawValue: 0xFD).isBonding)
  }
}
