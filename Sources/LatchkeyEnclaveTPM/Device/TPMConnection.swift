#if TPM
  import CLatchkeyTSS2
  import LatchkeyByteCoding
  import LatchkeyKeychainModel

  /// One connection to a TPM: ESAPI's context and what is loaded through it. Confined to its device's line.
  final class TPMConnection {
    /// ESAPI's context.
    let context: OpaquePointer
    private var transport: OpaquePointer?
    /// The objects that are loaded.
    private(set) var slots = TPMSlots()
    /// The sessions that are kept.
    private(set) var sessions = TPMSessions()
    /// How many commands were sent by ``call(_:_:)``.
    private(set) var commandCount = 0

    /// Connects, and starts the TPM if nothing has.
    init(tcti: String) throws(TPMFailure) {
      var transport: OpaquePointer?
      let opened = Tss2_TctiLdr_Initialize(tcti, &transport)
      guard opened == 0, let transport else {
        throw .store(
          .hardware(
            "there is no TPM at \(tcti) (0x\(String(opened, radix: 16))): see that it is there and that this user may use "
              + "it (group tss for /dev/tpmrm0), or name another one"))
      }
      var context: OpaquePointer?
      let made = Esys_Initialize(&context, transport, nil)
      guard made == 0, let context else {
        var lost: OpaquePointer? = transport
        Tss2_TctiLdr_Finalize(&lost)
        throw .response(TPMResponse(made, "Esys_Initialize"))
      }
      self.context = context
      self.transport = transport
      do throws(TPMFailure) {
        try startup()
      } catch {
        close(flushing: false)
        throw error
      }
    }

    /// Sends a command.
    func call(_ name: String, _ body: (OpaquePointer) -> UInt32) throws(TPMFailure) {
      commandCount += 1
      let code = body(context)
      guard code == 0 else { throw .response(TPMResponse(code, name)) }
    }

    /// Does what sends no command.
    func local(_ name: String, _ body: (OpaquePointer) -> UInt32) throws(TPMFailure) {
      let code = body(context)
      guard code == 0 else { throw .response(TPMResponse(code, name)) }
    }

    /// Starts the TPM, if the system or another has not done so.
    func startup() throws(TPMFailure) {
      do throws(TPMFailure) {
        try call("TPM2_Startup") { Esys_Startup($0, TPM2.startupClear) }
      } catch {
        guard error.kind == TPM2.Code.initialize else { throw error }
      }
    }

    /// Flushes everything and ends the connection; without `flushing` it just ends it.
    func close(flushing: Bool = true) {
      guard transport != nil else { return }
      if flushing {
        slots.flushAll(self)
        sessions.flushAll(self)
      } else {
        forget()
      }
      var context: OpaquePointer? = context
      Esys_Finalize(&context)
      Tss2_TctiLdr_Finalize(&transport)
      transport = nil
    }

    /// Takes an object or a session out of the TPM, if it is still there.
    func flush(_ handle: UInt32) {
      commandCount += 1
      var handle = handle
      if Esys_FlushContext(context, handle) != 0 { Esys_TR_Close(context, &handle) }
    }

    /// Forgets what was loaded, since the TPM has lost it.
    func forget() {
      for handle in slots.forget() + sessions.forget() {
        var handle = handle
        Esys_TR_Close(context, &handle)
      }
    }

    /// Ends the sessions; the next command starts new ones.
    func dropSessions() { sessions.flushAll(self) }

    /// Gives an object's handle its authorization value for as long as `body` runs.
    func withAuthorization<Value>(
      _ secret: [UInt8], of handle: UInt32, _ body: () throws(TPMFailure) -> Value
    ) throws(TPMFailure) -> Value {
      var value = TPM2B_AUTH()
      defer { wipeBits(of: &value) }
      guard TPMBuffer.fill(&value, with: secret) else {
        throw .store(.damaged("an authorization value of \(secret.count) bytes is longer than a TPM takes"))
      }
      try local("Esys_TR_SetAuth") { Esys_TR_SetAuth($0, handle, &value) }
      defer { Esys_TR_SetAuth(context, handle, nil) }
      return try body()
    }

    /// The name of an object (Part 1, 16): the algorithm of a digest, and the digest of the public area.
    func name(of handle: UInt32) throws(TPMFailure) -> [UInt8] {
      var name: UnsafeMutablePointer<TPM2B_NAME>?
      try local("Esys_TR_GetName") { Esys_TR_GetName($0, handle, &name) }
      guard let answer = TPMAnswer(name) else { throw .nothing("Esys_TR_GetName") }
      return TPMBuffer.bytes(of: answer.value)
    }

    /// `count` bytes of the TPM's random source.
    func random(_ count: Int) throws(TPMFailure) -> [UInt8] {
      var bytes: [UInt8] = []
      while bytes.count < count {
        var chunk: UnsafeMutablePointer<TPM2B_DIGEST>?
        try call("TPM2_GetRandom") {
          Esys_GetRandom($0, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, UInt16(min(count - bytes.count, 32)), &chunk)
        }
        guard let answer = TPMAnswer(chunk), answer.value.size > 0 else { throw .nothing("TPM2_GetRandom") }
        bytes += TPMBuffer.bytes(of: answer.value)
      }
      return bytes
    }

    /// One of the TPM's properties; nil if it does not tell.
    func property(_ property: UInt32) throws(TPMFailure) -> UInt32? {
      var data: UnsafeMutablePointer<TPMS_CAPABILITY_DATA>?
      try call("TPM2_GetCapability") {
        Esys_GetCapability(
          $0, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, TPM2.Capability.properties, property, 1, nil, &data)
      }
      guard let answer = TPMAnswer(data) else { return nil }
      let list = answer.value.data.tpmProperties
      guard list.count > 0, list.tpmProperty.0.property == property else { return nil }
      return list.tpmProperty.0.value
    }

    /// How wrong authorizations are counted now; nil if the TPM does not tell.
    func attempts() -> TPMAttempts? {
      do throws(TPMFailure) {
        guard let failed = try property(TPM2.Capability.lockoutCounter),
          let maximum = try property(TPM2.Capability.maxAuthFail),
          let interval = try property(TPM2.Capability.lockoutInterval)
        else { return nil }
        return TPMAttempts(failed: failed, maximum: maximum, secondsToForget: interval)
      } catch {
        return nil
      }
    }

    /// Flushes all that is loaded, by this connection and by any before it that ended without doing so. A TPM without a
    /// resource manager serves one connection at a time, and one with it shows each only its own: so it is nobody else's.
    func flushStrangers() {
      slots.flushAll(self)
      sessions.flushAll(self)
      for first in [TPM2.Handle.transientFirst, TPM2.Handle.loadedSessionFirst] {
        var data: UnsafeMutablePointer<TPMS_CAPABILITY_DATA>?
        commandCount += 1
        let code = Esys_GetCapability(
          context, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, TPM2.Capability.handles, first, 64, nil, &data)
        guard code == 0, let answer = TPMAnswer(data) else { continue }
        let list = answer.value.data.handles
        withUnsafeBytes(of: list.handle) { raw in
          for handle in raw.bindMemory(to: UInt32.self).prefix(Int(min(list.count, 64))) {
            var object: UInt32 = ESYS_TR_NONE
            guard Esys_TR_FromTPMPublic(context, handle, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &object) == 0 else {
              continue
            }
            flush(object)
          }
        }
      }
    }
  }

  extension TPMFailure {
    /// A command that succeeded without an answer.
    static func nothing(_ command: String) -> TPMFailure {
      .store(.hardware("\(command) was answered with nothing: the TPM, or tpm2-tss, is broken"))
    }
  }
#endif
