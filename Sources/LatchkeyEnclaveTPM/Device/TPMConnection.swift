#if TPM
  import CLatchkeyTSS2
  import LatchkeyByteCoding
  import LatchkeyKeychainModel

  /// A connection to a TPM: ESAPI's context and the objects loaded through it. Confined to its device's queue.
  final class TPMConnection {
    /// ESAPI's context.
    let context: OpaquePointer
    private var transport: OpaquePointer?
    /// The loaded objects.
    private(set) var slots = TPMSlots()
    /// The open sessions.
    private(set) var sessions = TPMSessions()
    /// The number of commands sent by ``call(_:_:)``.
    private(set) var commandCount = 0

    /// Connects, and starts the TPM if it is not started.
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

    /// Calls a function of ESAPI that sends no command.
    func local(_ name: String, _ body: (OpaquePointer) -> UInt32) throws(TPMFailure) {
      let code = body(context)
      guard code == 0 else { throw .response(TPMResponse(code, name)) }
    }

    /// Starts the TPM unless it is started already.
    func startup() throws(TPMFailure) {
      do throws(TPMFailure) {
        try call("TPM2_Startup") { Esys_Startup($0, TPM2.startupClear) }
      } catch {
        guard error.kind == TPM2.Code.initialize else { throw error }
      }
    }

    /// Flushes everything and closes the connection; without `flushing` it only closes.
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

    /// Flushes an object or a session from the TPM, if it still exists.
    func flush(_ handle: UInt32) {
      commandCount += 1
      var handle = handle
      if Esys_FlushContext(context, handle) != 0 { Esys_TR_Close(context, &handle) }
    }

    /// Drops the handles of all loaded objects and sessions after the TPM lost them.
    func forget() {
      for handle in slots.forget() + sessions.forget() {
        var handle = handle
        Esys_TR_Close(context, &handle)
      }
    }

    /// Flushes the sessions; the next command starts new ones.
    func dropSessions() { sessions.flushAll(self) }

    /// Sets an object's authorization value while `body` runs.
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

    /// Reads a property of the TPM; nil if the TPM does not report it.
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

    /// The state of the dictionary-attack counter; nil if the TPM does not report it.
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

    /// Flushes all loaded objects and sessions, of this connection and of earlier ones that ended without flushing. A TPM
    /// without a resource manager serves one connection at a time, and one with it shows each connection only its own, so
    /// nothing here belongs to another program.
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
    /// The failure of a command that succeeded without a response.
    static func nothing(_ command: String) -> TPMFailure {
      .store(.hardware("\(command) was answered with nothing: the TPM, or tpm2-tss, is broken"))
    }
  }
#endif
