extension AuditExportVerifier.Part {
  /// What is wrong between an exported part of a chain and a store: an altered or missing end, entries between the two; nil where the
  /// part is the store's, or joins on to the pruning behind which the store's entries begin.
  ///
  /// - Parameters:
  ///   - hasMetPruning: whether the part has the very entry up to which the chain was pruned.
  /// - Throws: ``EnrollmentStoreError`` if the store cannot be read.
  public func fault(in store: any EnrollmentStore, hasMetPruning: Bool) async throws -> AuditChain.Fault? {
    let node = end.node
    let pruning = try await store.read { try $0.auditPruning(node: node) }
    guard let pruned = pruning?.head, start.sequence < pruned.sequence else {
      return try await AuditChain.fault(at: end, in: store, .anyone)
    }
    guard end.sequence >= pruned.sequence else { return .missing(end.sequence + 1) }
    guard hasMetPruning else { return .rewritten(pruned.sequence) }
    return end.sequence == pruned.sequence ? nil : try await AuditChain.fault(at: end, in: store, .anyone)
  }
}
