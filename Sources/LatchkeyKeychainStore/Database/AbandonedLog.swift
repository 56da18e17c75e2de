import LatchkeyKeychainModel
import LatchkeySystem

/// A log with something in it beside a database file that is missing or has no bytes. SQLite regards such a log as left over
/// and deletes it (`pagerOpenWalIfPresent`), and with it what was committed there: so it is looked for before SQLite opens.
enum AbandonedLog {
  /// - Throws: `.damaged` if there is one at `path`.
  static func check(_ path: String) throws(StoreError) {
    // The log first: a process that creates the file writes there before it has a log, and may do so between the two looks.
    guard FilePaths.size(path + "-wal") > 0, FilePaths.size(path) == 0 else { return }
    throw .damaged(
      """
      \(path) is empty or gone, and its log \(path)-wal holds what was written last: put the file back beside its log, or \
      restore the keychain from a backup (latchkey keychain restore); nothing was changed
      """)
  }
}
