import Glibc
import LatchkeyKeychainModel
import LatchkeySystem

extension FilePaths {
  /// Maps an errno value to the keychain's error.
  static func error(_ code: CInt, at path: String) -> StoreError {
    switch code {
    case ENOSPC, EDQUOT: .diskFull(path: path)
    case EACCES, EPERM, EROFS: .readOnly(path: path)
    default: .inputOutput("\(path): \(SystemError(code: code).text)")
    }
  }
}

extension FilePaths {
  /// Reads at most `maximum` bytes of an open file; the error names `path`.
  static func readAll(_ file: CInt, maximum: Int, path: String) throws(StoreError) -> [UInt8] {
    do throws(SystemError) {
      return try readAll(file, maximum: maximum)
    } catch {
      throw .inputOutput("\(path) cannot be read: \(error.text)")
    }
  }
}
