#if TPM
  import LatchkeyByteCoding

  /// The conditions of a sealed secret besides its TPM: the end of its blob.
  ///
  ///     authorization wanted (1) ‖ bitmap of registers (3) ‖ 32 bytes for each register
  struct TPMSeal: Hashable, Sendable {
    var wantsAuthorization: Bool
    var registers: TPMRegisters

    init(wantsAuthorization: Bool, registers: TPMRegisters) {
      self.wantsAuthorization = wantsAuthorization
      self.registers = registers
    }

    init(bytes: [UInt8]) throws(ByteCodingError) {
      var reader = ByteReader(bytes)
      let flag = try reader.uint8("authorization")
      guard flag <= 1 else { throw .invalidValue(field: "authorization") }
      wantsAuthorization = flag == 1
      let numbers = TPMRegisters.numbers(try reader.bytes(3, "registers"))
      var values: [[UInt8]] = []
      for _ in numbers { values.append(try reader.bytes(32, "register")) }
      try reader.finish("seal")
      registers = TPMRegisters(numbers: numbers, values: values)
    }

    /// The digest of the policy under which it opens; empty for none.
    var policy: [UInt8] {
      if registers.numbers.isEmpty { return [] }
      let policy = registers.extend([])
      return wantsAuthorization ? TPMTemplate.extended(policy, by: [0x00, 0x00, 0x01, 0x6B]) : policy
    }

    var bytes: [UInt8] {
      [wantsAuthorization ? 1 : 0] + TPMRegisters.bitmap(registers.numbers) + registers.values.flatMap { $0 }
    }
  }
#endif
