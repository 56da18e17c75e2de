"""The secure provisioning protocol, written from its page alone:
Sources/LatchkeyProvisioning/LatchkeyProvisioning.docc/SecureProtocol.md. Slow, not in constant time, and for tests only."""
