import EnclaveKeys
import Testing
