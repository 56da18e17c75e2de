"""A client of the enrollment protocol in Python, written from the pages EnrollmentProtocol.md and AccountsAndTransfers.md of
LatchkeyEnrollmentServer.docc alone. For tests only."""
