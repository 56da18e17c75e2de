public import Foundation

/// The status of a call: 0 is success, any other value an error (Apple, MacTypes.h).
public typealias OSStatus = Int32

/// No error: ``errSecSuccess`` under its oldest name.
public let noErr: OSStatus = 0

/// The message of `status`, in English; nil for an unknown number (Apple, SecBase.h).
///
/// Pass nil for `reserved`. The texts differ from Apple's: show them, do not compare them.
@discardableResult
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
  ErrorMessage.text(for: status).map { $0 as NSString }
}

/// The messages of `OSStatus` codes. Each group's texts are in the file of its codes.
enum ErrorMessage {
  /// The text for `status`; nil for an unknown one.
  static func text(for status: OSStatus) -> String? { all[status] }

  private static let all: [OSStatus: String] = {
    var all: [OSStatus: String] = [:]
    for group in [ofKeychain, ofCertificates, ofServices, ofCryptography] { all.merge(group) { first, _ in first } }
    return all
  }()
}
