/// Why a store did not do what it was asked.
public enum EnrollmentStoreError: Error, Hashable, Sendable {
  /// The database cannot be reached or is too busy; try later. What was under way may or may not have happened.
  case unavailable(String)
  /// Conflicts did not end within the tries.
  case contention
  /// The data contradict themselves: what, and how to go on.
  case damaged(String)
  /// The database is newer than this program, or older than any that it can bring forward.
  case unsupportedVersion(Int)
  /// The database is an older copy: it knows less of revocations than the file beside it says.
  case olderThanRevocations(String)
  /// The store was closed.
  case closed
  /// The caller's misuse: what to do instead.
  case misuse(String)
}
