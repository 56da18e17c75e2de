import Foundation
import LatchkeyProcessEnvironment

/// The program `latchkey`, as a user types it here.
enum Sibling {
  /// `latchkey` where the shell finds it, else its path beside this program.
  static var latchkey: String {
    if Environment.programFolders.contains(where: { access("\($0)/latchkey", X_OK) == 0 }) { return "latchkey" }
    guard let folder = ProgramFile.folder else { return "latchkey" }
    let beside = folder + "/latchkey"
    return access(beside, X_OK) == 0 ? beside.shellQuoted : "latchkey"
  }
}

extension String {
  /// This text, quoted for a shell.
  var shellQuoted: String {
    let plain = allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+:@%".contains($0)) }
    return plain && !isEmpty ? self : "'" + replacingOccurrences(of: "'", with: "'\\''") + "'"
  }
}
