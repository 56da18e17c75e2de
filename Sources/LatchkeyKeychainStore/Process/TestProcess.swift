import Glibc
import LatchkeyProcessEnvironment

/// Detects whether a process runs tests, which must never use the keychain of the user who runs them.
enum TestProcess {
  /// Whether this process runs tests: it was started as a test bundle, or XCTest or Swift Testing is loaded.
  static let isThisOne = isName(of: executable) || isLoaded("libXCTest.so") || isLoaded("libTesting.so")

  /// Whether this path is that of a test program: SwiftPM's test bundles are executables on Linux.
  static func isName(of path: String) -> Bool {
    let name = path.split(separator: "/").last ?? ""
    return name.hasSuffix(".xctest") || name == "xctest" || name == "swiftpm-testing-helper"
  }

  private static func isLoaded(_ library: String) -> Bool { dlopen(library, RTLD_LAZY | RTLD_NOLOAD) != nil }

  private static var executable: String { ProgramFile.path ?? CommandLine.arguments.first ?? "" }
}
