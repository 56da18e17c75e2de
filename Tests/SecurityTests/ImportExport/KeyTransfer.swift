import Foundation
import Security

/// Calls of import and export, with what they answer.
enum KeyTransfer {
  /// Imports data.
  static func read(
    _ data: Data, passphrase: Any? = nil, format: SecExternalFormat = .formatUnknown,
    type: SecExternalItemType = .itemTypeUnknown, usage: [CFString]? = nil, attributes: [CFString]? = nil
  ) -> (status: OSStatus, items: [AnyObject]?, format: SecExternalFormat, type: SecExternalItemType) {
    var (format, type) = (format, type)
    var items: CFArray?
    let status = with(passphrase, usage, attributes) {
      SecItemImport(data as CFData, nil, &format, &type, [], $0, nil, &items)
    }
    return (status, items as? [AnyObject], format, type)
  }

  /// Exports an item, or an array of items.
  static func write(
    _ item: CFTypeRef, _ format: SecExternalFormat, pem: Bool = false, passphrase: Any? = nil
  ) -> (status: OSStatus, data: Data?) {
    var data: CFData?
    let status = with(passphrase, nil, nil) { SecItemExport(item, format, pem ? .pemArmour : [], $0, &data) }
    return (status, data as Data?)
  }

  private static func with(
    _ passphrase: Any?, _ usage: [CFString]?, _ attributes: [CFString]?,
    _ body: (UnsafePointer<SecItemImportExportKeyParameters>) -> OSStatus
  ) -> OSStatus {
    let (passphrase, usage, attributes) = (
      passphrase.map { $0 as AnyObject }, usage as NSArray?, attributes as NSArray?
    )
    return withExtendedLifetime((passphrase, usage, attributes)) {
      var parameters = SecItemImportExportKeyParameters()
      parameters.passphrase = passphrase.map { Unmanaged.passUnretained($0) }
      parameters.keyUsage = usage.map { Unmanaged.passUnretained($0) }
      parameters.keyAttributes = attributes.map { Unmanaged.passUnretained($0) }
      return body(&parameters)
    }
  }
}
