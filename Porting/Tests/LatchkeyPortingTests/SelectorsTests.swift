import Testing

struct SelectorsTests {
  /// A class with this text in its method `start`.
  private func lamp(_ body: String, _ members: String = "", modifiers: String = "") -> String {
    """
    \(modifiers)class Lamp: NSObject {
      func start() {
        \(body)
      }
      func tick() {}
      func fire(_ timer: Timer) {}
      func on(note: Notification) -> Int { 1 }
      func object(_ note: NSNotification?) {}
      func number(_ number: Int) {}
      func twice() {}
      func twice(_ timer: Timer) {}
      static func shared() {}
      func later() async {}
      \(members)
    }
    """
  }

  @Test(
    "Timers get blocks that call the method",
    arguments: [
      (
        "Timer.scheduledTimer(timeInterval: 1, target: self, selector: #selector(tick), userInfo: nil, repeats: true)",
        "Timer.scheduledTimer(withTimeInterval: 1, repeats: true, block: { _ in self.tick() })"
      ),
      (
        "timer = Timer.scheduledTimer(timeInterval: 1.0 / 2, target: self, selector: #selector(Lamp.fire(_:)), userInfo: nil, repeats: false)",
        "timer = Timer.scheduledTimer(withTimeInterval: 1.0 / 2, repeats: false, block: { timer in self.fire(timer) })"
      ),
      (
        "let a = Timer(timeInterval: 1, target: self, selector: #selector(self.fire), userInfo: nil, repeats: b)",
        "let a = Timer(timeInterval: 1, repeats: b, block: { timer in self.fire(timer) })"
      ),
      (
        "let a = Timer(fireAt: now, interval: 1, target: self, selector: #selector(Self.twice(_:)), userInfo: nil, repeats: b)",
        "let a = Timer(fire: now, interval: 1, repeats: b, block: { timer in self.twice(timer) })"
      ),
      (
        "queue.async { [self] in Timer.scheduledTimer(timeInterval: 1, target: self, selector: #selector(tick), userInfo: nil, repeats: true) }",
        "queue.async { [self] in Timer.scheduledTimer(withTimeInterval: 1, repeats: true, block: { _ in self.tick() }) }"
      ),
    ]) func timers(before: String, after: String) throws
  {
    try expectPort(lamp(before), lamp(after))
  }

  @Test("A timer over several lines keeps them") func lines() throws {
    try expectPort(
      lamp(
        "Timer.scheduledTimer(\n      timeInterval: 1, // a second\n      target: self,\n      selector: #selector(tick),\n      userInfo: nil,\n      repeats: true\n    )"
      ),
      lamp(
        "Timer.scheduledTimer(\n      withTimeInterval: 1, // a second\n      repeats: true, block: { _ in self.tick() }\n    )"
      ))
  }

  @Test(
    "Timers that a block could not serve stay, with the reason",
    arguments: [
      ("target: other, selector: #selector(tick), userInfo: nil", "its target"),
      ("target: self, selector: #selector(missing), userInfo: nil", "one method of this type"),
      ("target: self, selector: #selector(twice), userInfo: nil", "one method of this type"),
      ("target: self, selector: #selector(Other.tick), userInfo: nil", "one method of this type"),
      ("target: self, selector: #selector(shared), userInfo: nil", "one method of this type"),
      ("target: self, selector: #selector(later), userInfo: nil", "one method of this type"),
      ("target: self, selector: #selector(getter: tick), userInfo: nil", "one method of this type"),
      ("target: self, selector: #selector(number(_:)), userInfo: nil", "takes something else"),
      ("target: self, selector: #selector(tick), userInfo: 3", "no userInfo"),
      ("target: self, /* me */ selector: #selector(tick), userInfo: nil", "a comment"),
    ]) func refusedTimers(arguments: String, reason: String) throws
  {
    try expectUnchanged(lamp("Timer.scheduledTimer(timeInterval: 1, \(arguments), repeats: true)"), reason)
  }

  @Test("A timer where `self` is weak, no instance, or bound to the main actor stays") func contexts() throws {
    let timer =
      "Timer.scheduledTimer(timeInterval: 1, target: self, selector: #selector(tick), userInfo: nil, repeats: true)"
    try expectUnchanged(lamp("queue.async { [weak self] in \(timer) }"), "captured weakly")
    try expectUnchanged(lamp(timer, modifiers: "@MainActor "), "main actor")
    try expectUnchanged(lamp("", "static func a() { \(timer) }"), "its target")
    try expectUnchanged(lamp("", "var a = \(timer)"), "its target")
    try expectUnchanged(lamp("", "deinit { \(timer) }"), "its target")
    try expectUnchanged(
      "func tick() {}\n\(timer)", "2: #selector needs Objective-C: give the timer a block (its target")
    try expectPort(
      lamp("", "lazy var a = \(timer)"),
      lamp("", "lazy var a = Timer.scheduledTimer(withTimeInterval: 1, repeats: true, block: { _ in self.tick() })"))
  }

