import Foundation
import LatchkeyPropertyLists

/// `Codable` values as binary property lists, scalars included.
///
/// Foundation encodes property lists only from arrays and dictionaries, so values are wrapped in an array of one. The bounded
/// reader parses an item's data first, and Foundation receives only that reader's own encoding.
enum CodableValue {
  static func encode<Value: Encodable>(_ value: Value) throws(KeychainItemError) -> Data {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    guard let bytes = try? encoder.encode([value]), case .array(let list)? = try? PropertyList(binary: Array(bytes)),
      let first = list.first, let plain = try? first.binary()
    else { throw .notEncodable(type: String(describing: Value.self)) }
    return Data(plain)
  }

  static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws(KeychainItemError) -> Value {
    let list: PropertyList
    do throws(PropertyListError) {
      list = try PropertyList(parsing: Array(data))
    } catch {
      throw .unreadable(reason: "\(error)")
    }
    guard let wrapped = try? PropertyList.array([list]).binary(),
      let value = try? PropertyListDecoder().decode([Value].self, from: Data(wrapped)).first
    else { throw .notDecodable(type: String(describing: type)) }
    return value
  }
}
