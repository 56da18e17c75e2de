import LatchkeyKeychainModel
import LatchkeyKeychainStore
import Testing

/// What an authority sends to a TPM, as tpm2_makecredential writes it.
@Suite("Enclave: credentials for a TPM") struct EnclaveHardwareTests {
  private let good: [UInt8] = [0xBA, 0xDC, 0xC0, 0xDE, 0, 0, 0, 1, 0, 2, 10, 11, 0, 3, 20, 21, 22]

  @Test("Both parts are accepted unchanged") func parts() throws {
    let credential = try EnclaveCredential(file: good)
    #expect(credential == EnclaveCredential(identity: [10, 11], secret: [20, 21, 22]))
  }

  @Test("anything else is refused") func refused() {
    for count in 0..<good.count {
      #expect(throws: StoreError.self) { try EnclaveCredential(file: Array(good.prefix(count))) }
    }
    #expect(throws: StoreError.self) { try EnclaveCredential(file: good + [0]) }
    for place in [0, 3, 7, 8, 9, 12, 13] {
      var bad = good
      bad[place] ^= 0x80
      #expect(throws: StoreError.self) { try EnclaveCredential(file: bad) }
    }
    let head = Array(good.prefix(8))
    #expect(throws: StoreError.self) { try EnclaveCredential(file: head + [0, 0, 0, 1, 9]) }
    #expect(throws: StoreError.self) {
      try EnclaveCredential(file: head + [0x10, 0] + [UInt8](repeating: 1, count: 0x1000) + [0, 1, 9])
    }
  }
}