  @Test("Methods of the type are found in its extensions and in other files, and not in those of other types")
  func extensions() throws {
    let timer =
      "Timer.scheduledTimer(timeInterval: 1, target: self, selector: #selector(tick), userInfo: nil, repeats: true)"
    let ported = "Timer.scheduledTimer(withTimeInterval: 1, repeats: true, block: { _ in self.tick() })"
    try expectPort(
      "extension A.B { func a() { \(timer) } }", "extension A.B { func a() { \(ported) } }",
      beside: "class A { class B { func tick() {} } }")
    try expectUnchanged("class A { func a() { \(timer) } }", "one method", beside: "class B { func tick() {} }")
    try expectUnchanged(
      "class A { func a() { \(timer) } }", "one method", beside: "#if os(iOS)\nextension A { func tick() {} }\n#endif")
  }

  @Test("Observers get blocks that do not hold them") func observers() throws {
    try expectPort(
      lamp(
        """
        NotificationCenter.default.addObserver(self, selector: #selector(on(note:)), name: .lampDidStart, object: nil)
            NotificationCenter.default.addObserver(
              self, selector: #selector(object), name: Notification.Name("a"), object: lamp)
            center.addObserver(self, selector: #selector(tick), name: nil, object: nil) // all
        """),
      lamp(
        """
        _ = NotificationCenter.default.addObserver(forName: .lampDidStart, object: nil, queue: nil, using: { [weak self] notification in _ = self?.on(note: notification) })
            _ = NotificationCenter.default.addObserver(
              forName: Notification.Name("a"), object: lamp, queue: nil, using: { [weak self] notification in self?.object(notification as NSNotification) })
            _ = center.addObserver(forName: nil, object: nil, queue: nil, using: { [weak self] _ in self?.tick() }) // all
        """))
  }

  @Test("An observer that is removed before its end keeps its selector") func removedObservers() throws {
    let observed = "NotificationCenter.default.addObserver(self, selector: #selector(tick), name: nil, object: nil)"
    try expectUnchanged(
      lamp(observed, "func stop() { NotificationCenter.default.removeObserver(self) }"),
      "keep what `addObserver` returns")
    try expectUnchanged(
      lamp(observed), "keep what `addObserver` returns",
      beside: "extension Lamp { func stop() { center.removeObserver(self, name: nil, object: nil) } }")
    try expectPort(
      lamp(observed, "deinit { NotificationCenter.default.removeObserver(self) }"),
      lamp(
        "_ = NotificationCenter.default.addObserver(forName: nil, object: nil, queue: nil, using: { [weak self] _ in self?.tick() })",
        "deinit { NotificationCenter.default.removeObserver(self) }"))
  }

  @Test(
    "Observers that a block could not serve stay",
    arguments: [
      (
        "NotificationCenter.default.addObserver(other, selector: #selector(tick), name: nil, object: nil)", "its target"
      ),
      (
        "NotificationCenter.default.addObserver(self, selector: #selector(fire), name: nil, object: nil)",
        "takes something else"
      ),
      (
        "NSWorkspace.shared.notificationCenter.addObserver(self, selector: #selector(tick), name: nil, object: nil)",
        "with a block"
      ),
      ("let a = center.addObserver(self, selector: #selector(tick), name: nil, object: nil)", "with a block"),
      ("center.addObserver(self, /* a */ selector: #selector(tick), name: nil, object: nil)", "a comment"),
    ]) func refusedObservers(body: String, reason: String) throws
  {
    try expectUnchanged(lamp(body), reason)
  }

  @Test(
    "Other selectors stay, each with a remark",
    arguments: [
      "perform(#selector(tick), with: nil, afterDelay: 1)",
      "if other.responds(to: #selector(tick)) {}",
      "let a = #selector(tick)",
      "CADisplayLink(target: self, selector: #selector(tick))",
    ]) func otherSelectors(body: String) throws
  {
    try expectUnchanged(lamp(body), "3: #selector needs Objective-C")
  }

  @Test("Calls of Objective-C's runtime and key-value observing are named") func runtime() throws {
    try expectUnchanged(
      """
      objc_setAssociatedObject(self, &key, 1, .OBJC_ASSOCIATION_RETAIN)
      objc_sync_enter(self)
      let a = NSSelectorFromString("a")
      b.observe(\\.c, options: [.new]) { _, _ in }
      b.addObserver(self, forKeyPath: "c", options: [], context: nil)
      b.observe("c") { }
      b.addObserver(c, name: "d")
      class D { override func observeValue(forKeyPath a: String?, of b: Any?) {} }
      """, "1: `objc_setAssociatedObject`", "2: `objc_sync_enter` needs Objective-C: use a lock",
      "3: `NSSelectorFromString`",
      "4: of Foundation's key-value", "5: key-value observing", "8: key-value observing")
  }
}
