public import Foundation
import LatchkeyBluetoothHost

/// A UUID of 16, 32 or 128 bits.
///
/// UUIDs are equal if their 128-bit forms are: `180F` equals `0000180F-0000-1000-8000-00805F9B34FB`. Sendable,
/// unchecked: an instance never changes, and a subclass must preserve that.
open class CBUUID: NSObject, NSCopying, @unchecked Sendable {
  /// The engine's form of it.
  let bluetoothUUID: BluetoothUUID

  init(_ uuid: BluetoothUUID) {
    bluetoothUUID = uuid
    super.init()
  }

  /// A random 128-bit UUID.
  public convenience override init() {
    self.init(nsuuid: UUID())
  }

  /// The UUID of a text: 4 or 8 hexadecimal digits, or the 36 characters of a 128-bit UUID, in either case.
  ///
  /// Any other text is a programming error and ends the program, as on Apple's systems.
  public convenience init(string theString: String) {
    guard let uuid = BluetoothUUID(text: theString) else {
      preconditionFailure("String \(theString) does not represent a valid UUID")
    }
    self.init(uuid)
  }

  /// The UUID of 2, 4 or 16 bytes, most significant first.
  ///
  /// Any other length is a programming error and ends the program, as on Apple's systems.
  public convenience init(data theData: Data) {
    guard let uuid = BluetoothUUID(bigEndian: [UInt8](theData)) else {
      preconditionFailure("Data of \(theData.count) bytes does not represent a valid UUID")
    }
    self.init(uuid)
  }

  /// The 128-bit UUID of a Foundation one.
  public convenience init(nsuuid theUUID: UUID) {
    let bytes = withUnsafeBytes(of: theUUID.uuid) { Array($0) }
    self.init(data: Data(bytes))
  }

  /// The bytes, most significant first: 2 if the UUID has a 16-bit form, else 4 or 16 as it was created.
  open var data: Data { Data(canonical.bigEndianBytes) }

  /// The text in upper case: 4 digits if the UUID has a 16-bit form, else 8 or 36 characters as it was created.
  open var uuidString: String { canonical.description }

  /// The name that the Bluetooth SIG assigned, else `uuidString`.
  open override var description: String {
    bluetoothUUID.short.flatMap { AssignedNames.name(of: $0) } ?? uuidString
  }

  /// The UUID itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Equality of the 128-bit forms.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? CBUUID)?.bluetoothUUID == bluetoothUUID
  }

  /// A hash of the 128-bit form.
  open override var hash: Int { bluetoothUUID.hashValue }

  private var canonical: BluetoothUUID {
    bluetoothUUID.short.map { BluetoothUUID($0) } ?? bluetoothUUID
  }
}

extension BluetoothUUID {
  /// 4 or 8 hexadecimal digits, or 8-4-4-4-12; nil for anything else.
  init?(text: String) {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count)
    guard [[4], [8], [8, 4, 4, 4, 12]].contains(groups) else { return nil }
    let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
    guard digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else { return nil }
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { offset in
      UInt8(String(decoding: digits[offset..<offset + 2], as: UTF8.self), radix: 16)
    }
    self.init(bigEndian: bytes)
  }
}

/// The UUID of the Characteristic Extended Properties descriptor; its value is an `NSNumber`.
public let CBUUIDCharacteristicExtendedPropertiesString = "2900"

/// The UUID of the Characteristic User Description descriptor; its value is a `String`.
public let CBUUIDCharacteristicUserDescriptionString = "2901"

/// The UUID of the Client Characteristic Configuration descriptor; its value is an `NSNumber`.
public let CBUUIDClientCharacteristicConfigurationString = "2902"

/// The UUID of the Server Characteristic Configuration descriptor; its value is an `NSNumber`.
public let CBUUIDServerCharacteristicConfigurationString = "2903"

/// The UUID of the Characteristic Presentation Format descriptor; its value is a `Data`.
public let CBUUIDCharacteristicFormatString = "2904"

/// The UUID of the Characteristic Aggregate Format descriptor; its value is a `Data`.
public let CBUUIDCharacteristicAggregateFormatString = "2905"

/// The UUID of the Valid Range descriptor; its value is a `Data`.
public let CBUUIDCharacteristicValidRangeString = "2906"

/// The UUID of the Observation Schedule descriptor; its value is a `Data`.
public let CBUUIDCharacteristicObservationScheduleString = "2910"
