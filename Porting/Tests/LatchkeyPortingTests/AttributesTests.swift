import Testing

struct AttributesTests {
  @Test("Attributes of Objective-C go, and what stands around them stays") func removed() throws {
    try expectPort(
      """
      /// A lamp.
      @objcMembers @objc(LKLamp)
      public final class Lamp: NSObject {
        @objc dynamic private(set) var isOn = false  // watched
        @objc(switchOn:) @discardableResult
        func `switch`(on: Bool) -> Bool { isOn = on; return on }

        @nonobjc func plain() {}
        var level: Int { @objc(brightness) get { 3 } }
      }
      @objc enum Mode: Int { case on, off }
      @objc extension Lamp {}
      """,
      """
      /// A lamp.
      public final class Lamp: NSObject {
        private(set) var isOn = false  // watched
        @discardableResult
        func `switch`(on: Bool) -> Bool { isOn = on; return on }

        func plain() {}
        var level: Int { get { 3 } }
      }
      enum Mode: Int { case on, off }
      extension Lamp {}
      """)
  }

  @Test("Comments behind an attribute stay, on its line or on the next") func comments() throws {
    try expectPort(
      """
      class A {
          @objc // for the storyboard
          func a() {}
          @objc /* why */ func b() {}
          @objc

          /// Says c.
          func c() {}
      }
      """,
      """
      class A {
          // for the storyboard
          func a() {}
          /* why */ func b() {}
          /// Says c.
          func c() {}
      }
      """)
  }

  @Test("A file with CR LF keeps its line ends") func carriageReturns() throws {
    try expectPort(
      "@objc\r\nclass A {\r\n\t@objc\r\n\tfunc a() {}\r\n}\r\nimport Darwin\r\n",
      "class A {\r\n\tfunc a() {}\r\n}\r\n#if canImport(Darwin)\r\nimport Darwin\r\n#else\r\nimport Glibc\r\n#endif\r\n"
    )
  }

  @Test("Attributes in branches for other systems stay") func branches() throws {
    try expectUnchanged(
      """
      #if os(iOS) || os(macOS)
      @objc class A { @objc dynamic func a() {} }
      #elseif canImport(ObjectiveC) && DEBUG
      @objc class B {}
      #endif
      #if !canImport(Darwin)
      class C {}
      #else
      @objcMembers class C {}
      #endif
      #if os(Linux)
      #else
      @objc class D {}
      #endif
      class E {
        #if canImport(Darwin)
        @objc
        #endif
        func e() {}
        #if targetEnvironment(simulator)
        @objc func f() {}
        #endif
      }
      """)
  }

  @Test("Attributes in branches that Linux may compile go") func branchesOfLinux() throws {
    try expectPort(
      """
      #if DEBUG || os(iOS)
      @objc class A {}
      #else
      @objc class B {}
      #endif
      #if canImport(UIKit)
      @objc class C {}
      #endif
      """,
      """
      #if DEBUG || os(iOS)
      class A {}
      #else
      class B {}
      #endif
      #if canImport(UIKit)
      class C {}
      #endif
      """)
  }

  @Test("What a branch for another system names by #selector stays visible to Objective-C") func namedElsewhere() throws
  {
    try expectPort(
      """
      class A: NSObject {
        func start() {
          #if os(iOS)
          button.addTarget(self, action: #selector(tap), for: .touchUpInside)
          #endif
        }
        @objc func tap() {}
        @discardableResult @objc func tap(_ sender: Any) -> Int { 0 }
        @objc func other() {}
      }
      """,
      """
      class A: NSObject {
        func start() {
          #if os(iOS)
          button.addTarget(self, action: #selector(tap), for: .touchUpInside)
          #endif
        }
        #if canImport(ObjectiveC)
        @objc
        #endif
        func tap() {}
        @discardableResult \n  #if canImport(ObjectiveC)
        @objc
        #endif
        func tap(_ sender: Any) -> Int { 0 }
        func other() {}
      }
      """)
  }

  @Test("Words in texts, comments and other attributes are no attributes") func words() throws {
    try expectUnchanged(
      """
      // @objc func a() {}
      let text = "@objc dynamic optional #selector(a)"
      let long = \"\"\"
        @objc class A {}
        \"\"\"
      @objective struct B { var optional: Int?; var dynamic = 1 }
      let c = B(optional: nil, dynamic: 2).dynamic
      func dynamic(dynamic: Int) -> Int { dynamic }
      """)
  }

  @Test("`dynamic` stays where functions are replaced, but for Objective-C's") func replacedFunctions() throws {
    try expectPort(
      """
      dynamic func a() {}
      class B { @objc dynamic func b() {} }
      @_dynamicReplacement(for: a()) func c() {}
      """,
      """
      dynamic func a() {}
      class B { func b() {} }
      @_dynamicReplacement(for: a()) func c() {}
      """)
    try expectPort("dynamic func a() {}", "func a() {}")
  }

  @Test("Attributes that need a person stay, and are named") func left() throws {
    try expectUnchanged(
      """
      class A {
        @NSManaged var a: Int
        @NSCopying var b: NSString
        var c: @convention(block) () -> Void
        var d: @convention(c) () -> Void
      }
      @UIApplicationMain class B {}
      @objc @implementation extension C {}
      """, "2: @NSManaged", "3: @NSCopying", "4: @convention(block)", "7: @UIApplicationMain", "8: @implementation")
  }

  @Test("Attributes of storyboards stay, and the first of a file is named") func storyboards() throws {
    try expectUnchanged(
      """
      class A: UIViewController {
        @IBOutlet weak var a: UILabel!
        @IBAction func b(_ sender: Any) {}
      }
      @IBDesignable class C: UIView { @IBInspectable var d = 1 }
      """, "2: @IBOutlet is for storyboards")
  }

  @Test("An override in an extension, and the name of an archived class, are named") func consequences() throws {
    let ported = try Ported(
      """
      extension A {
        @objc override func a() {}
        override var b: Int { 1 }
      }
      class C: A { override func a() {} }
      @objc(Archived) class D: NSObject, NSSecureCoding {}
      """)
    #expect(ported.remarks.count == 3)
    #expect(ported.remarks[0].hasPrefix("2: an extension overrides"))
    #expect(ported.remarks[1].hasPrefix("3: an extension overrides"))
    #expect(ported.remarks[2].hasPrefix("6: archives name the class Archived"))
  }
}
