extension Schema {
  /// Step 18: the indexes of the operator's lists. A search for what is rare reads what is rare, and lists by time are read in order.
  static let lists = [
    "CREATE INDEX users_disabled ON users (name) WHERE disabled IS NOT NULL",
    "CREATE INDEX users_locked ON users (name) WHERE locked_until IS NOT NULL",
    "CREATE INDEX devices_revoked_by_id ON devices (id) WHERE revoked IS NOT NULL",
    "CREATE INDEX certificates_revoked_by_fingerprint ON certificates (fingerprint) WHERE revoked IS NOT NULL",
    "CREATE INDEX enrollment_tokens_by_creation ON enrollment_tokens (created, id)",
    """
    CREATE INDEX pending_devices_by_creation ON pending_devices (created, id) WHERE decided IS NULL OR is_approved = 1
    """,
    """
    CREATE INDEX pending_devices_of_user ON pending_devices (user_name, created, id)
      WHERE decided IS NULL OR is_approved = 1
    """,
  ]
}
