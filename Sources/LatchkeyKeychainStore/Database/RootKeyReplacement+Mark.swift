import Glibc
import LatchkeyKeychainModel
import LatchkeySystem

extension RootKeyReplacement {
  /// Verifies that the file can be replaced: no other keychain may depend on it.
  ///
  /// - Throws: `.configuration`; `.readOnly` where its folder cannot be written.
  func verify(_ mark: UsedMark, of uuid: [UInt8]) throws(StoreError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw FilePaths.error(errno, at: path) }
    guard status.st_nlink == 1 else {
      throw .configuration(
        "\(path) has \(status.st_nlink) names (hard links), and what it holds is overwritten: remove the others"
      )
    }
    guard access(FilePaths.folder(of: path), W_OK | X_OK) == 0 else { throw .readOnly(path: path) }
    if let place = try mark.placeOfOthers(than: uuid) {
      throw .configuration(
        "the key file \(path) opens other keychains too (says \(place)): copy it to a file of this keychain's own, and "
          + "rotate with that one (--key-file)")
    }
  }
}
