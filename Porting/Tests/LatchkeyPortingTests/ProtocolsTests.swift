import Testing

struct ProtocolsTests {
  @Test("A protocol for Objective-C is one for classes, and its optional methods get defaults") func defaults() throws {
    try expectPort(
      """
      @objc public protocol LampDelegate {
          func lampDidStart(_ lamp: Lamp)
          @objc optional func lamp(_ lamp: Lamp, didSet level: Int)
          /// Asked often.
          @available(iOS 13, *)
          @objc(nameOfLamp:)
          optional func name(of lamp: Lamp,
                             in room: String) throws -> String?
      } // LampDelegate

      let a = 1
      """,
      """
      public protocol LampDelegate: AnyObject {
          func lampDidStart(_ lamp: Lamp)
          func lamp(_ lamp: Lamp, didSet level: Int)
          /// Asked often.
          @available(iOS 13, *)
          func name(of lamp: Lamp,
                             in room: String) throws -> String?
      } // LampDelegate

      /// The defaults of the methods that were optional.
      public extension LampDelegate {
          func lamp(_ lamp: Lamp, didSet level: Int) {}
          @available(iOS 13, *)
          func name(of lamp: Lamp,
                             in room: String) throws -> String? { nil }
      }

      let a = 1
      """)
  }

  @Test("A protocol that is for classes already stays so") func restricted() throws {
    try expectPort(
      """
      @objc protocol A: NSObjectProtocol {}
      @objc protocol B: AnyObject {}
      @objc protocol C: A {}
      @objc protocol D: Sendable {}
      @objc(EE) protocol E {}
      protocol F {}
      """,
      """
      protocol A: NSObjectProtocol {}
      protocol B: AnyObject {}
      protocol C: A {}
      protocol D: AnyObject, Sendable {}
      protocol E: AnyObject {}
      protocol F {}
      """)
  }

  @Test("The defaults of a nested protocol stand behind the outermost type, in its branch of #if") func nested() throws
  {
    try expectPort(
      """
      #if os(Linux) || os(macOS)
        class Lamp {
          @objc protocol Watcher { @objc optional func changed() }
        }
      #endif
      """,
      """
      #if os(Linux) || os(macOS)
        class Lamp {
          protocol Watcher: AnyObject { func changed() }
        }

        /// The defaults of the methods that were optional.
        extension Lamp.Watcher {
          func changed() {}
        }
      #endif
      """)
  }

  @Test("What has no obvious default is named, and what has one already gets no second") func withoutDefaults() throws {
    let ported = try Ported(
      """
      @objc protocol A {
        @objc optional func count() -> Int
        @objc optional var name: String? { get }
        #if DEBUG
        @objc optional func check()
        #endif
        @objc optional func done(_ value: Int)
      }
      extension A { func done(_ value: Int) { print(value) } }
      """)
    #expect(
      ported.text == """
        protocol A: AnyObject {
          func count() -> Int
          var name: String? { get }
          #if DEBUG
          func check()
          #endif
          func done(_ value: Int)
        }
        extension A { func done(_ value: Int) { print(value) } }
        """)
    #expect(ported.remarks.count == 3)
    #expect(ported.remarks[0].hasPrefix("2: `count` was optional and has no obvious default"))
    #expect(ported.remarks[1].hasPrefix("3: an optional requirement that is no method"))
    #expect(ported.remarks[2].hasPrefix("5: `check` was optional"))
  }

  @Test("A call of a method that was optional loses its mark, wherever the protocol is") func calls() throws {
    try expectPort(
      """
      func a(_ lamp: Lamp) throws {
        delegate?.lamp?(lamp, didSet: 3)
        lamp.owner.delegate?.lamp!(lamp, didSet: 3)
        try delegate?.check?(lamp)
        let name = delegate?.name?(of: lamp) ?? "none"
        queue.async { self.delegate?.lamp?(lamp, didSet: 4) }
        delegate?.load?(lamp) { print($0) }
      }
      """,
      """
      func a(_ lamp: Lamp) throws {
        delegate?.lamp(lamp, didSet: 3)
        lamp.owner.delegate?.lamp(lamp, didSet: 3)
        try delegate?.check(lamp)
        let name = delegate?.name(of: lamp) ?? "none"
        queue.async { self.delegate?.lamp(lamp, didSet: 4) }
        delegate?.load(lamp) { print($0) }
      }
      """,
      beside: """
        @objc protocol LampDelegate {
          @objc optional func lamp(_ lamp: Lamp, didSet level: Int)
          @objc optional func check(_ lamp: Lamp) throws
          @objc optional func name(of lamp: Lamp) -> String?
          @objc optional func load(_ lamp: Lamp, completion: (Int) -> Void)
        }
        """)
  }

  @Test("A call of an optional closure keeps its mark, and so does one of an unknown method") func closures() throws {
    let declared = """
      @objc protocol A {
        @objc optional func changed(_ value: Int)
        @objc optional func lamp(_ lamp: Int, didSet level: Int)
      }
      """
    try expectUnchanged(
      """
      class B {
        var onChange: ((Int) -> Void)?
        func a() {
          delegate?.onChange?(1)
          delegate?.other?(1)
          delegate?.lamp?(1, didClear: 2)
          delegate?.changed?(to: 1)
          delegate?.changed?(1, 2)
          changed?(1)
          handlers[0]?(1)
          block.changed?.cancel()
        }
      }
      """, beside: declared)
    try expectUnchanged(
      "class B { var changed: ((Int) -> Void)?; func a() { b?.changed?(1) } }",
      "1: `changed` is a method that was optional, or a closure",
      beside: declared)
  }

  @Test("A call whose result tells whether the method is there keeps its mark") func questions() throws {
    try expectUnchanged(
      """
      if delegate?.changed?(1) != nil { print(1) }
      if delegate?.changed != nil { print(2) }
      if let method = delegate?.changed { method(1) }
      let count = delegate?.count?() ?? 7
      """, "1: `changed` was optional, and here", "2: `changed` was optional", "3: `changed` was optional",
      "4: `count` was optional: write here",
      beside: """
        @objc protocol A {
          @objc optional func changed(_ value: Int)
        }
        #if os(Linux)
        @objc protocol B { }
        #endif
        protocol C { }
        """ + "\n@objc protocol D { @objc optional func count() -> Int }")
  }

  @Test("Methods of Core Bluetooth's own protocols keep their mark, and are named") func appleMethods() throws {
    try expectUnchanged(
      "delegate?.centralManager?(central, didConnect: peripheral)", "1: Core Bluetooth's protocols have default methods"
    )
  }
}
