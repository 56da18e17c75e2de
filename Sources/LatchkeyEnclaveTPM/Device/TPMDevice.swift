#if TPM
  import CLatchkeyTSS2
  import Dispatch
  import Glibc
  public import LatchkeyKeychainModel
  import LatchkeyProcessEnvironment
  import Synchronization

  /// A TPM 2.0 with one connection, which runs one operation at a time; other callers wait on a serial queue.
  ///
  /// Loaded objects are flushed when they are no longer needed, when a slot is needed, and at the end. At no time are there
  /// more than three transient objects and two sessions, for which every TPM has slots without a resource manager.
  public final class TPMDevice: Sendable {
    /// The path of Linux's TPM behind the kernel's resource manager.
    public static let defaultTCTI = "device:/dev/tpmrm0"

    /// The TCTI configuration in tpm2-tss's form: `device:/dev/tpmrm0`, `swtpm:host=127.0.0.1,port=2321`.
    public let tcti: String
    private let line: DispatchQueue
    private let state = State()
    private let lastNumber = Atomic<UInt64>(0)

    /// The connection. Only operations on the queue access it.
    private final class State: @unchecked Sendable {
      var connection: TPMConnection?
    }

    /// Creates a device that connects at its first use.
    public init(tcti: String = TPMDevice.defaultTCTI) {
      self.tcti = tcti
      line = DispatchQueue(label: "latchkey.tpm")
      Self.quietOnce
    }

    // A deferred operation may be running. Operations on the queue do not retain the device, so this waits for them.
    deinit { line.sync { [state] in withoutPipeSignal { state.connection?.close() } } }

    /// tpm2-tss logs every error response to standard error unless `TSS2_LOG` says otherwise. Where the environment is ignored,
    /// a caller's `TSS2_LOG` is overwritten, and its `TSS2_LOGFILE`, a file to write to, is removed.
    private static let quietOnce: Void = {
      _ = setenv("TSS2_LOG", "all+NONE", Environment.isIgnored ? 1 : 0)
      if Environment.isIgnored { unsetenv("TSS2_LOGFILE") }
    }()

    /// Closes the connection, so that another program can use the TPM (one without a resource manager serves one at a time).
    /// The next call connects again, and loaded keys are loaded again.
    public func disconnect() {
      line.sync {
        withoutPipeSignal { state.connection?.close() }
        state.connection = nil
      }
    }

    /// Checks that the TPM responds.
    ///
    /// - Throws: `.hardware` with the remedy.
    public func probe() throws(StoreError) {
      do throws(TPMFailure) {
        try perform { (_) throws(TPMFailure) in }
      } catch {
        throw StoreError(error)
      }
    }

    /// Returns a number unique among the objects of this device's users.
    func nextNumber() -> UInt64 { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Runs `body` on the queue. `body` runs again if the TPM asks for a retry, if loaded objects are gone (a reset), or if
    /// leftovers of other connections filled the slots.
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

    /// Runs `body` after the operations that wait now; does nothing if there is no connection. A failure is not reported, and
    /// closes the connection.
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

    /// Recovers from a failed response, and returns whether to retry.
    private func recover(from response: TPMResponse, _ retries: inout TPMRetries) throws(TPMFailure) -> Bool {
      guard let connection = state.connection else { return false }
      guard response.isFromTPM else {
        // The other side's state is unknown; nothing can be flushed over a broken connection.
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

  /// Counts an operation's retries by reason.
  private struct TPMRetries {
    enum Reason { case startup, reload, room }
    private var done: Set<Reason> = []
    private var waits = 0

    /// Whether this is the first retry for this reason.
    mutating func once(_ reason: Reason) -> Bool { done.insert(reason).inserted }

    /// Waits before another try: nine times, 5 ms at first and doubled each time; then returns false.
    mutating func wait() -> Bool {
      guard waits < 9 else { return false }
      usleep(5000 << UInt32(waits))
      waits += 1
      return true
    }
  }

  /// tpm2-tss writes to sockets, and a write to a closed one sends the thread SIGPIPE, which ends the process. This function
  /// blocks the signal during `body`, and consumes it if it arrived.
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
