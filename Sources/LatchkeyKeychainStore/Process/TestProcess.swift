import Glibc
import LatchkeyProcessEnvironment

/// Whether a process runs tests, which must never meet the keychain of the user who runs them.
enum TestProcess {
  /// Whether this one does: it was started as a bundle of tests, or XCTest or Swift Testing is loaded in it.
  static let isThisOne = isName(of: executable) || isLoaded("libXCTest.so") || isLoaded("libTesting.so")

  /// Whether a program of this path runs tests: SwiftPM's bundles are programs on Linux.
  static func isName(of path: String) -> Bool {
    let name = path.split(separator: "/").last ?? ""
    return name.hasSuffix(".xctest") || name == "xctest" || name == "swiftpm-testing-helper"
  }

  private static func isLoaded(_ library: String) -> Bool { dlopen(library, RTLD_LAZY | RTLD_NOLOAD) != nil }

  private static var executable: String { ProgramFile.path ?? CommandLine.arguments.first ?? "" }
}
