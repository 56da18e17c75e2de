import LatchkeyKeychainModel
import Testing

@Suite("AccessControl") struct AccessControlTests {
  private typealias Flags = AccessControl.Flags

  /// `SecAccessControl.h`.
  private static let bits: [(flag: AccessControl.Flags, bit: UInt)] = [
    (.userPresence, 0), (.biometryAny, 1), (.biometryCurrentSet, 3), (.devicePasscode, 4), (.companion, 5), (.or, 14),
    (.and, 15), (.privateKeyUsage, 30), (.applicationPassword, 31),
  ]

  @Test("Each flag has the bit of Apple's SecAccessControlCreateFlags") func bits() {
    for (flag, bit) in Self.bits { #expect(flag.rawValue == 1 << bit, "bit \(bit)") }
    #expect(Flags.all.rawValue == 0xC000_C03B)
  }

  @Test("Every bit that is no flag of Apple's is refused, alone and beside a flag") func unknownBits() {
    for bit in 0..<UInt(UInt.bitWidth) where !Self.bits.contains(where: { $0.bit == bit }) {
      let unknown = Flags(rawValue: 1 << bit)
      #expect(!unknown.isConsistent, "bit \(bit)")
      #expect(!unknown.union(.devicePasscode).isConsistent, "bit \(bit)")
    }
    #expect(!Flags(rawValue: .max).isConsistent)
  }

  @Test("Each flag alone is consistent, and so are none") func single() {
    #expect(Flags().isConsistent)
    for (flag, bit) in Self.bits { #expect(flag.isConsistent, "bit \(bit)") }
  }

  @Test("Either constraint and both constraints exclude each other") func orAnd() {
    #expect(!Flags([.or, .and]).isConsistent)
    #expect(!Flags([.or, .and, .biometryAny, .devicePasscode]).isConsistent)
    #expect(Flags([.or, .biometryAny, .devicePasscode]).isConsistent)
    #expect(Flags([.and, .biometryAny, .devicePasscode]).isConsistent)
  }

  @Test("Any biometry and the current biometry exclude each other") func biometries() {
    #expect(!Flags([.biometryAny, .biometryCurrentSet]).isConsistent)
    #expect(!Flags([.biometryAny, .biometryCurrentSet, .or]).isConsistent)
    #expect(!Flags([.biometryAny, .biometryCurrentSet, .and, .privateKeyUsage]).isConsistent)
  }

  @Test("User presence stands beside an application password and private key usage, and beside no other flag")
  func userPresence() {
    for (flag, bit) in Self.bits where flag != .userPresence {
      let isAllowed = flag == .applicationPassword || flag == .privateKeyUsage
      #expect(Flags([.userPresence, flag]).isConsistent == isAllowed, "bit \(bit)")
    }
    #expect(Flags([.userPresence, .applicationPassword, .privateKeyUsage]).isConsistent)
  }

  @Test("Of the 512 combinations of flags exactly those are refused that a rule excludes") func combinations() {
    var accepted = 0
    for number in 0..<512 {
      let flags = Self.bits.enumerated().reduce(into: Flags()) { flags, entry in
        if number & 1 << entry.offset != 0 { flags.insert(entry.element.flag) }
      }
      let hasBoth = flags.isSuperset(of: [.or, .and]) || flags.isSuperset(of: [.biometryAny, .biometryCurrentSet])
      let others: Flags = [.biometryAny, .biometryCurrentSet, .devicePasscode, .companion, .or, .and]
      let isCrowded = flags.contains(.userPresence) && !flags.isDisjoint(with: others)
      #expect(flags.isConsistent == !(hasBoth || isCrowded), "\(flags)")
      if flags.isConsistent { accepted += 1 }
    }
    // Without user presence: 3 (or, and) times 3 (biometries) times 16; with it: 4.
    #expect(accepted == 148)
  }

  @Test(
    "Each constraint makes an item constrained",
    arguments: [
      AccessControl.Flags.userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .companion,
      .applicationPassword,
    ])
  func constraints(_ flag: AccessControl.Flags) {
    for protection in Accessibility.allCases {
      #expect(AccessControl(protection: protection, flags: flag).isConstrained)
      #expect(AccessControl(protection: protection, flags: [flag, .privateKeyUsage]).isConstrained)
    }
  }

  @Test("Conjunctions, private key usage and a protection class are no constraints") func unconstrained() {
    for protection in Accessibility.allCases {
      #expect(!AccessControl(protection: protection).isConstrained)
      for flags: Flags in [.or, .and, .privateKeyUsage, [.or, .privateKeyUsage]] {
        let control = AccessControl(protection: protection, flags: flags)
        #expect(!control.isConstrained && !control.asksForUser)
      }
    }
  }

  @Test("The user is asked for biometry and the passcode, not for a companion nor an application password")
  func asksForUser() {
    for (flag, bit) in Self.bits {
      let expected = [0, 1, 3, 4].contains(bit)
      #expect(AccessControl(protection: .whenUnlocked, flags: flag).asksForUser == expected, "bit \(bit)")
    }
    #expect(!AccessControl(protection: .whenUnlocked, flags: [.companion, .applicationPassword]).asksForUser)
    #expect(AccessControl(protection: .whenUnlocked, flags: [.companion, .devicePasscode]).asksForUser)
  }

  @Test("Access controls differ by their protection and by each flag") func equality() {
    let control = AccessControl(protection: .whenUnlocked, flags: [.biometryAny, .privateKeyUsage])
    #expect(control == AccessControl(protection: .whenUnlocked, flags: [.privateKeyUsage, .biometryAny]))
    for protection in Accessibility.allCases where protection != .whenUnlocked {
      #expect(control != AccessControl(protection: protection, flags: control.flags))
    }
    for (flag, bit) in Self.bits {
      let other = AccessControl(protection: .whenUnlocked, flags: control.flags.symmetricDifference(flag))
      #expect(control != other, "bit \(bit)")
    }
  }
}
