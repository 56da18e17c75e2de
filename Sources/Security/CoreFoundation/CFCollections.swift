// Arrays and dictionaries by Core Foundation's calls (Apple, Core Foundation, "CFArray", "CFDictionary"), with the signatures that
// Apple's Swift has. What their pointers point to are objects, always: a collection here keeps them and compares keys by content,
// whatever callbacks it is given, and none at all.

public import Foundation

/// How an array treats its values. It keeps them here, whatever this says.
public struct CFArrayCallBacks: Sendable {
  /// The version of this structure.
  public var version: CFIndex = 0

  /// Callbacks that say nothing.
  public init() {}
}

/// How a dictionary treats its keys. It keeps them here, and compares them by content, whatever this says.
public struct CFDictionaryKeyCallBacks: Sendable {
  /// The version of this structure.
  public var version: CFIndex = 0

  /// Callbacks that say nothing.
  public init() {}
}

/// How a dictionary treats its values. It keeps them here, whatever this says.
public struct CFDictionaryValueCallBacks: Sendable {
  /// The version of this structure.
  public var version: CFIndex = 0

  /// Callbacks that say nothing.
  public init() {}
}

/// The callbacks of arrays of objects.
public let kCFTypeArrayCallBacks = CFArrayCallBacks()
/// The callbacks of dictionaries whose keys are objects.
public let kCFTypeDictionaryKeyCallBacks = CFDictionaryKeyCallBacks()
/// The callbacks of dictionaries whose values are objects.
public let kCFTypeDictionaryValueCallBacks = CFDictionaryValueCallBacks()

/// A new array of the first `numValues` objects that `values` points to.
///
/// - Returns: Nil for a negative number, and where a pointer is missing.
@discardableResult
public func CFArrayCreate(
  _ allocator: CFAllocator!, _ values: UnsafeMutablePointer<UnsafeRawPointer?>!, _ numValues: CFIndex,
  _ callBacks: UnsafePointer<CFArrayCallBacks>!
) -> CFArray! {
  objects(values, numValues).map { NSArray(array: $0) }
}

/// How many values an array has; 0 for nil.
@discardableResult
public func CFArrayGetCount(_ theArray: CFArray!) -> CFIndex { theArray?.count ?? 0 }

/// The value at a place of an array, which has to outlive the use of the pointer.
///
/// - Returns: Nil for a place that the array does not have, where Apple's ends the program or reads other memory.
@discardableResult
public func CFArrayGetValueAtIndex(_ theArray: CFArray!, _ idx: CFIndex) -> UnsafeRawPointer! {
  guard let theArray, idx >= 0, idx < theArray.count else { return nil }
  return LentObjects.pointer(to: theArray.object(at: idx), at: idx, of: theArray)
}

/// A new dictionary of the first `numValues` keys and values. Of equal keys the first one's value counts.
///
/// - Returns: Nil for a negative number, where a pointer is missing, and for a key that is not hashable.
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

/// How many values a dictionary has; 0 for nil.
@discardableResult
public func CFDictionaryGetCount(_ theDict: CFDictionary!) -> CFIndex { theDict?.count ?? 0 }

/// The value of a key, an object, in a dictionary, which has to outlive the use of the pointer; nil if there is none.
@discardableResult
public func CFDictionaryGetValue(_ theDict: CFDictionary!, _ key: UnsafeRawPointer!) -> UnsafeRawPointer! {
  guard let theDict, let key, let place = object(key) as? AnyHashable, let value = theDict.object(forKey: place) else {
    return nil
  }
  return LentObjects.pointer(to: value, at: place, of: theDict)
}

/// Does nothing: objects end with their last use. Apple's Swift refuses the call for that reason.
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
