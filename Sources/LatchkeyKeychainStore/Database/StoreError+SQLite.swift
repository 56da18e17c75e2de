import LatchkeyKeychainModel
import LatchkeySQLite

extension StoreError {
  /// What a failure of SQLite on the file at `path` means for the caller of the store.
  init(_ failure: SQLiteError, path: String) {
    let description = "\(path): \(failure.message) (SQLite code \(failure.code)"
    switch failure.kind {
    case .full: self = .diskFull(path: path)
    case .readOnly: self = .readOnly(path: path)
    case .notADatabase: self = .notAKeychain(path: path)
    case .corrupt: self = .damaged("the database file \(path) does not hold together (\(failure.message))")
    case .busy: self = .busy(path: path)
    case .doesNotFit: self = .invalidParameter("the item does not fit into a row: \(failure.message)")
    case .other where failure.isInputOutput:
      self = .inputOutput("\(description), errno \(failure.systemError))")
    case .constraint, .statement, .other: self = .inputOutput("\(description))")
    }
  }

  /// Another file stands at `path` than the one that was opened, or none.
  static func exchanged(_ path: String) -> StoreError {
    .inputOutput("\(path) was replaced or removed while it was open: open it again")
  }

  /// Whether another connection is in the way.
  var isBusy: Bool {
    if case .busy = self { true } else { false }
  }
}
