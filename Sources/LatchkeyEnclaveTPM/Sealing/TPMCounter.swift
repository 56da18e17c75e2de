#if TPM
  import CLatchkeyTSS2
  import LatchkeyByteCoding
  public import LatchkeyEnclaveKeys
  public import LatchkeyKeychainModel

  /// A counter in the TPM's NV memory (Part 1, 37.2.4).
  ///
  /// Reading and incrementing require the counter's authorization value, so that no other program can increment it, or answer
  /// in its place: the value never crosses the bus, and it authenticates responses. The TPM's owner can delete the counter
  /// (which locks the keychain out), but not turn it back: a new counter starts above all former ones. NV memory wears: a TPM
  /// endures some hundred thousand increments, and each takes milliseconds.
  public final class TPMCounter: HardwareCounter {
    /// The default range of handles: 1024 in the owner's range.
    static let usualPlaces: ClosedRange<UInt32> = 0x0180_4C00...0x0180_4FFF

    private let device: TPMDevice
    /// The counter's NV index.
    public let handle: UInt32
    private nonisolated(unsafe) var authorization: [UInt8]

    /// Opens the counter at `handle`, which ``create(on:at:authorization:)`` created with the same authorization value.
    public init(device: TPMDevice, handle: UInt32, authorization: [UInt8]) {
      self.device = device
      self.handle = handle
      self.authorization = authorization.map { $0 }
    }

    deinit { authorization.wipe() }

    /// Creates a counter and increments it once.
    ///
    /// - Parameters:
    ///   - handle: its NV index, in the owner's range (0x01800000 to 0x01BFFFFF); nil: a random free one.
    ///   - authorization: 32 random bytes, a secret.
    /// - Throws: `.invalidParameter` for an index outside of the range, or one in use; `.hardware`.
    public static func create(
      on device: TPMDevice, at handle: UInt32? = nil, authorization: [UInt8]
    ) throws(StoreError) -> TPMCounter {
      guard handle.map(TPM2.Handle.ownerNV.contains) ?? true, authorization.count == 32 else {
        throw .invalidParameter(
          "a counter lies from 0x01800000 to 0x01BFFFFF and has an authorization value of 32 bytes")
      }
      for _ in 0..<16 {
        let counter = TPMCounter(
          device: device, handle: handle ?? UInt32.random(in: usualPlaces), authorization: authorization)
        if try counter.define() {
          _ = try counter.increment()
          return counter
        }
        if let handle {
          throw .invalidParameter(
            "there is something at 0x\(String(handle, radix: 16)) in the TPM already: name another place")
        }
      }
      throw .hardware("the TPM has counters everywhere: delete those of keychains that are gone (tpm2_nvundefine)")
    }

    /// Returns the current value.
    ///
    /// - Throws: `.hardware`, also if the counter does not exist or is another keychain's.
    public func value() throws(StoreError) -> UInt64 {
      try perform { (connection, index) throws(TPMFailure) in
        try Self.read(connection, index)
      }
    }

    /// Increments the counter and returns the new value.
    ///
    /// - Throws: as ``value()``.
    public func increment() throws(StoreError) -> UInt64 {
      try perform { (connection, index) throws(TPMFailure) in
        let session = try connection.sessions.authorization(0, on: connection)
        try connection.call("TPM2_NV_Increment") {
          Esys_NV_Increment($0, index, index, session, ESYS_TR_NONE, ESYS_TR_NONE)
        }
        return try Self.read(connection, index)
      }
    }

    /// Deletes the counter.
    public func delete() throws(StoreError) {
      try perform { (connection, index) throws(TPMFailure) in
        try connection.call("TPM2_NV_UndefineSpace") {
          Esys_NV_UndefineSpace($0, ESYS_TR_RH_OWNER, index, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE)
        }
      }
    }

    private static func read(_ connection: TPMConnection, _ index: UInt32) throws(TPMFailure) -> UInt64 {
      let session = try connection.sessions.authorization(TPM2.Session.encrypt, on: connection)
      let bytes = try connection.readNV(index, session, 8, at: 0)
      guard bytes.count == 8 else { throw .nothing("TPM2_NV_Read") }
      return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Defines the index; false if it is in use.
    private func define() throws(StoreError) -> Bool {
      do throws(TPMFailure) {
        return try device.perform { (connection) throws(TPMFailure) in
          var area = TPM2B_NV_PUBLIC()
          area.nvPublic.nvIndex = handle
          area.nvPublic.nameAlg = TPM2.Algorithm.sha256
          area.nvPublic.attributes = TPM2.NV.counter | TPM2.NV.authWrite | TPM2.NV.authRead | TPM2.NV.noDA
          area.nvPublic.dataSize = 8
          var value = TPM2B_AUTH()
          defer { wipeBits(of: &value) }
          _ = TPMBuffer.fill(&value, with: authorization)
          let session = try connection.sessions.authorization(TPM2.Session.decrypt, on: connection)
          var index: UInt32 = ESYS_TR_NONE
          do throws(TPMFailure) {
            try connection.call("TPM2_NV_DefineSpace") {
              Esys_NV_DefineSpace($0, ESYS_TR_RH_OWNER, session, ESYS_TR_NONE, ESYS_TR_NONE, &value, &area, &index)
            }
          } catch {
            guard error.kind == TPM2.Code.nvDefined else { throw error }
            return false
          }
          Esys_TR_Close(connection.context, &index)
          return true
        }
      } catch {
        throw StoreError(error)
      }
    }

    private func perform<Value>(
      _ body: (TPMConnection, UInt32) throws(TPMFailure) -> Value
    ) throws(StoreError) -> Value {
      let place = "the keychain's counter at 0x\(String(handle, radix: 16)) in the TPM"
      do throws(TPMFailure) {
        return try device.perform { (connection) throws(TPMFailure) in
          try connection.withNVIndex(handle) { (index) throws(TPMFailure) in
            guard let index else {
              throw .store(
                .hardware("\(place) is not there: the TPM was cleared, it is another one, or somebody deleted it"))
            }
            return try connection.withAuthorization(authorization, of: index) { () throws(TPMFailure) in
              try body(connection, index)
            }
          }
        }
      } catch {
        guard [TPM2.Code.authFail, TPM2.Code.badAuth].contains(error.kind) else { throw StoreError(error) }
        throw .hardware("\(place) refuses the authorization value: it was made by another keychain")
      }
    }
  }
#endif
