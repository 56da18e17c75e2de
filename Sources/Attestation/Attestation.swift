/// What an attestation statement says once it is verified.
public struct Attestation: Sendable {}
