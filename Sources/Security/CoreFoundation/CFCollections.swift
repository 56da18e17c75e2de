// Core Foundation's functions for arrays and dictionaries (Apple, Core Foundation, "CFArray", "CFDictionary"), with the
// signatures of Apple's Swift overlay. Their pointers must point to objects: a collection retains its values and compares
// keys by content, and ignores its callbacks, which may be nil.

public import Foundation

/// The callbacks of an array. They are ignored: an array retains its values.
public struct CFArrayCallBacks: Sendable {
  /// The version of this structure.
  public var version: CFIndex = 0

  /// Creates empty callbacks.
  public init() {}
}

/// The callbacks of a dictionary's keys. They are ignored: a dictionary retains its keys, and compares them by content.
public struct CFDictionaryKeyCallBacks: Sendable {
  /// The version of this structure.
  public var version: CFIndex = 0

  /// Creates empty callbacks.
  public init() {}
}

/// The callbacks of a dictionary's values. They are ignored: a dictionary retains its values.
public struct CFDictionaryValueCallBacks: Sendable {
  /// The version of this structure.
  public var version: CFIndex = 0

  /// Creates empty callbacks.
  public init() {}
}

/// The callbacks of arrays of objects.
public let kCFTypeArrayCallBacks = CFArrayCallBacks()
/// The callbacks of dictionaries whose keys are objects.
public let kCFTypeDictionaryKeyCallBacks = CFDictionaryKeyCallBacks()
/// The callbacks of dictionaries whose values are objects.
public let kCFTypeDictionaryValueCallBacks = CFDictionaryValueCallBacks()

/// Creates an array of the first `numValues` objects that `values` points to.
///
/// - Returns: nil for a negative number, or if a pointer is nil.
@discardableResult
public func CFArrayCreate(
  _ allocator: CFAllocator!, _ values: UnsafeMutablePointer<UnsafeRawPointer?>!, _ numValues: CFIndex,
  _ callBacks: UnsafePointer<CFArrayCallBacks>!
) -> CFArray! {
  objects(values, numValues).map { NSArray(array: $0) }
}

/// The count of an array's values; 0 for nil.
@discardableResult
public func CFArrayGetCount(_ theArray: CFArray!) -> CFIndex { theArray?.count ?? 0 }

/// The value at an index of an array. The array must outlive the use of the pointer.
///
/// - Returns: nil for an index out of range, where Apple's function crashes or reads other memory.
@discardableResult
public func CFArrayGetValueAtIndex(_ theArray: CFArray!, _ idx: CFIndex) -> UnsafeRawPointer! {
  guard let theArray, idx >= 0, idx < theArray.count else { return nil }
  return LentObjects.pointer(to: theArray.object(at: idx), at: idx, of: theArray)
}

/// Creates a dictionary of the first `numValues` keys and values. If keys are equal, the first one's value is stored.
///
/// - Returns: nil for a negative number, if a pointer is nil, and for a key that is not hashable.
@discardableResult
public func CFDictionaryCreate(
  _ allocator: CFAllocator!, _ keys: UnsafeMutablePointer<UnsafeRawPointer?>!,
  _ values: UnsafeMutablePointer<UnsafeRawPointer?>!, _ numValues: CFIndex,
  _ keyCallBacks: UnsafePointer<CFDictionaryKeyCallBacks>!, _ valueCallBacks: UnsafePointer<CFDictionaryValueCallBacks>!
) -> CFDictionary! {
  guard let keys = objects(keys, numValues), let values = objects(values, numValues) else { return nil }
  var contents: [AnyHashable: Any] = [:]
  for (key, value) in zip(keys, values) {
    guard let key = key as? AnyHashable else { return nil }
    if contents[key] == nil { contents[key] = value }
  }
  return NSDictionary(dictionary: contents)
}

/// The count of a dictionary's values; 0 for nil.
@discardableResult
public func CFDictionaryGetCount(_ theDict: CFDictionary!) -> CFIndex { theDict?.count ?? 0 }

/// The value of a key, which is an object, in a dictionary; nil if there is none. The dictionary must outlive the use of
/// the pointer.
@discardableResult
public func CFDictionaryGetValue(_ theDict: CFDictionary!, _ key: UnsafeRawPointer!) -> UnsafeRawPointer! {
  guard let theDict, let key, let place = object(key) as? AnyHashable, let value = theDict.object(forKey: place) else {
    return nil
  }
  return LentObjects.pointer(to: value, at: place, of: theDict)
}

/// Does nothing, because Swift releases objects. Apple's Swift makes the function unavailable for that reason.
public func CFRelease(_ cf: CFTypeRef!) {}

private func object(_ pointer: UnsafeRawPointer) -> AnyObject {
  Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
}

private func objects(_ pointers: UnsafeMutablePointer<UnsafeRawPointer?>?, _ count: CFIndex) -> [AnyObject]? {
  guard count != 0 else { return [] }
  guard let pointers, count > 0 else { return nil }
  var objects: [AnyObject] = []
  for index in 0..<count {
    guard let pointer = pointers[index] else { return nil }
    objects.append(object(pointer))
  }
  return objects
}
