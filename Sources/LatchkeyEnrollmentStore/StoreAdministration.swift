public import LatchkeyEnrollmentProtocol

/// What administrators do inside a transaction. Lists come in parts by key: each call reads a bounded number of rows after
/// the last key of the part before, and finds at most `limit` records, 1000 at most, among them. Times are seconds since 1970.
public protocol StoreAdministration: AnyObject {
  // MARK: Lists

  /// Users by name, after this one.
  func users(_ filter: UserFilter, after name: UserName?, now: Int64, limit: Int) throws -> ListPart<UserRecord>
  /// Devices by identifier, after this one.
  func devices(_ filter: DeviceFilter, after id: Identifier?, limit: Int) throws -> ListPart<DeviceRecord>
  /// Certificates by fingerprint, after this one.
  func certificates(
    _ filter: CertificateFilter, after fingerprint: Fingerprint?, now: Int64, limit: Int
  ) throws -> ListPart<CertificateRecord>
  /// Sessions that have not ended, by the token's hash, after this one.
  ///
  /// - Parameter user: whose; nil for all users'.
  func tokens(of user: UserName?, after hash: [UInt8]?, now: Int64, limit: Int) throws -> ListPart<TokenRecord>
  /// Enrollment tokens, also those that ended less than a month ago, newest first, after this place.
  func enrollmentTokens(after place: CreationPlace?, limit: Int) throws -> ListPart<EnrollmentTokenRecord>
  /// The undecided devices of a user, or of all users for nil, and the approved ones that were not completed, oldest first, after
  /// this place.
  func pendingDevices(
    of user: UserName?, after place: CreationPlace?, now: Int64, limit: Int
  ) throws -> ListPart<PendingDeviceRecord>
  /// How many certificates count at `now` and end before `end`.
  func countCertificates(now: Int64, endingBefore end: Int64) throws -> Int

  // MARK: Changes

  /// Disables a user, whose devices are then refused, or enables it again (nil); raises the revocation epoch, so that all servers
  /// know. False if there is no such user, or it is so already.
  func setDisabled(_ time: Int64?, of user: UserName) throws -> Bool
  /// Renames a device; the operator vouches for the name. False if there is none.
  func renameDevice(_ id: Identifier, to name: String) throws -> Bool
  /// Ends the session of a token's hash. False if there is none.
  func forgetToken(hash: [UInt8]) throws -> Bool

  // MARK: Administrators

  /// Adds an administrator. False if there is one of that name, token or certificate.
  func addAdministrator(_ administrator: AdministratorRecord) throws -> Bool
  /// All administrators, by name.
  func administrators() throws -> [AdministratorRecord]
  /// The administrator of a token.
  func administrator(tokenHash: [UInt8]) throws -> AdministratorRecord?
  /// The administrator of a client certificate.
  func administrator(fingerprint: Fingerprint) throws -> AdministratorRecord?
  /// Removes an administrator. False if there is none of that name.
  func removeAdministrator(_ name: String) throws -> Bool
}
