internal import Foundation
internal import LatchkeyKeychainModel

/// Builds a request from a dictionary's keys and values, one by one and in any order.
///
/// A key of four characters is an attribute. The first character decides on any other key (Security-61901, SecDbQuery.c).
struct KeyReader {
  private var request: ItemRequest
  private var fault: RequestFault?
  private var hasUnknownAttribute = false
  private var reference: ItemRequest.ValueReference?
  private var hasContext = false
  private var forbidsInteraction = false
  private var hasCredentialReference = false

  init(request: ItemRequest) { self.request = request }

  /// Handles one key; returns false if the request is already refused.
  mutating func take(_ key: Any, _ value: Any) -> Bool {
    do throws(RequestFault) {
      guard let name = key as? String else { throw .keyIsNoString }
      if let attribute = ItemAttribute(key: name) {
        try takeAttribute(attribute, value)
      } else if let key = QueryKey(name) {
        try take(key, value)
      } else if name.utf16.count == 4 {
        throw .noSuchAttribute
      } else if name.utf16.count < 2 || !name.hasPrefix("f") {
        throw .unknownKey
      }
    } catch {
      guard error == .noSuchAttribute else {
        fault = error
        return false
      }
      hasUnknownAttribute = true
    }
    return true
  }

  /// Returns the request after all keys were handled.
  func finished() throws(RequestFault) -> ItemRequest {
    if let fault { throw fault }
    if hasContext && hasCredentialReference { throw .conflict }
    var request = request
    if let reference = request.persistentReference, reference.itemClass != request.itemClass { throw .noSuchClass }
    if let reference {
      if request.itemClass != reference.itemClass { throw .conflict }
      request.take(reference)
    }
    // The older key overrides a permission of the newer one, in any order.
    if forbidsInteraction, request.consent.interaction == .allowed { request.consent.interaction = .refused }
    request.normalizeIssuer()
    if hasUnknownAttribute { throw .noSuchAttribute }
    return request
  }

  private mutating func takeAttribute(_ attribute: ItemAttribute, _ value: Any) throws(RequestFault) {
    if let kind = AttributeSchema.kind(of: attribute, in: request.itemClass) {
      request.attributes[attribute] = try QueryValue(value).asAttribute(kind)
      return
    }
    switch attribute {
    case .accessGroup: request.accessGroup = try QueryValue(value).asText()
    case .synchronizable: request.synchronizable = try QueryValue(value).asSynchronizable()
    case .accessible: request.accessibility = try QueryValue(value).asAccessibility()
    case .accessControl: request.accessControl = try QueryValue(value).asAccessControl()
    case .usesDataProtectionKeychain: break
    default: throw ItemAttribute.internalKeys.contains(attribute) ? .internalKey : .noSuchAttribute
    }
  }

  private mutating func take(_ key: QueryKey, _ value: Any) throws(RequestFault) {
    switch key {
    case .itemClass: break  // read before all others
    case .data:
      guard case .bytes(let data) = QueryValue(value) else { throw .invalidValue }
      request.data = [UInt8](data)
    case .persistentReference: request.persistentReference = try QueryValue(value).asPersistentReference()
    case .reference:
      reference = try ItemRequest.ValueReference(value)
    case .returns(let type):
      if try QueryValue(value).asFlag() { request.returns.insert(type) } else { request.returns.remove(type) }
    case .match(.limit): request.limit = try MatchLimit(QueryValue(value))
    case .match(let key):
      var match = request.match ?? MatchCriteria()
      try match.take(key, QueryValue(value))
      request.match = match
    default: try takeUse(key, QueryValue(value))
    }
  }

  private mutating func takeUse(_ key: QueryKey, _ value: QueryValue) throws(RequestFault) {
    switch key {
    case .authenticationUI:
      switch try value.asText() as CFString {
      case kSecUseAuthenticationUIAllow: request.consent.interaction = .allowed
      case kSecUseAuthenticationUIFail: request.consent.interaction = .refused
      case kSecUseAuthenticationUISkip: request.consent.interaction = .skipped
      default: throw .invalidValue
      }
    case .noAuthenticationUI: forbidsInteraction = try value.asFlag()
    case .operationPrompt: request.consent.reason = try value.asText()
    case .authenticationContext:
      guard case .object(let object) = value, let context = object as? any PresenceSessionHolder else {
        throw .invalidValue
      }
      request.consent.session = try inStore(context.presenceSession)
      hasContext = true
    case .credentialReference:
      guard case .bytes = value else { throw .invalidValue }
      hasCredentialReference = true
    default: throw .unknownKey
    }
  }
}
