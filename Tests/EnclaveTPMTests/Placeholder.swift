#if TPM
  import EnclaveTPM
  import Testing
#endif
