import Foundation
import Testing

@testable import Security

private func pointer(_ object: AnyObject) -> UnsafeRawPointer {
  UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
}

private func object(_ pointer: UnsafeRawPointer?) -> AnyObject? {
  pointer.map { Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() }
}

@Test("A dictionary of pointers is one of objects") func aDictionaryOfPointersIsOneOfObjects() throws {
  let (name, other) = ("a text of one's own" as NSString, NSObject())
  var keys: [UnsafeRawPointer?] = [pointer(kSecImportExportPassphrase), pointer(kSecAttrAccount)]
  var values: [UnsafeRawPointer?] = [pointer(name), pointer(other)]
  for (keyCalls, valueCalls) in [
    (nil, nil), (kCFTypeDictionaryKeyCallBacks, kCFTypeDictionaryValueCallBacks),
  ] as [(CFDictionaryKeyCallBacks?, CFDictionaryValueCallBacks?)] {
    var made: CFDictionary?
    if var keyCalls, var valueCalls {
      made = CFDictionaryCreate(kCFAllocatorDefault, &keys, &values, 2, &keyCalls, &valueCalls)
    } else {
      made = CFDictionaryCreate(nil, &keys, &values, 2, nil, nil)
    }
    let dictionary = try #require(made)
    #expect(CFDictionaryGetCount(dictionary) == 2)
    #expect(dictionary.object(forKey: kSecImportExportPassphrase) as? String == "a text of one's own")
    #expect(object(CFDictionaryGetValue(dictionary, pointer(kSecImportExportPassphrase))) as? NSString == name)
    #expect(object(CFDictionaryGetValue(dictionary, pointer(kSecAttrAccount))) === other)
    // By content, not by address.
    let copy = NSMutableString(string: kSecAttrAccount as String)
    #expect(object(CFDictionaryGetValue(dictionary, pointer(copy))) === other)
    #expect(CFDictionaryGetValue(dictionary, pointer(kSecAttrService)) == nil)
    withExtendedLifetime((dictionary, name, other, copy)) {}
  }
}

@Test("Of equal keys the value of the first one counts") func ofEqualKeysTheFirstOnesValueCounts() throws {
  let (key, again) = (NSMutableString(string: "key"), NSMutableString(string: "key"))
  let (first, second) = ("first" as NSString, "second" as NSString)
  var keys: [UnsafeRawPointer?] = [pointer(key), pointer(again)]
  var values: [UnsafeRawPointer?] = [pointer(first), pointer(second)]
  let dictionary = try #require(CFDictionaryCreate(nil, &keys, &values, 2, nil, nil))
  #expect(dictionary == ["key": "first"] as NSDictionary)
  withExtendedLifetime((key, again, first, second)) {}
}

@Test("An array of pointers is one of objects") func anArrayOfPointersIsOneOfObjects() throws {
  let first = NSObject()
  var values: [UnsafeRawPointer?] = [pointer(first), pointer(kSecClass), nil]
  var calls = kCFTypeArrayCallBacks
  let array = try #require(CFArrayCreate(kCFAllocatorDefault, &values, 2, &calls))
  #expect(CFArrayGetCount(array) == 2)
  #expect(object(CFArrayGetValueAtIndex(array, 0)) === first)
  #expect(object(CFArrayGetValueAtIndex(array, 1)) as? NSString == kSecClass)
  withExtendedLifetime((array, first)) {}
  let empty = try #require(CFArrayCreate(nil, nil, 0, nil))
  #expect(CFArrayGetCount(empty) == 0)
}

@Test("a place that an array does not have is nil", arguments: [-1, 1, 2, Int.min, Int.max])
func placesOutside(index: Int) throws {
  let array = ["a"] as NSArray
  #expect(CFArrayGetValueAtIndex(array, index) == nil)
  #expect(CFArrayGetValueAtIndex(NSArray(), index) == nil)
}

@Test("A value that is missing is nil") func whatIsMissingIsNil() throws {
  var pointers: [UnsafeRawPointer?] = [pointer(kSecClass), nil]
  var whole: [UnsafeRawPointer?] = [pointer(kSecClass), pointer(kSecAttrAccount)]
  #expect(CFArrayCreate(nil, &pointers, 2, nil) == nil)
  #expect(CFArrayCreate(nil, &pointers, -1, nil) == nil)
  #expect(CFArrayCreate(nil, nil, 1, nil) == nil)
  #expect(CFDictionaryCreate(nil, &pointers, &whole, 2, nil, nil) == nil)
  #expect(CFDictionaryCreate(nil, &whole, &pointers, 2, nil, nil) == nil)
  #expect(CFDictionaryCreate(nil, nil, &whole, 1, nil, nil) == nil)
  #expect(CFDictionaryCreate(nil, &whole, &pointers, -1, nil, nil) == nil)
  #expect(CFDictionaryCreate(nil, nil, nil, 0, nil, nil) == NSDictionary())
  #expect(CFArrayGetValueAtIndex(nil, 0) == nil && CFDictionaryGetValue(nil, pointer(kSecClass)) == nil)
  #expect(CFDictionaryGetValue(NSDictionary(), nil) == nil)
  #expect(CFArrayGetCount(nil) == 0 && CFDictionaryGetCount(nil) == 0)
  CFRelease(nil)
  // A key has to be comparable.
  final class Opaque {}
  let opaque = Opaque()
  var keys: [UnsafeRawPointer?] = [pointer(opaque)]
  #expect(CFDictionaryCreate(nil, &keys, &whole, 1, nil, nil) == nil)
  #expect(CFDictionaryGetValue(["a": 1] as NSDictionary, pointer(opaque)) == nil)
  withExtendedLifetime(opaque) {}
}

/// Foundation's collections make these objects anew each time that they are asked: the pointers hold them all the same.
@Test("A pointer is valid as long as its collection") func aPointerHoldsAsLongAsItsCollection() throws {
  let values: [Any] = [
    "a text that is too long for a tagged one", ["key": "value"], ["element"], Data(count: 64), true,
  ]
  let array = values as NSArray
  let pointers = values.indices.map { CFArrayGetValueAtIndex(array, $0) }
  // Others come and go meanwhile.
  for number in 0..<100 { _ = CFArrayGetValueAtIndex(["\(number)"] as NSArray, 0) }
  for (place, value) in values.enumerated() {
    #expect(CFArrayGetValueAtIndex(array, place) == pointers[place], "the same each time")
    #expect(CFEqual(object(pointers[place]), value as AnyObject))
  }
  withExtendedLifetime(array) {}
}

@Test("A position that was changed holds another object") func aChangedPlaceHasAnotherObject() {
  let array = NSMutableArray(array: ["before"])
  #expect(object(CFArrayGetValueAtIndex(array, 0)) as? NSString == "before")
  array.replaceObject(at: 0, with: "after")
  #expect(object(CFArrayGetValueAtIndex(array, 0)) as? NSString == "after")
  withExtendedLifetime(array) {}
}

@Test("Objects borrowed from collections are released with them") func whatWasLentOfCollectionsThatAreGoneIsGivenUp() {
  // All at once, since one that ends gives its address, and its loan, to the next.
  var arrays = (0..<2000).map { ["\($0)"] as NSArray }
  for array in arrays { _ = CFArrayGetValueAtIndex(array, 0) }
  #expect(LentObjects.count >= 2000)
  arrays = []
  // Loans are looked through after as many calls as there were loans.
  let another = ["another"] as NSArray
  for _ in 0..<10_000 { _ = CFArrayGetValueAtIndex(another, 0) }
  #expect(LentObjects.count < 1000)
}
