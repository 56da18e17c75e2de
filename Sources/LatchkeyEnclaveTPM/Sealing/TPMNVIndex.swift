#if TPM
  import CLatchkeyTSS2

  extension TPMConnection {
    /// Runs `body` with the handle of an NV index, nil if it does not exist.
    func withNVIndex<Value>(
      _ index: UInt32, _ body: (UInt32?) throws(TPMFailure) -> Value
    ) throws(TPMFailure) -> Value {
      var handle: UInt32 = ESYS_TR_NONE
      do throws(TPMFailure) {
        try call("TPM2_NV_ReadPublic") {
          Esys_TR_FromTPMPublic($0, index, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &handle)
        }
      } catch {
        guard error.kind == TPM2.Code.handle else { throw error }
        return try body(nil)
      }
      defer { Esys_TR_Close(context, &handle) }
      return try body(handle)
    }

    /// Reads `count` bytes of an NV index from `offset`; the index itself authorizes the command.
    func readNV(
      _ handle: UInt32, _ session: UInt32, _ count: Int, at offset: Int
    ) throws(TPMFailure) -> [UInt8] {
      var data: UnsafeMutablePointer<TPM2B_MAX_NV_BUFFER>?
      try call("TPM2_NV_Read") {
        Esys_NV_Read(
          $0, handle, handle, session, ESYS_TR_NONE, ESYS_TR_NONE, UInt16(truncatingIfNeeded: count),
          UInt16(truncatingIfNeeded: offset), &data)
      }
      guard let answer = TPMAnswer(data) else { throw .nothing("TPM2_NV_Read") }
      return TPMBuffer.bytes(of: answer.value)
    }
  }
#endif
