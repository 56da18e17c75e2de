internal import Foundation

/// A property of a certificate: one dictionary of `SecCertificateCopyValues`, or an element of a section in one.
struct CertificateProperty {
  /// The value and its type.
  enum Value {
    case text(String)
    case data([UInt8])
    /// Seconds since 2001-01-01 00:00:00 UTC.
    case date(Double)
    case number(NSNumber)
    case url(URL)
    case texts([String])
    case datas([[UInt8]])
    case section([CertificateProperty])
  }

  /// The name; nil for a section without one.
  let label: String?
  let value: Value

  /// The property as a dictionary. As in Apple's, both labels are the same, and one without a label has none of them.
  var dictionary: NSDictionary {
    var entries = DictionaryEntries(capacity: 4)
    entries.set(kSecPropertyKeyType, value.type)
    entries.set(kSecPropertyKeyValue, value.object)
    if let label {
      entries.set(kSecPropertyKeyLabel, label as NSString)
      entries.set(kSecPropertyKeyLocalizedLabel, label as NSString)
    }
    return entries.dictionary
  }
}

extension CertificateProperty.Value {
  /// The `kSecPropertyType…`.
  fileprivate var type: NSString {
    switch self {
    case .text: kSecPropertyTypeString
    case .data: kSecPropertyTypeData
    case .date: kSecPropertyTypeDate
    case .number: kSecPropertyTypeNumber
    case .url: kSecPropertyTypeURL
    case .texts, .datas: kSecPropertyTypeArray
    case .section: kSecPropertyTypeSection
    }
  }

  fileprivate var object: AnyObject {
    switch self {
    case .text(let text): text as NSString
    case .data(let bytes): bytes.object
    case .date(let seconds): NSDate(timeIntervalSinceReferenceDate: seconds)
    case .number(let number): number
    case .url(let url): url as NSURL
    case .texts(let texts): texts as NSArray
    case .datas(let datas): datas.map(\.object) as NSArray
    case .section(let properties): properties.map(\.dictionary) as NSArray
    }
  }
}

/// Collects properties. All writers of a certificate share a limit: a certificate of 256 KiB could have so many that their
/// dictionaries would take hundreds of megabytes.
struct CertificatePropertyWriter {
  /// The remaining number of properties of a certificate.
  final class Budget {
    fileprivate(set) var left: Int
    /// Whether properties were dropped.
    fileprivate(set) var isExceeded = false

    init(_ left: Int) { self.left = left }
  }

  /// The maximum number of properties of a certificate, those in sections included.
  static let most = 16_384

  let budget: Budget
  private(set) var properties: [CertificateProperty] = []

  init(_ budget: Budget) { self.budget = budget }

  /// Adds a property, unless the limit is reached.
  mutating func add(_ label: String?, _ value: CertificateProperty.Value) {
    guard budget.left > 0 else {
      budget.isExceeded = true
      return
    }
    budget.left -= 1
    properties.append(CertificateProperty(label: label, value: value))
  }

  mutating func text(_ label: String, _ text: String) { add(label, .text(text)) }

  mutating func data(_ label: String, _ bytes: some Collection<UInt8>) { add(label, .data(Array(bytes))) }

  /// Adds a truth value as Apple spells it.
  mutating func flag(_ label: String, _ flag: Bool) { text(label, flag ? "Yes" : "No") }

  /// Adds a section of what `body` writes.
  mutating func section(_ label: String?, _ body: (inout CertificatePropertyWriter) -> Void) {
    var inner = CertificatePropertyWriter(budget)
    body(&inner)
    add(label, .section(inner.properties))
  }

  /// Adds bytes that are not what they should be.
  mutating func invalid(_ label: String, _ bytes: some Collection<UInt8>) { data("Invalid \(label)", bytes) }

  /// Adds bytes whose form is not known.
  mutating func unparsed(_ label: String, _ bytes: some Collection<UInt8>) { data("Unparsed \(label)", bytes) }
}
