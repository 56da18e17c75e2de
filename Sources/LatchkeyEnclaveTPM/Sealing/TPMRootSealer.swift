#if TPM
  import CLatchkeyTSS2
  import LatchkeyByteCoding
  public import LatchkeyEnclaveKeys
  public import LatchkeyKeychainModel

  /// Seals a keychain's root key in a TPM: only this TPM opens it, optionally only after the same boot, and optionally only
  /// with an authorization value, whose wrong values the TPM counts.
  public final class TPMRootSealer: RootSealer {
    private let device: TPMDevice
    private let registers: [Int]

    /// Creates a sealer over a TPM.
    ///
    /// - Parameter registers: platform configuration registers, 0 to 23, whose current values (SHA-256) must be the same at
    ///   opening; none: any state of the TPM opens it.
    public init(device: TPMDevice, registers: Set<Int> = []) {
      self.device = device
      self.registers = registers.filter { (0..<24).contains($0) }.sorted()
    }

    /// Seals 1 to 64 bytes to the registers' current values.
    ///
    /// - Throws: `.invalidParameter`, `.hardware`.
    public func seal(_ secret: [UInt8], authorization: [UInt8]?) throws(StoreError) -> [UInt8] {
      guard (1...64).contains(secret.count), authorization.map({ $0.count == 32 }) ?? true else {
        throw .invalidParameter("a TPM seals 1 to 64 bytes here, and an authorization value has 32")
      }
      do throws(TPMFailure) {
        return try device.perform { (connection) throws(TPMFailure) in
          let seal = TPMSeal(wantsAuthorization: authorization != nil, registers: try connection.registers(registers))
          // Without an authorization value there is nothing to guess, and another user's wrong guesses must not lock this
          // secret.
          let attributes =
            (registers.isEmpty ? TPM2.Object.userWithAuth : 0) | (seal.wantsAuthorization ? 0 : TPM2.Object.noDA)
          return try connection.create(
            TPMTemplate.sealed(attributes: attributes, policy: seal.policy), authorization: authorization ?? [],
            data: secret,
            extra: seal.bytes
          ).blob.bytes
        }
      } catch {
        throw StoreError(error)
      }
    }

    /// Opens the output of ``seal(_:authorization:)``.
    ///
    /// - Throws: `.rootKeyUnavailable` for a secret of another TPM, for changed registers (it names them), and for bytes that
    ///   are not a sealed secret; `.wrongPasscode` for a wrong authorization; `.passcodeDelayed` while the TPM is locked;
    ///   `.hardware`.
    public func unseal(_ sealed: [UInt8], authorization: [UInt8]?) throws(StoreError) -> [UInt8] {
      let (blob, seal) = try Self.parts(of: sealed)
      guard seal.wantsAuthorization == (authorization != nil) else {
        throw .rootKeyUnavailable(
          seal.wantsAuthorization
            ? "what the TPM has sealed opens with an authorization value only, and there is none"
            : "what the TPM has sealed wants no authorization value, and there is one: it is not what was sealed")
      }
      do throws(TPMFailure) {
        // If the data beside the public area yields its policy, the TPM authenticates both.
        let area = try TPMMarshalling.publicArea(blob.publicArea)
        guard TPMBuffer.bytes(of: area.publicArea.authPolicy) == seal.policy else {
          throw .store(.damaged("the registers of a sealed secret are not those of its policy"))
        }
        return try device.perform { (connection) throws(TPMFailure) in
          try Self.open(blob, seal, authorization ?? [], number: device.nextNumber(), on: connection)
        }
      } catch .store(.foreignKey), .store(.damaged) {
        throw .rootKeyUnavailable(
          "this TPM has not sealed this root key: it is another TPM, it was cleared since, or the file is another "
            + "keychain's; put back the file and the TPM that belong together")
      } catch .response(let response) where response.kind == TPM2.Code.integrity {
        throw .rootKeyUnavailable("what the TPM has sealed was changed since: put the right file back")
      } catch .response(let response) where [TPM2.Code.authFail, TPM2.Code.badAuth].contains(response.kind) {
        throw .wrongPasscode(attemptsBeforeDelay: response.attempts?.left ?? 0)
      } catch .response(let response) where response.kind == TPM2.Code.policyFail {
        throw changed(seal)
      } catch {
        throw StoreError(error)
      }
    }

    /// Returns the registers that a sealed secret depends on.
    ///
    /// - Throws: `.rootKeyUnavailable` for bytes that are not a sealed secret.
    package static func registers(of sealed: [UInt8]) throws(StoreError) -> Set<Int> {
      Set(try parts(of: sealed).seal.registers.numbers)
    }

    private static func parts(of sealed: [UInt8]) throws(StoreError) -> (blob: TPMBlob, seal: TPMSeal) {
      do {
        let blob = try TPMBlob(bytes: sealed)
        return (blob, try TPMSeal(bytes: blob.extra))
      } catch {
        throw .rootKeyUnavailable("what the TPM has sealed was changed since (\(error)): put the right file back")
      }
    }

    private static func open(
      _ blob: TPMBlob, _ seal: TPMSeal, _ authorization: [UInt8], number: UInt64, on connection: TPMConnection
    ) throws(TPMFailure) -> [UInt8] {
      let identity = TPMSlots.Identity.key(number)
      defer { connection.slots.discard(identity, on: connection) }
      let session = try Self.session(for: seal, on: connection)
      return try connection.slots.with(identity, on: connection) { () throws(TPMFailure) in
        try connection.load(blob)
      } _: { (handle) throws(TPMFailure) in
        try connection.withAuthorization(authorization, of: handle) { () throws(TPMFailure) in
          var data: UnsafeMutablePointer<TPM2B_SENSITIVE_DATA>?
          try connection.call("TPM2_Unseal") {
            Esys_Unseal($0, handle, session, ESYS_TR_NONE, ESYS_TR_NONE, &data)
          }
          guard let answer = TPMAnswer(data) else { throw .nothing("TPM2_Unseal") }
          return TPMBuffer.bytes(of: answer.value)
        }
      }
    }

    private static func session(
      for seal: TPMSeal, on connection: TPMConnection
    ) throws(TPMFailure) -> UInt32 {
      guard !seal.registers.numbers.isEmpty else {
        return try connection.sessions.authorization(TPM2.Session.encrypt, on: connection)
      }
      let session = try connection.sessions.policy(TPM2.Session.encrypt, on: connection)
      var selection = TPMRegisters.selection(seal.registers.numbers)
      try connection.call("TPM2_PolicyPCR") {
        Esys_PolicyPCR($0, session, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, nil, &selection)
      }
      return seal.wantsAuthorization
        ? try connection.sessions.authorizationPolicy(TPM2.Session.encrypt, on: connection) : session
    }

    /// The error that names the changed registers.
    private func changed(_ seal: TPMSeal) -> StoreError {
      var names = ""
      if let now = try? device.perform({ (connection) throws(TPMFailure) in
        try connection.registers(seal.registers.numbers)
      }) {
        names = seal.registers.differences(from: now).map(String.init).joined(separator: ", ")
      }
      return .rootKeyUnavailable(
        "the TPM does not open the root key, since the machine was not started as it was when the key was sealed: "
          + (names.isEmpty
            ? "a platform configuration register has changed" : "platform configuration registers changed: \(names)")
          + ". Start it as before; after a change that is meant to be (new firmware, loader or kernel), restore the keychain "
          + "from an export and seal its root key again")
    }
  }
#endif
