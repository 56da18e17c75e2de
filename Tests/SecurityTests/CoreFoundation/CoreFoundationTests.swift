import Foundation
import Security
import Testing

@Test("A key in an AnyHashable equals the string of the same text") func aKeyInAnAnyHashableIsTheStringOfTheSameText() {
  #expect(AnyHashable(kSecClass) == AnyHashable("class"))
  #expect(AnyHashable("class") == AnyHashable(kSecClass))
  #expect(AnyHashable(kSecClass).hashValue == AnyHashable("class").hashValue)
  #expect(AnyHashable(kSecClass) != AnyHashable(kSecAttrAccount))
  #expect(AnyHashable(NSMutableString(string: "class")) == AnyHashable("class"))
  let query: [AnyHashable: Any] = [kSecClass: kSecClassKey, "acct": "a"]
  #expect(query["class"] as? NSString == kSecClassKey)
  #expect(query[kSecAttrAccount] as? String == "a")
  #expect(query.count == 2)
}

@Test("Type identifiers distinguish the classes") func typeIdentifiersDistinguishTheClasses() throws {
  let certificateID = SecCertificateGetTypeID()
  let objects: [(CFTypeRef, CFTypeID)] = [
    ("a" as NSString, CFStringGetTypeID()), (NSMutableString(string: "a"), CFStringGetTypeID()),
    (kCFBooleanTrue, CFBooleanGetTypeID()), (kCFBooleanFalse, CFBooleanGetTypeID()),
    (true as NSNumber, CFBooleanGetTypeID()), (NSNumber(value: 1), CFNumberGetTypeID()),
    (NSNumber(value: Int8(1)), CFNumberGetTypeID()), (NSNumber(value: 1.5), CFNumberGetTypeID()),
    (["a": 1] as NSDictionary, CFDictionaryGetTypeID()), (NSMutableDictionary(), CFDictionaryGetTypeID()),
    ([1] as NSArray, CFArrayGetTypeID()), (Data([1]) as NSData, CFDataGetTypeID()),
    (Date() as NSDate, CFDateGetTypeID()), (NSSet(object: "a"), CFSetGetTypeID()),
    (NSError(domain: "a", code: 1), CFErrorGetTypeID()), (NSNull(), CFNullGetTypeID()),
  ]
  for (object, identifier) in objects { #expect(CFGetTypeID(object) == identifier, "\(object)") }
  #expect(Set(objects.map(\.1) + [certificateID, SecAccessControlGetTypeID()]).count == 12)
  #expect(CFGetTypeID(nil) == 0)
  #expect(CFGetTypeID(NSObject()) == 0)
}

@Test("A boolean in a dictionary stays a boolean") func aBooleanInADictionaryStaysABoolean() {
  let query = [kSecReturnData: kCFBooleanTrue as Any, kSecAttrPort: 1] as [CFString: Any] as CFDictionary
  #expect(CFGetTypeID(query.object(forKey: kSecReturnData) as AnyObject) == CFBooleanGetTypeID())
  #expect(CFGetTypeID(query.object(forKey: kSecAttrPort) as AnyObject) == CFNumberGetTypeID())
  #expect(query[kSecReturnData] as? Bool == true)
}

@Test("Equality is by content") func equalityIsByContent() {
  #expect(CFEqual("a" as NSString, NSMutableString(string: "a")))
  #expect(CFEqual(Data([1]) as NSData, NSData(data: Data([1]))))
  #expect(!CFEqual("a" as NSString, "b" as NSString))
  #expect(!CFEqual("a" as NSString, Data("a".utf8) as NSData))
  #expect(!CFEqual("a" as NSString, nil) && CFEqual(nil, nil))
  #expect(CFHash("a" as NSString) == CFHash(NSMutableString(string: "a")))
}

@Test("An error answers Core Foundation's questions") func anErrorAnswersCoreFoundationsQuestions() {
  let information = [kCFErrorLocalizedDescriptionKey as String: "what", NSLocalizedFailureReasonErrorKey: "why"]
  let error = CFErrorCreate(kCFAllocatorDefault, kCFErrorDomainOSStatus, Int(errSecParam), information as CFDictionary)
  #expect(CFErrorGetCode(error) == -50)
  #expect(CFErrorGetDomain(error) as String == NSOSStatusErrorDomain)
  #expect(CFErrorCopyDescription(error) as String == "what")
  #expect(CFErrorCopyFailureReason(error) as String == "why")
  #expect(CFErrorCopyRecoverySuggestion(error) == nil)
  #expect(CFErrorCopyUserInfo(error).count == 2)
  #expect(error! as any Error as NSError == error)
}
