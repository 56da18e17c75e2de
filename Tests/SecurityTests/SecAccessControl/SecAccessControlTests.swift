import Foundation
import Security
import Testing

nonisolated(unsafe) private let protections: [CFString] = [
  kSecAttrAccessibleWhenUnlocked, kSecAttrAccessibleAfterFirstUnlock, kSecAttrAccessibleAlways,
  kSecAttrAccessibleWhenUnlockedThisDeviceOnly, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
  kSecAttrAccessibleAlwaysThisDeviceOnly, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
]

/// The result of creating an access control of these: itself, or the code of the error.
private func create(
  _ protection: CFTypeRef = kSecAttrAccessibleWhenUnlocked, _ flags: SecAccessControlCreateFlags
) -> (SecAccessControl?, code: Int?) {
  var error: Unmanaged<CFError>?
  let control = SecAccessControlCreateWithFlags(kCFAllocatorDefault, protection, flags, &error)
  return (control, (error?.takeRetainedValue()).map { CFErrorGetCode($0) })
}

@Test("Row 61: flags 0 make an access control of every protection")
func row61Flags0MakeAnAccessControlOfEveryProtection() {
  for protection in protections {
    let (control, code) = create(protection, [])
    #expect(control != nil && code == nil, "\(protection)")
  }
}

@Test("Row 61: without a protection there is none") func row61WithoutAProtectionThereIsNone() {
  // Swift cannot pass nil here, on Apple's systems neither: these are what stands for it.
  for none in [kCFNull!, "" as CFString, "WhenUnlocked" as CFString, "f" as CFString, NSNumber(value: 1), NSObject()] {
    let (control, code) = create(none, [])
    #expect(control == nil && code == -50, "\(none)")
  }
}

@Test(
  "Row 61: flags that do not go together make none",
  arguments: [
    [.userPresence, .biometryAny], [.userPresence, .biometryCurrentSet], [.userPresence, .devicePasscode],
    [.userPresence, .companion], [.userPresence, .or], [.userPresence, .and], [.or, .and],
    [.biometryAny, .devicePasscode, .or, .and], [.biometryAny, .biometryCurrentSet],
    [.biometryAny, .biometryCurrentSet, .or], [.biometryAny, .biometryCurrentSet, .privateKeyUsage],
  ] as [SecAccessControlCreateFlags])
func row61FlagsThatDoNotGoTogetherMakeNone(flags: SecAccessControlCreateFlags) {
  let (control, code) = create(kSecAttrAccessibleWhenUnlocked, flags)
  #expect(control == nil && code == -50)
  #expect(SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, flags, nil) == nil)
}

@Test(
  "Row 61: all other flags make one, alone and combined",
  arguments: [
    .userPresence, [.userPresence, .applicationPassword], [.userPresence, .privateKeyUsage],
    [.userPresence, .applicationPassword, .privateKeyUsage], [.biometryAny, .devicePasscode, .or],
    [.biometryAny, .devicePasscode, .and], [.biometryCurrentSet, .devicePasscode, .or],
    [.biometryAny, .devicePasscode],
    [.biometryAny, .companion, .or], [.devicePasscode, .companion, .applicationPassword, .and], .or, .and,
    .privateKeyUsage, .applicationPassword, [.biometryCurrentSet, .privateKeyUsage],
  ] as [SecAccessControlCreateFlags])
func row61AllOtherFlagsMakeOneAloneAndCombined(flags: SecAccessControlCreateFlags) {
  let (control, code) = create(kSecAttrAccessibleWhenUnlockedThisDeviceOnly, flags)
  #expect(control != nil && code == nil)
}

@Test("The error says what to do, and the caller releases it") func theErrorSaysWhatToDoAndIsTheCallersToRelease()
  throws
{
  var error: Unmanaged<CFError>?
  let control = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, [.or, .and], &error)
  #expect(control == nil)
  let taken = try #require(error).takeRetainedValue() as any Error
  #expect((taken as NSError).domain == NSOSStatusErrorDomain)
  #expect(taken.localizedDescription.contains(".or"))
}

@Test("Access controls are equal when their protection and flags are")
func accessControlsAreEqualWhenTheirProtectionAndFlagsAre() {
  let (a, _) = create(kSecAttrAccessibleWhenUnlocked, .userPresence)
  let (b, _) = create(kSecAttrAccessibleWhenUnlocked, .userPresence)
  let (c, _) = create(kSecAttrAccessibleAfterFirstUnlock, .userPresence)
  let (d, _) = create(kSecAttrAccessibleWhenUnlocked, .devicePasscode)
  #expect(a == b && a !== b && a != c && a != d)
  #expect(CFEqual(a, b) && !CFEqual(a, c) && CFHash(a) == CFHash(b))
  #expect(CFGetTypeID(a) == SecAccessControlGetTypeID())
}

@Test("Flags have Apple's bits") func flagsHaveApplesBits() {
  let bits: [(SecAccessControlCreateFlags, UInt)] = [
    (.userPresence, 1), (.biometryAny, 2), (.biometryCurrentSet, 8), (.devicePasscode, 16), (.companion, 32),
    (.or, 0x4000), (.and, 0x8000), (.privateKeyUsage, 0x4000_0000), (.applicationPassword, 0x8000_0000),
  ]
  for (flag, bit) in bits { #expect(flag.rawValue == bit) }
  #expect(SecAccessControlCreateFlags(rawValue: CFOptionFlags(2)) == .biometryAny)
}
