package import LatchkeyEnrollmentProtocol

extension SQLTransaction {
  package func requestedNames(of device: Identifier) throws -> [String] {
    try rows("SELECT name FROM requested_names WHERE device = $1 ORDER BY name", [.init(device)]).map { try $0.text(0) }
  }

  package func setRequestedNames(_ names: [String], of device: Identifier) throws {
    try beginChange("DELETE FROM requested_names WHERE device = $1", [.init(device)])
    for name in Set(names).sorted() {
      try beginChange("INSERT INTO requested_names (device, name) VALUES ($1, $2)", [.init(device), .text(name)])
    }
  }

  package func isRequestedName(_ name: String, ofOtherUserThan user: UserName) throws -> Bool {
    try row(
      """
      SELECT d.id FROM requested_names AS n JOIN devices AS d ON d.id = n.device
      WHERE n.name = $1 AND d.user_name <> $2 AND d.revoked IS NULL LIMIT 1
      """, [.text(name), .text(user.text)]) != nil
  }
}
