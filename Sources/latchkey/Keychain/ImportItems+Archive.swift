import ArgumentParser
import LatchkeyAgeEncryption
import LatchkeyCommandLine
import LatchkeyKeychainArchive
import LatchkeyKeychainModel
import LatchkeySystem

extension ImportItems {
  /// Adds the items of an archive that `latchkey keychain export` wrote.
  func importArchive(_ bytes: [UInt8]) throws {
    do {
      let unlock = try ArchiveFile.unlock(bytes, of: path, identity: identity, passphrase: passphrase)
      let document = try KeychainDocument(opening: bytes, unlock)
      let keychain = try OpenKeychain(
        path: file.keychain, keyFile: file.keyFile, passcode: self.unlock.passcode, access: .changing)
      var report = ImportReport()
      defer { emit(report, of: document) }
      try keychain.store.importItems(
        of: document, existing: existing.choice, accessGroup: group.accessGroup, as: keychain.entitlements,
        report: &report)
      guard report.added + report.replaced + report.refused.count > 0 || report.kept == 0 else {
        throw CommandFailure(.duplicateItem, "\(path): everything in it is already in \(keychain.path)")
      }
      guard report.refused.isEmpty else {
        throw CommandFailure(
          .badData, code: "itemsRefused",
          "\(path): \(report.refused.count) of \(document.items.count) items were refused")
      }
    } catch let error as ArchiveError {
      throw error.failure
    } catch let error as AgeError {
      throw ArchiveError.age(error).failure
    }
  }

  private func emit(_ report: ImportReport, of document: KeychainDocument) {
    for refused in report.refused {
      if output.json {
        try? output.emit(
          [], "refused",
          [
            ("index", .integer(refused.index)), ("class", .text(refused.itemClass)),
            ("message", .text("\(refused.error)")),
          ])
      } else {
        StandardStreams.reportError(
          // A text of the archive must not start a line of its own.
          PrintableText.escaped("item \(refused.index) (\(refused.itemClass)): \(refused.error)"))
      }
    }
    if output.json {
      try? output.emit(
        [], "imported",
        [
          ("path", .text(path)), ("added", .integer(report.added)), ("replaced", .integer(report.replaced)),
          ("kept", .integer(report.kept)), ("refused", .integer(report.refused.count)),
        ])
    } else {
      try? StandardStreams.writeLine(
        "\(report.added) imported, \(report.replaced) replaced, \(report.kept) there already, \(report.refused.count) refused"
      )
    }
  }
}
