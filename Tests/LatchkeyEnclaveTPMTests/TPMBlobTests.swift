#if TPM
  import CLatchkeyTSS2
  import LatchkeyByteCoding
  import LatchkeyEnclaveKeys
  @testable import LatchkeyEnclaveTPM
  import Foundation
  import LatchkeyKeychainModel
  import Testing

  @Suite("The encoding of a TPM's blobs")
  struct TPMBlobTests {
    private let blob = TPMBlob(
      parentName: [0, 0x0B] + Array(repeating: 1, count: 32), publicArea: [0, 3, 1, 2, 3], privateArea: [0, 2, 4, 5],
      extra: [9])

    @Test("Bytes in, the same bytes out")
    func roundTrip() throws {
      #expect(
        blob.bytes == [1, 0, 34, 0, 11] + Array(repeating: 1, count: 32) + [0, 3, 1, 2, 3, 0, 2, 4, 5, 9])
      #expect(try TPMBlob(bytes: blob.bytes) == blob)
    }

    @Test("A truncated, overlong or other-version blob is refused")
    func malformed() throws {
      // The extra's end is its own to find.
      for count in 0..<blob.bytes.count - 1 {
        #expect(throws: ByteCodingError.self, "\(count)") { try TPMBlob(bytes: Array(blob.bytes.prefix(count))) }
      }
      for (offset, value) in [(0, 0), (0, 2), (1, 1), (2, 33), (37, 0xFF), (42, 0xFF)] as [(Int, UInt8)] {
        var bytes = blob.bytes
        bytes[offset] = value
        #expect(throws: ByteCodingError.self, "\(offset)") { try TPMBlob(bytes: bytes) }
      }
      #expect(throws: ByteCodingError.self) { try TPMBlob(bytes: blob.bytes + Array(repeating: 0, count: 2048)) }
    }

    @Test("A seal names registers and what was in them")
    func seal() throws {
      let registers = TPMRegisters(
        numbers: [0, 23], values: [Array(repeating: 1, count: 32), Array(repeating: 2, count: 32)])
      let seal = TPMSeal(wantsAuthorization: true, registers: registers)
      #expect(Array(seal.bytes.prefix(4)) == [1, 1, 0, 0x80] && seal.bytes.count == 68)
      #expect(try TPMSeal(bytes: seal.bytes) == seal)
      for bytes in [[], [2, 0, 0, 0], [0, 0, 0], Array(seal.bytes.dropLast()), seal.bytes + [0]] {
        #expect(throws: ByteCodingError.self) { try TPMSeal(bytes: bytes) }
      }
      #expect(try TPMSeal(bytes: [0, 0, 0, 0]).policy == [])
    }

    @Test("Bytes by chance, and blobs altered by chance: refused or the same again, never a trap")
    func chance() throws {
      var random = SplitMix(state: 4)
      let area = try TPMMarshalling.bytes(of: TPMTemplate.key(isConstrained: true))
      #expect(try TPMMarshalling.bytes(of: TPMMarshalling.publicArea(area)) == area)
      for _ in 0..<20_000 {
        var bytes = TPMBlob(parentName: blob.parentName, publicArea: area, privateArea: blob.privateArea).bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
        if let read = try? TPMBlob(bytes: bytes) {
          #expect(read.bytes == bytes)
          _ = (try? TPMMarshalling.publicArea(read.publicArea))?.point
          _ = try? TPMMarshalling.privateArea(read.privateArea)
        }
        let noise = (0..<Int.random(in: 0...80, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        _ = try? TPMBlob(bytes: noise)
        if let seal = try? TPMSeal(bytes: noise) { #expect(seal.bytes == noise) }
        _ = (try? TPMMarshalling.publicArea(noise))?.point
        _ = try? TPMAttestationChain(pem: String(decoding: noise, as: UTF8.self), path: "noise")
      }
    }

    @Test("Codes of the TPM are distinct from codes of its transport")
    func codes() {
      #expect(TPMResponse(0x98E, "c").kind == TPM2.Code.authFail)
      #expect(TPMResponse(0xA8E, "c").kind == TPM2.Code.authFail)
      #expect(TPMResponse(0x9A2, "c").kind == TPM2.Code.badAuth)
      #expect(TPMResponse(0x18B, "c").kind == TPM2.Code.handle)
      #expect(TPMResponse(0x1DF, "c").kind == TPM2.Code.integrity)
      #expect(TPMResponse(0x921, "c").kind == TPM2.Code.lockout)
      #expect(TPMResponse(0xB0902, "c").isAboutRoom)
      #expect(TPMResponse(0x918, "c").isAboutLostHandle && TPMResponse(0x910, "c").isAboutLostHandle)
      for code in [0x908, 0x90A, 0x920, 0x922] as [UInt32] { #expect(TPMResponse(code, "c").asksForRetry) }
      #expect(TPMResponse(0xA000A, "c").isConnectionLost && TPMResponse(0xA000A, "c").kind == nil)
      #expect(!TPMResponse(0x70001, "c").isFromTPM && !TPMResponse(0x70001, "c").isConnectionLost)
      #expect(StoreError(.response(TPMResponse(0x101, "TPM2_Sign"))).description.contains("0x101"))
    }
  }

  /// Numbers by chance that are the same each time.
  private struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }
#endif
