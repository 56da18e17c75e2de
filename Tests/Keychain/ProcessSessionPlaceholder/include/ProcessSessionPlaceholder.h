/// Stands in for the store's session of the process in test bundles that link no store.
///
/// It is a weak symbol: where LatchkeyKeychainStore is linked too, its definition counts. It is never called; it ends the process.
void latchkey_process_keychain_session(void);
