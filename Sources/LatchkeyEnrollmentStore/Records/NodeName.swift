internal import Foundation
internal import LatchkeyEnrollmentProtocol

/// The name of a server in the audit chain. It stands in lists, logs and in the file of audit heads, a line each.
public enum NodeName {
  /// The most characters: a host's name (64) with what an operator's chain has behind it.
  public static let longest = 128

  /// - Throws: `.misuse` for a name that is empty, longer than ``longest``, or has some that do not show, and for one that looks like
  ///   another: characters are in their composed form (NFC).
  public static func check(_ name: String) throws(EnrollmentStoreError) {
    guard ShownName.isValid(name, longest: longest) else {
      throw .misuse("a server's name has 1 to \(longest) characters that show: give --node NAME")
    }
    guard name.precomposedStringWithCanonicalMapping.utf8.elementsEqual(name.utf8) else {
      throw .misuse("a server's name is in its composed form (NFC): give --node NAME in that form")
    }
  }
}
