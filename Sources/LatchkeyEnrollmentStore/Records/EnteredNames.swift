internal import LatchkeyEnrollmentProtocol

extension StoreTransaction {
  /// The user with the name that was typed: the one who is called just so, byte by byte, else the one who is called so in another form
  /// of the same characters. Rows from before names had one form are found by what they were.
  public func user(entered typed: String) throws -> UserRecord? {
    // All are asked for, so that the time does not reveal which of them exists.
    try UserName.candidates(entered: typed).map { try user(named: $0) }.compactMap(\.self).first
  }
}
