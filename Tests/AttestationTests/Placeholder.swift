import Attestation
import Testing
