extension Schema {
  /// Step 10: who vouches for a device's name, who approved a device, and which keys were of revoked devices.
  ///
  /// Devices whose enrollment token prescribed the name have it from there. Who gave the approvals from before is not known, so
  /// those that no device has collected are asked for again.
  static func approvals(_ dialect: SQLDialect) -> [String] {
    [
      "ALTER TABLE devices ADD COLUMN name_approval TEXT",
      """
      UPDATE devices SET name_approval = '\(NameApproval.token.rawValue)' WHERE id IN (
        SELECT device FROM enrollment_tokens WHERE used IS NOT NULL AND device_name IS NOT NULL)
      """,
      "CREATE INDEX devices_revoked ON devices (identity_key) WHERE revoked IS NOT NULL",
      "ALTER TABLE pending_devices ADD COLUMN name_approval TEXT",
      "ALTER TABLE pending_devices ADD COLUMN decided_by TEXT",
      "UPDATE pending_devices SET decided = NULL, is_approved = NULL WHERE is_approved = 1",
      "CREATE INDEX pending_devices_by_maker ON pending_devices (decided_by) WHERE is_approved = 1",
    ]
  }
}
