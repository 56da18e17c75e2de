#if TPM
  import CLatchkeyTSS2

  /// The objects that a connection has loaded: at most three, since a TPM without a resource manager has no more room.
  ///
  /// What was used longest ago makes room. If it may be wanted again, its context is saved (by the TPM, encrypted), so that
  /// it comes back by one command.
  final class TPMSlots {
    /// What an object is.
    enum Identity: Hashable {
      /// What keys and sealed secrets are stored under.
      case storagePrimary
      /// What signs attestations.
      case attestationKey
      /// What a certificate authority encrypts credentials to.
      case endorsementKey
      /// A key, by the number of its holder.
      case key(UInt64)
    }

    /// How many there may be; for as long as a new one is made, which takes room itself, one less is kept.
    static let capacity = 3

    private struct Resident {
      var identity: Identity
      var handle: UInt32
    }
    /// What is loaded, what was used last at the end.
    private var residents: [Resident] = []
    private var saved: [Identity: SavedContext] = [:]
    /// What is in use by the command that is being made: it stays.
    private var pinned: Set<Identity> = []

    /// How many are loaded now.
    var count: Int { residents.count }

    /// Runs `body` with the handle of an object, which stays loaded meanwhile; `load` brings it in where it is neither
    /// loaded nor saved, and makes room itself if it needs other objects.
    func with<Value>(
      _ identity: Identity, on connection: TPMConnection,
      load: () throws(TPMFailure) -> UInt32, _ body: (UInt32) throws(TPMFailure) -> Value
    ) throws(TPMFailure) -> Value {
      let handle = try acquire(identity, on: connection, load: load)
      let isOuter = pinned.insert(identity).inserted
      defer { if isOuter { pinned.remove(identity) } }
      return try body(handle)
    }

    /// The object's handle, good until another is asked for.
    func acquire(
      _ identity: Identity, on connection: TPMConnection, load: () throws(TPMFailure) -> UInt32
    ) throws(TPMFailure) -> UInt32 {
      if let index = residents.firstIndex(where: { $0.identity == identity }) {
        let resident = residents.remove(at: index)
        residents.append(resident)
        return resident.handle
      }
      let handle: UInt32
      if let restored = try restore(identity, on: connection) {
        handle = restored
      } else {
        handle = try load()
      }
      residents.append(Resident(identity: identity, handle: handle))
      return handle
    }

    /// Makes room for one more object.
    func makeRoom(on connection: TPMConnection) throws(TPMFailure) {
      while residents.count >= Self.capacity {
        guard let index = residents.firstIndex(where: { !pinned.contains($0.identity) }) else { return }
        let resident = residents[index]
        if saved[resident.identity] == nil { try save(resident, on: connection) }
        residents.remove(at: index)
        connection.flush(resident.handle)
      }
    }

    /// Takes out an object that nobody will want again.
    func discard(_ identity: Identity, on connection: TPMConnection) {
      saved[identity] = nil
      guard let index = residents.firstIndex(where: { $0.identity == identity }) else { return }
      connection.flush(residents.remove(at: index).handle)
    }

    /// Takes out all.
    func flushAll(_ connection: TPMConnection) {
      for resident in residents { connection.flush(resident.handle) }
      residents = []
    }

    /// Forgets all, and returns the handles of what was loaded.
    func forget() -> [UInt32] {
      defer { (residents, saved) = ([], [:]) }
      return residents.map(\.handle)
    }

    private func save(_ resident: Resident, on connection: TPMConnection) throws(TPMFailure) {
      var context: UnsafeMutablePointer<TPMS_CONTEXT>?
      try connection.call("TPM2_ContextSave") { Esys_ContextSave($0, resident.handle, &context) }
      guard let context else { throw .nothing("TPM2_ContextSave") }
      saved[resident.identity] = SavedContext(context)
    }

    /// Loads what was saved. If the TPM does not take it, since it was reset meanwhile, it is loaded as if it never was.
    private func restore(_ identity: Identity, on connection: TPMConnection) throws(TPMFailure) -> UInt32? {
      guard let context = saved[identity] else { return nil }
      try makeRoom(on: connection)
      var handle: UInt32 = ESYS_TR_NONE
      do throws(TPMFailure) {
        try connection.call("TPM2_ContextLoad") { Esys_ContextLoad($0, context.pointer, &handle) }
        return handle
      } catch .response(let response) where response.isFromTPM && !response.isAboutRoom && !response.asksForRetry {
        saved[identity] = nil
        return nil
      }
    }
  }

  /// A context that the TPM has encrypted.
  private final class SavedContext {
    let pointer: UnsafeMutablePointer<TPMS_CONTEXT>
    init(_ pointer: UnsafeMutablePointer<TPMS_CONTEXT>) { self.pointer = pointer }
    deinit { Esys_Free(pointer) }
  }
#endif
