/// Names of numbers that the Bluetooth SIG assigns (Assigned Numbers, as of January 2026).
///
/// The tables were made from Nordic Semiconductor's Bluetooth Numbers Database, commit 5387e83; its license is in NOTICE. Services and
/// characteristics are those of the SIG's own specifications.
package enum AssignedNumbers {
  /// The name of a service; nil for a number that has none.
  package static func name(ofService number: UInt16) -> String? { services[number] }

  /// The name of a characteristic.
  package static func name(ofCharacteristic number: UInt16) -> String? { characteristics[number] }

  /// The name of a descriptor.
  package static func name(ofDescriptor number: UInt16) -> String? { descriptors[number] }

  /// The name of a company, by the first two bytes of its manufacturer's data, little-endian.
  package static func name(ofCompany number: UInt16) -> String? { companies[number] }

  /// The name of an appearance; for a subcategory without one that of its category, the upper ten bits.
  package static func name(ofAppearance value: UInt16) -> String? { appearances[value] ?? appearances[value & 0xFFC0] }

  /// The number of a service by its name. `Service` at its end does not count.
  package static func service(named name: String) throws(UnassignedName) -> UInt16 {
    do throws(UnassignedName) {
      return try services.number(named: name)
    } catch {
      guard let short = withoutKind(name, "service"), let number = try? services.number(named: short) else {
        throw error
      }
      return number
    }
  }

  /// The number of a characteristic by its name.
  package static func characteristic(named name: String) throws(UnassignedName) -> UInt16 {
    try characteristics.number(named: name)
  }

  /// The number of a descriptor by its name.
  package static func descriptor(named name: String) throws(UnassignedName) -> UInt16 {
    try descriptors.number(named: name)
  }

  /// All names of characteristics, for completion.
  package static var characteristicNames: [String] { characteristics.entries.map(\.name) }

  private static func withoutKind(_ name: String, _ kind: String) -> String? {
    name.lowercased().hasSuffix(kind) ? String(name.dropLast(kind.count)) : nil
  }

  static let services = NumberTable(NumberTable.serviceText)
  static let characteristics = NumberTable(NumberTable.characteristicText)
  static let descriptors = NumberTable(NumberTable.descriptorText)
  static let appearances = NumberTable(NumberTable.appearanceText)
  static let companies = NumberTable(NumberTable.firstCompanyText, NumberTable.secondCompanyText)
}
