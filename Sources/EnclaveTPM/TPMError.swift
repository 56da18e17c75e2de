#if TPM
  import CTSS2
  package import KeychainModel

  extension StoreError {
    /// The error of a response code; `call` is the name of the TPM's command.
    package static func tpm(_ code: UInt32, _ call: String) -> StoreError {
      .hardware("\(call) failed: \(String(cString: Tss2_RC_Decode(code))) (0x\(String(code, radix: 16)))")
    }
  }
#endif
