import Foundation

/// `[NSKeyedArchiver archivedDataWithRootObject:]`, which is gone.
func archivedData(withRootObject object: Any) -> Data {
  (try? NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)) ?? Data()
}

/// `[NSKeyedUnarchiver unarchiveObjectWithData:]`, which is gone: dictionaries, arrays, texts, numbers, dates and data here.
///
/// - Throws: where Apple's raises an exception: for nil, and for what is no archive.
func unarchiveObject(with data: Data?) throws -> Any? {
  guard let data else { throw CocoaError(.coderValueNotFound) }
  return try NSKeyedUnarchiver.unarchivedObject(
    ofClasses: [NSDictionary.self, NSArray.self, NSString.self, NSNumber.self, NSDate.self, NSData.self], from: data)
}
