import LatchkeyKeychainModel
import Testing

@Suite("Entitlements") struct EntitlementsTests {
  @Test("The access groups come first, in their order, and then the application identifier") func order() {
    let entitlements = Entitlements(applicationIdentifier: "T.app", keychainAccessGroups: ["T.b", "T.a"])
    #expect(entitlements.accessGroups == ["T.b", "T.a", "T.app"])
    #expect(entitlements.groupOfNewItems == "T.b")
    #expect(Entitlements(applicationIdentifier: "T.app", keychainAccessGroups: []).groupOfNewItems == "T.app")
  }

  @Test("A group that is named twice counts once, at its first place") func repeated() {
    let entitlements = Entitlements(applicationIdentifier: "T.b", keychainAccessGroups: ["T.a", "T.b", "T.a"])
    #expect(entitlements.accessGroups == ["T.a", "T.b"])
  }

  @Test("A program that states no group has none: no item is its to see, and it can add none") func nothing() {
    let entitlements = Entitlements(applicationIdentifier: nil, keychainAccessGroups: [])
    #expect(entitlements.accessGroups.isEmpty)
    #expect(entitlements.groupOfNewItems == nil)
    #expect(!entitlements.coverEverything)
    for group in ["", "*", "default", "T.app", Entitlements.tokenGroup] { #expect(!entitlements.include(group)) }
  }

  @Test("A program without entitlements has the default group alone") func withoutEntitlements() {
    #expect(Entitlements.none.accessGroups == ["default"])
    #expect(Entitlements.none.groupOfNewItems == "default")
    #expect(Entitlements.none.include("default"))
    #expect(!Entitlements.none.include("T.app"))
    #expect(!Entitlements.none.include(Entitlements.tokenGroup))
    #expect(!Entitlements.none.coverEverything)
  }

  @Test(
    "A group that only resembles one of the program's is not the program's",
    arguments: [
      "", " ", "T", "T.", "T.ap", "T.app.", "T.apps", "T.app.more", "t.app", "T.APP", " T.app", "T.app ", "T.app\n",
      "T.app\0", "T.app\0more", "\u{FEFF}T.app", "Т.app", "T․app", "T.app,T.app", "T.?pp", "T.*", "*.app", "**", "*",
      "%", "T.app' OR '1'='1", "../T.app",
    ])
  func resemblance(_ group: String) {
    let entitlements = Entitlements(applicationIdentifier: "T.app", keychainAccessGroups: ["T.shared"])
    #expect(entitlements.include("T.app"))
    #expect(!entitlements.include(group))
  }

  @Test(
    "No text but a single asterisk opens other groups",
    arguments: ["**", "* ", " *", "*\0", "T.*", "*.*", ".*", "%", "∗", "＊", "*\u{301}", "all", ""])
  func wildcards(_ group: String) {
    let entitlements = Entitlements(accessGroups: [group])
    #expect(!entitlements.coverEverything)
    #expect(!entitlements.include("T.app"))
    #expect(!entitlements.include("*"))
    #expect(entitlements.groupOfNewItems == group)
  }

  @Test("An asterisk opens every group, wherever it stands") func everything() {
    for groups in [["*"], ["T.a", "*"], ["*", "T.a"]] {
      let entitlements = Entitlements(accessGroups: groups)
      #expect(entitlements.coverEverything)
      for group in ["T.a", "T.b", "", "default", Entitlements.tokenGroup] { #expect(entitlements.include(group)) }
    }
  }

  @Test("New items never go to a group called *") func newItems() {
    #expect(Entitlements(accessGroups: ["*"]).groupOfNewItems == "default")
    #expect(Entitlements(accessGroups: ["*", "*"]).groupOfNewItems == "default")
    #expect(Entitlements(accessGroups: ["*", "T.a"]).groupOfNewItems == "T.a")
    #expect(Entitlements(applicationIdentifier: "*", keychainAccessGroups: []).groupOfNewItems == "default")
  }

  @Test("Entitlements to the same groups in another order are others") func equality() {
    #expect(Entitlements(accessGroups: ["a", "b"]) != Entitlements(accessGroups: ["b", "a"]))
    #expect(Entitlements(accessGroups: ["a"]) == Entitlements(applicationIdentifier: "a", keychainAccessGroups: []))
  }

  @Test("Groups that differ in their normalization alone are different groups") func normalization() {
    let (composed, decomposed) = ("T.caf\u{E9}", "T.cafe\u{301}")
    #expect(!Entitlements(accessGroups: [composed]).include(decomposed))
    #expect(Entitlements(accessGroups: [composed]).include(composed))
    #expect(Entitlements(accessGroups: [composed]) != Entitlements(accessGroups: [decomposed]))
    let both = Entitlements(applicationIdentifier: decomposed, keychainAccessGroups: [composed])
    #expect(both.accessGroups.map { Array($0.utf8) } == [Array(composed.utf8), Array(decomposed.utf8)])
    #expect(Set([Entitlements(accessGroups: [composed]), Entitlements(accessGroups: [composed])]).count == 1)
  }
}
