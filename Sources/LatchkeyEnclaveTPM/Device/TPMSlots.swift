#if TPM
  import CLatchkeyTSS2

  /// The loaded objects of a connection: at most three, the number of slots of a TPM without a resource manager.
  ///
  /// The least recently used object is evicted. If it may be needed again, its context is saved (encrypted by the TPM), so that
  /// one command loads it again.
  final class TPMSlots {
    /// The identity of an object.
    enum Identity: Hashable {
      /// The parent of keys and sealed secrets.
      case storagePrimary
      /// The key that signs attestations.
      case attestationKey
      /// The key that a certificate authority encrypts credentials to.
      case endorsementKey
      /// A key, by its holder's number.
      case key(UInt64)
    }

    /// The maximum number of objects. Creation of an object needs a slot itself, so one fewer stays loaded meanwhile.
    static let capacity = 3

    private struct Resident {
      var identity: Identity
      var handle: UInt32
    }
    /// The loaded objects, the most recently used last.
    private var residents: [Resident] = []
    private var saved: [Identity: SavedContext] = [:]
    /// The objects of the command in preparation, which are not evicted.
    private var pinned: Set<Identity> = []

    /// The number of loaded objects.
    var count: Int { residents.count }

    /// Runs `body` with an object's handle and keeps the object loaded meanwhile. `load` loads an object that is neither loaded
    /// nor saved, and makes room itself if it needs other objects.
    func with<Value>(
      _ identity: Identity, on connection: TPMConnection,
      load: () throws(TPMFailure) -> UInt32, _ body: (UInt32) throws(TPMFailure) -> Value
    ) throws(TPMFailure) -> Value {
      let handle = try acquire(identity, on: connection, load: load)
      let isOuter = pinned.insert(identity).inserted
      defer { if isOuter { pinned.remove(identity) } }
      return try body(handle)
    }

    /// Returns the object's handle, valid until another object is acquired.
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

    /// Evicts objects until one slot is free.
    func makeRoom(on connection: TPMConnection) throws(TPMFailure) {
      while residents.count >= Self.capacity {
        guard let index = residents.firstIndex(where: { !pinned.contains($0.identity) }) else { return }
        let resident = residents[index]
        if saved[resident.identity] == nil { try save(resident, on: connection) }
        residents.remove(at: index)
        connection.flush(resident.handle)
      }
    }

    /// Flushes an object that is no longer needed.
    func discard(_ identity: Identity, on connection: TPMConnection) {
      saved[identity] = nil
      guard let index = residents.firstIndex(where: { $0.identity == identity }) else { return }
      connection.flush(residents.remove(at: index).handle)
    }

    /// Flushes all objects.
    func flushAll(_ connection: TPMConnection) {
      for resident in residents { connection.flush(resident.handle) }
      residents = []
    }

    /// Drops all objects, and returns the handles of the loaded ones.
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

    /// Loads a saved context. If the TPM refuses it, since it was reset meanwhile, the object counts as never loaded.
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

  /// A context encrypted by the TPM.
  private final class SavedContext {
    let pointer: UnsafeMutablePointer<TPMS_CONTEXT>
    init(_ pointer: UnsafeMutablePointer<TPMS_CONTEXT>) { self.pointer = pointer }
    deinit { Esys_Free(pointer) }
  }
#endif
