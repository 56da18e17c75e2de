#if TPM
  import CLatchkeyTSS2
  import Crypto
  import LatchkeyByteCoding
  import LatchkeyKeychainModel

  /// Platform configuration registers (PCRs) and their values: the measurements of firmware, loader and kernel (Part 1, 17).
  /// SHA-256 bank.
  struct TPMRegisters: Hashable, Sendable {
    /// The numbers, ascending, 0 to 23.
    let numbers: [Int]
    /// The value of each: 32 bytes.
    let values: [[UInt8]]

    /// The numbers as three bytes: bit n of byte m is register 8 m + n.
    static func bitmap(_ numbers: [Int]) -> [UInt8] {
      var bitmap: [UInt8] = [0, 0, 0]
      for number in numbers { bitmap[number / 8] |= 1 << UInt8(number % 8) }
      return bitmap
    }

    /// The registers of a bitmap.
    static func numbers(_ bitmap: [UInt8]) -> [Int] {
      (0..<24).filter { bitmap[$0 / 8] & 1 << UInt8($0 % 8) != 0 }
    }

    /// The selection structure for commands.
    static func selection(_ numbers: [Int]) -> TPML_PCR_SELECTION {
      var selection = TPML_PCR_SELECTION()
      guard !numbers.isEmpty else { return selection }
      let bitmap = bitmap(numbers)
      selection.count = 1
      selection.pcrSelections.0.hash = TPM2.Algorithm.sha256
      selection.pcrSelections.0.sizeofSelect = 3
      selection.pcrSelections.0.pcrSelect.0 = bitmap[0]
      selection.pcrSelections.0.pcrSelect.1 = bitmap[1]
      selection.pcrSelections.0.pcrSelect.2 = bitmap[2]
      return selection
    }

    /// The policy's digest after TPM2_PolicyPCR with these values (Part 3, 23.7).
    func extend(_ policy: [UInt8]) -> [UInt8] {
      guard !numbers.isEmpty else { return policy }
      let selection: [UInt8] = [0, 0, 0, 1, 0x00, 0x0B, 3] + Self.bitmap(numbers)
      let digest = Array(SHA256.hash(data: values.flatMap { $0 }))
      return TPMTemplate.extended(policy, by: [0x00, 0x00, 0x01, 0x7F] + selection + digest)
    }

    /// The registers whose value differs from `other`'s.
    func differences(from other: TPMRegisters) -> [Int] {
      let now = Dictionary(zip(other.numbers, other.values)) { first, _ in first }
      return zip(numbers, values).filter { now[$0.0] != $0.1 }.map(\.0)
    }
  }

  extension TPMConnection {
    /// Reads the current values of these registers.
    func registers(_ numbers: [Int]) throws(TPMFailure) -> TPMRegisters {
      var values: [[UInt8]] = []
      // A TPM returns as many as it likes, at most eight. Reading one at a time is simplest, and the selection is short.
      for number in numbers {
        var selection = TPMRegisters.selection([number])
        var digests: UnsafeMutablePointer<TPML_DIGEST>?
        try call("TPM2_PCR_Read") {
          Esys_PCR_Read($0, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &selection, nil, nil, &digests)
        }
        guard let answer = TPMAnswer(digests), answer.value.count == 1 else {
          throw .store(
            .invalidParameter("the TPM has no register \(number) for SHA-256: choose others, or switch that bank on"))
        }
        values.append(TPMBuffer.bytes(of: answer.value.digests.0))
      }
      return TPMRegisters(numbers: numbers, values: values)
    }
  }
#endif
