public import Foundation

/// What `status` means, in English; nil for a number that means nothing (Apple, SecBase.h).
///
/// Pass nil for `reserved`. The texts are this module's own, not Apple's: show them, do not compare them.
@discardableResult
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
  ErrorMessage.text(for: status).map { $0 as NSString }
}

/// What the codes of `OSStatus` mean. Each group's texts stand beside its codes.
enum ErrorMessage {
  /// The text for `status`; nil for an unknown one.
  static func text(for status: OSStatus) -> String? { all[status] }

  private static let all: [OSStatus: String] = {
    var all: [OSStatus: String] = [:]
    for group in [ofKeychain, ofCertificates, ofServices, ofCryptography] { all.merge(group) { first, _ in first } }
    return all
  }()
}
