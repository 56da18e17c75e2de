// On systems other than Linux each product of this package holds this module and no other: `CoreBluetooth`, `Security` and
// `LocalAuthentication` come from the system there, and a manifest that names our products still resolves (Package.swift).
