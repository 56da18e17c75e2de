#if TPM
  import CLatchkeyTSS2

  extension TPMSlots {
    /// Returns the storage primary's handle, valid until another object is acquired.
    func storagePrimary(on connection: TPMConnection) throws(TPMFailure) -> UInt32 {
      try acquire(.storagePrimary, on: connection) { () throws(TPMFailure) in
        try makeRoom(on: connection)
        return try Self.createPrimary(TPMTemplate.storagePrimary, under: ESYS_TR_RH_OWNER, on: connection)
      }
    }

    /// Runs `body` with the storage primary.
    func withStoragePrimary<Value>(
      on connection: TPMConnection, _ body: (UInt32) throws(TPMFailure) -> Value
    ) throws(TPMFailure) -> Value {
      try with(.storagePrimary, on: connection) { () throws(TPMFailure) in
        try makeRoom(on: connection)
        return try Self.createPrimary(TPMTemplate.storagePrimary, under: ESYS_TR_RH_OWNER, on: connection)
      } _: { (handle) throws(TPMFailure) in
        try body(handle)
      }
    }

    /// Runs `body` with the attestation key.
    func withAttestationKey<Value>(
      on connection: TPMConnection, _ body: (UInt32) throws(TPMFailure) -> Value
    ) throws(TPMFailure) -> Value {
      try with(.attestationKey, on: connection) { () throws(TPMFailure) in
        try makeRoom(on: connection)
        return try Self.createPrimary(TPMTemplate.attestationKey, under: ESYS_TR_RH_ENDORSEMENT, on: connection)
      } _: { (handle) throws(TPMFailure) in
        try body(handle)
      }
    }

    /// Runs `body` with the endorsement key.
    func withEndorsementKey<Value>(
      on connection: TPMConnection, _ body: (UInt32) throws(TPMFailure) -> Value
    ) throws(TPMFailure) -> Value {
      try with(.endorsementKey, on: connection) { () throws(TPMFailure) in
        try makeRoom(on: connection)
        return try Self.createPrimary(TPMTemplate.endorsementKey, under: ESYS_TR_RH_ENDORSEMENT, on: connection)
      } _: { (handle) throws(TPMFailure) in
        try body(handle)
      }
    }

    /// Creates a primary key, the same each time. The hierarchy's authorization value and the key's are empty.
    private static func createPrimary(
      _ template: TPM2B_PUBLIC, under hierarchy: UInt32, on connection: TPMConnection
    ) throws(TPMFailure) -> UInt32 {
      var template = template
      var sensitive = TPM2B_SENSITIVE_CREATE()
      var outside = TPM2B_DATA()
      var registers = TPML_PCR_SELECTION()
      var handle: UInt32 = ESYS_TR_NONE
      var publicArea: UnsafeMutablePointer<TPM2B_PUBLIC>?
      try connection.call("TPM2_CreatePrimary") {
        Esys_CreatePrimary(
          $0, hierarchy, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, &sensitive, &template, &outside, &registers,
          &handle,
          &publicArea, nil, nil, nil)
      }
      _ = TPMAnswer(publicArea)
      return handle
    }
  }
#endif
