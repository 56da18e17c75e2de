#if TPM
  import CLatchkeyTSS2
  import Dispatch
  import Glibc
  public import LatchkeyKeychainModel
  import LatchkeyProcessEnvironment
  import Synchronization

  /// A TPM 2.0: one connection, and one thing done at a time, however many callers there are; they wait in line.
  ///
  /// What was loaded is flushed when it is not needed any more, when the room is wanted, and at the end: at no time are
  /// there more than three transient objects and two sessions, which every TPM has room for without a resource manager.
  public final class TPMDevice: Sendable {
    /// What Linux calls the TPM behind its own resource manager.
    public static let defaultTCTI = "device:/dev/tpmrm0"

    /// How it is reached, as tpm2-tss writes it: `device:/dev/tpmrm0`, `swtpm:host=127.0.0.1,port=2321`.
    public let tcti: String
    private let line: DispatchQueue
    private let state = State()
    private let lastNumber = Atomic<UInt64>(0)

    /// The connection. Touched by nothing but what runs in the line.
    private final class State: @unchecked Sendable {
      var connection: TPMConnection?
    }

    /// A TPM that is connected at its first use.
    public init(tcti: String = TPMDevice.defaultTCTI) {
      self.tcti = tcti
      line = DispatchQueue(label: "latchkey.tpm")
      Self.quietOnce
    }

    // What was put off for later may be under way: nothing that runs in the line holds the device, so this waits for it.
    deinit { line.sync { [state] in withoutPipeSignal { state.connection?.close() } } }

    /// tpm2-tss writes what it thinks of every response to standard error, unless it is told not to.
    /// What a caller's environment says of it, a file to write to among that, goes where the environment is ignored.
    private static let quietOnce: Void = {
      _ = setenv("TSS2_LOG", "all+NONE", Environment.isIgnored ? 1 : 0)
      if Environment.isIgnored { unsetenv("TSS2_LOGFILE") }
    }()

    /// Ends the connection, so that another program may have the TPM (one without a resource manager serves one at a
    /// time). The next call connects again, and keys that are held are loaded again.
    public func disconnect() {
      line.sync {
        withoutPipeSignal { state.connection?.close() }
        state.connection = nil
      }
    }

    /// Whether it answers.
    ///
    /// - Throws: `.hardware` that says what to do.
    public func probe() throws(StoreError) {
      do throws(TPMFailure) {
        try perform { (_) throws(TPMFailure) in }
      } catch {
        throw StoreError(error)
      }
    }

    /// A number that no other object of this TPM's users has.
    func nextNumber() -> UInt64 { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Does `body` when it is its turn. `body` runs again if the TPM asks for that, if what was loaded is gone (a reset), or
    /// if others' leftovers took the room.
    func perform<Value>(_ body: (TPMConnection) throws(TPMFailure) -> Value) throws(TPMFailure) -> Value {
      try line.sync { () -> Result<Value, TPMFailure> in
        withoutPipeSignal { () -> Result<Value, TPMFailure> in
          do throws(TPMFailure) {
            return .success(try attempt(body))
          } catch {
            return .failure(error)
          }
        }
      }.get()
    }

    /// Does `body` some time after what waits now, and nothing if there is no connection or it fails.
    func performLater(_ body: @escaping @Sendable (TPMConnection) throws(TPMFailure) -> Void) {
      let state = state
      line.async {
        withoutPipeSignal {
          guard let connection = state.connection else { return }
          do throws(TPMFailure) {
            try body(connection)
          } catch {
            connection.close()
            state.connection = nil
          }
        }
      }
    }

    private func attempt<Value>(_ body: (TPMConnection) throws(TPMFailure) -> Value) throws(TPMFailure) -> Value {
      var retries = TPMRetries()
      while true {
        do throws(TPMFailure) {
          let connection = try connected()
          return try body(connection)
        } catch {
          guard case .response(let response) = error, try recover(from: response, &retries) else { throw error }
        }
      }
    }

    private func connected() throws(TPMFailure) -> TPMConnection {
      if let connection = state.connection { return connection }
      let connection = try TPMConnection(tcti: tcti)
      state.connection = connection
      return connection
    }

    /// Puts things right after a failed response, and returns whether to try again.
    private func recover(from response: TPMResponse, _ retries: inout TPMRetries) throws(TPMFailure) -> Bool {
      guard let connection = state.connection else { return false }
      guard response.isFromTPM else {
        // Nothing is known of what the other side still holds; of a broken connection nothing can be flushed.
        connection.close(flushing: !response.isConnectionLost)
        state.connection = nil
        return false
      }
      connection.dropSessions()
      if response.asksForRetry { return retries.wait() }
      if response.kind == TPM2.Code.initialize {
        guard retries.once(.startup) else { return false }
        connection.forget()
        try connection.startup()
        return true
      }
      if response.isAboutLostHandle {
        guard retries.once(.reload) else { return false }
        connection.forget()
        return true
      }
      if response.isAboutRoom {
        guard retries.once(.room) else { return false }
        connection.flushStrangers()
        return true
      }
      if [TPM2.Code.authFail, TPM2.Code.badAuth, TPM2.Code.lockout].contains(response.kind) {
        var explained = response
        explained.attempts = connection.attempts()
        throw .response(explained)
      }
      return false
    }
  }

  /// How often, and for what, a piece of work was tried again.
  private struct TPMRetries {
    enum Reason { case startup, reload, room }
    private var done: Set<Reason> = []
    private var waits = 0

    /// Whether it was not tried again for this reason yet.
    mutating func once(_ reason: Reason) -> Bool { done.insert(reason).inserted }

    /// Waits before another try: nine times, 5 ms at first and then twice as long each time; false after that.
    mutating func wait() -> Bool {
      guard waits < 9 else { return false }
      usleep(5000 << UInt32(waits))
      waits += 1
      return true
    }
  }

  /// tpm2-tss writes to sockets, and a write to one whose other end is gone sends the thread SIGPIPE, which ends the
  /// process: it is blocked meanwhile, and taken back if it came.
  private func withoutPipeSignal<Value>(_ body: () -> Value) -> Value {
    var pipe = sigset_t()
    var before = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    guard pthread_sigmask(SIG_BLOCK, &pipe, &before) == 0, sigismember(&before, SIGPIPE) == 0 else { return body() }
    let value = body()
    var pending = sigset_t()
    if sigpending(&pending) == 0, sigismember(&pending, SIGPIPE) == 1 {
      var now = timespec(tv_sec: 0, tv_nsec: 0)
      _ = sigtimedwait(&pipe, nil, &now)
    }
    pthread_sigmask(SIG_SETMASK, &before, nil)
    return value
  }
#endif
