/// How a command ends, by sysexits(3); below 64, as macOS's `security` does, whose statuses are the low bytes of OSStatus;
/// from 128 on, as after a signal.
package enum ExitStatus: Int32, CaseIterable {
  /// The verification failed.
  case notVerified = 1
  /// A service answered with an error: curl's status for -f.
  case httpError = 22
  /// The keychain is locked (-25308).
  case locked = 36
  /// No item matches (-25300).
  case itemNotFound = 44
  /// The item is there already (-25299).
  case duplicateItem = 45
  /// A passcode is wrong or missing (-25293).
  case authenticationFailed = 51
  /// The command line is wrong.
  case usage = 64
  /// The input is wrong.
  case badData = 65
  /// Something required is missing: a radio, a device.
  case unavailable = 69
  /// Reading or writing failed: a file that is not there, too.
  case inputOutput = 74
  /// It may work later.
  case tryLater = 75
  /// It is not permitted.
  case notPermitted = 77
  /// The user has canceled at the terminal, by ^C (128 and SIGINT).
  case interrupted = 130
}

/// An early end of a command: a status and one line for people. The line never quotes a secret.
package struct CommandFailure: Error {
  package let status: ExitStatus
  /// Its name in JSON: the status's, unless something finer is known.
  package let code: String
  /// What led to it, where that is known: the words of the system or of another program. The message holds it too.
  package let cause: String?
  package let message: String

  package init(_ status: ExitStatus, code: String? = nil, cause: String? = nil, _ message: String) {
    self.status = status
    self.code = code ?? "\(status)"
    self.cause = cause
    self.message = message
  }
}
