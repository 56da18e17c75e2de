import Testing

struct ImportsTests {
  @Test("Darwin has Glibc beside it") func darwin() throws {
    try expectPort(
      """
      // The clock.
      import Darwin  // mach_absolute_time
      import Foundation
        @_exported import Darwin.C
      import func Darwin.sqrt
      """,
      """
      // The clock.
      #if canImport(Darwin)
      import Darwin  // mach_absolute_time
      #else
      import Glibc
      #endif
      import Foundation
        #if canImport(Darwin)
        @_exported import Darwin.C
        #else
        @_exported import Glibc
        #endif
      #if canImport(Darwin)
      import func Darwin.sqrt
      #else
      import func Glibc.sqrt
      #endif
      """)
  }

  @Test("Objective-C is imported where it is there, and modules of Linux have no submodules") func others() throws {
    try expectPort(
      """
      import ObjectiveC
      import ObjectiveC.runtime
      import CoreBluetooth.CBUUID
      import Foundation.NSDate
      import class Foundation.Thread
      import os.log
      """,
      """
      #if canImport(ObjectiveC)
      import ObjectiveC
      #endif
      #if canImport(ObjectiveC)
      import ObjectiveC.runtime
      #endif
      import CoreBluetooth
      import Foundation
      import class Foundation.Thread
      import os.log
      """)
  }

  @Test("Imports that are conditional, or share a line, stay") func unchanged() throws {
    try expectUnchanged(
      """
      #if canImport(Darwin)
      import Darwin
      #elseif canImport(Glibc)
      import Glibc
      #endif
      #if os(macOS) || os(iOS)
      import Darwin.C
      #endif
      import DarwinKit
      import Foundation; import Darwin
      import Darwin.Mach
      import Darwin; import Dispatch
      """, "10: put the import of Darwin on a line of its own", "11: Linux has nothing for Darwin.Mach",
      "12: put the import of Darwin on a line of its own")
  }

  @Test("Key paths become texts") func keyPaths() throws {
    try expectPort(
      """
      let a = [#keyPath(Lamp.isOn), #keyPath(Lamp.owner.name), #keyPath(Outer.Lamp.isOn), #keyPath(name), #keyPath(self.name)]
      """,
      """
      let a = ["isOn", "owner.name", "isOn", "name", "name"]
      """)
  }

  @Test("Key paths whose text is not known stay") func unknownKeyPaths() throws {
    try expectUnchanged(
      """
      let a = #keyPath(Lamp)
      let b = #keyPath(lamps[0].name)
      let c = \\Lamp.name
      """, "1: #keyPath", "2: #keyPath")
  }

  @Test("A key path has the names that Objective-C has") func renamedKeyPaths() throws {
    try expectPort(
      "let a = #keyPath(Lamp.level)", "let a = \"brightness\"", beside: "class Lamp { @objc(brightness) var level = 1 }"
    )
    let ported = try Ported(
      "let a = #keyPath(Lamp.level)",
      beside: "class A { @objc(one) var level = 1 }; class B { @objc(two) var level = 1 }")
    #expect(ported.text == "let a = \"level\"")
    #expect(ported.remarks.count == 1)
  }

  @Test("A file that uses an autorelease pool gets one, unless there is one") func autoreleasepool() throws {
    let pool = """

      #if !canImport(ObjectiveC)
      /// Nothing is autoreleased on Linux.
      private func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
      #endif

      """
    try expectPort("autoreleasepool { work() }\n", "autoreleasepool { work() }\n\(pool)")
    try expectPort("autoreleasepool { work() }", "autoreleasepool { work() }\n\(pool)")
    try expectUnchanged("autoreleasepool { work() }\n", beside: "func autoreleasepool(_ body: () -> Void) { body() }")
    try expectUnchanged("let a = \"autoreleasepool\"; b.autoreleasepool { work() }\n")
    try expectPort(
      "autoreleasepool { work() }\n", "autoreleasepool { work() }\n\(pool)",
      beside: "private func autoreleasepool(_ body: () -> Void) { body() }")
  }
}
