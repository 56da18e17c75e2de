// The codes of devices, services, databases and requests, most of them macOS's own (Apple, SecBase.h; values of
// Security-61901).

// MARK: Devices and services

/// The service is not available.
public let errSecServiceNotAvailable: OSStatus = -67585
/// The client's identifier is not enough.
public let errSecInsufficientClientID: OSStatus = -67586
/// The device was reset.
public let errSecDeviceReset: OSStatus = -67587
/// The device failed.
public let errSecDeviceFailed: OSStatus = -67588
/// The device reported an error.
public let errSecDeviceError: OSStatus = -67727
/// The device could not be verified.
public let errSecDeviceVerifyFailed: OSStatus = -67812
/// The network failed.
public let errSecNetworkFailure: OSStatus = -67636
/// The network address is invalid.
public let errSecInvalidNetworkAddress: OSStatus = -67683
/// This type of address is not supported.
public let errSecUnsupportedAddressType: OSStatus = -67848
/// This service is not supported.
public let errSecUnsupportedService: OSStatus = -67849
/// The mask of services is invalid.
public let errSecInvalidServiceMask: OSStatus = -67717
/// The identifier of a service's part is invalid.
public let errSecInvalidSubServiceID: OSStatus = -67719
/// No user is logged in.
public let errSecNotLoggedIn: OSStatus = -67729
/// A user is already logged in.
public let errSecAlreadyLoggedIn: OSStatus = -67814
/// The login name is invalid.
public let errSecInvalidLoginName: OSStatus = -67813
/// The quota is used up.
public let errSecQuotaExceeded: OSStatus = -67596
/// The file is too big.
public let errSecFileTooBig: OSStatus = -67597
/// The request to the account's server is queued.
public let errSecMobileMeRequestQueued: OSStatus = -67657
/// The request to the account's server was redirected.
public let errSecMobileMeRequestRedirected: OSStatus = -67658
/// The account's server reported an error.
public let errSecMobileMeServerError: OSStatus = -67659
/// The account's server is not available.
public let errSecMobileMeServerNotAvailable: OSStatus = -67660
/// The object already exists on the account's server.
public let errSecMobileMeServerAlreadyExists: OSStatus = -67661
/// The account's service reported an error.
public let errSecMobileMeServerServiceErr: OSStatus = -67662
/// A request to the account's server is already in progress.
public let errSecMobileMeRequestAlreadyPending: OSStatus = -67663
/// No request to the account's server is in progress.
public let errSecMobileMeNoRequestPending: OSStatus = -67664
/// The account's server refused the certificate request.
public let errSecMobileMeCSRVerifyFailure: OSStatus = -67665
/// The account's server found an inconsistency.
public let errSecMobileMeFailedConsistencyCheck: OSStatus = -67666
// MARK: Modules

/// The module was not set up before its use.
public let errSecNotInitialized: OSStatus = -67667
/// The handle belongs to another kind of service.
public let errSecInvalidHandleUsage: OSStatus = -67668
/// The caller is not among those allowed.
public let errSecPVCReferentNotFound: OSStatus = -67669
/// The function is not part of the verified module.
public let errSecFunctionIntegrityFail: OSStatus = -67670
/// An internal error.
public let errSecInternalError: OSStatus = -67671
/// An error of memory.
public let errSecMemoryError: OSStatus = -67672
/// The directory of modules reported an error.
public let errSecMDSError: OSStatus = -67674
/// A pointer is invalid.
public let errSecInvalidPointer: OSStatus = -67675
/// The module's self-test failed.
public let errSecSelfCheckFailed: OSStatus = -67676
/// The function failed.
public let errSecFunctionFailed: OSStatus = -67677
/// The module's manifest could not be verified.
public let errSecModuleManifestVerifyFailed: OSStatus = -67678
/// The module's identifier is invalid.
public let errSecInvalidGUID: OSStatus = -67679
/// The handle is invalid.
public let errSecInvalidHandle: OSStatus = -67680
/// The identifier of a direct call is invalid.
public let errSecInvalidPassthroughID: OSStatus = -67682
/// The callback failed.
public let errSecCallbackFailed: OSStatus = -67695
/// The check of callers is already configured.
public let errSecPVCAlreadyConfigured: OSStatus = -67707
/// The check of callers is invalid.
public let errSecInvalidPVC: OSStatus = -67708
/// The manager of modules could not be loaded.
public let errSecEMMLoadFailed: OSStatus = -67709
/// The manager of modules could not be unloaded.
public let errSecEMMUnloadFailed: OSStatus = -67710
/// The addition could not be loaded.
public let errSecAddinLoadFailed: OSStatus = -67711
/// The addition could not be unloaded.
public let errSecAddinUnloadFailed: OSStatus = -67714
/// The hierarchy of keys is invalid.
public let errSecInvalidKeyHierarchy: OSStatus = -67713
/// The reference to a library was not found.
public let errSecLibraryReferenceNotFound: OSStatus = -67715
/// The addition's table of functions is invalid.
public let errSecInvalidAddinFunctionTable: OSStatus = -67716
/// The module is not loaded.
public let errSecModuleNotLoaded: OSStatus = -67718
/// The manager of modules could not be set up.
public let errSecModuleManagerInitializeFailed: OSStatus = -67721
/// The manager of modules was not found.
public let errSecModuleManagerNotFound: OSStatus = -67722
/// The callback for events was not found.
public let errSecEventNotificationCallbackNotFound: OSStatus = -67723
/// The handle is in use.
public let errSecAttachHandleBusy: OSStatus = -67728
/// The versions do not match.
public let errSecIncompatibleVersion: OSStatus = -67704
// MARK: Databases

/// The database holds a wrong record.
public let errSecInvalidDatabaseBlob: OSStatus = -67598
/// The database holds a record of another version.
public let errSecIncompatibleDatabaseBlob: OSStatus = -67600
/// The list of databases is invalid.
public let errSecInvalidDBList: OSStatus = -67681
/// The place of the database is invalid.
public let errSecInvalidDBLocation: OSStatus = -67875
/// The database is locked.
public let errSecDatabaseLocked: OSStatus = -67869
/// The database is open already.
public let errSecDatastoreIsOpen: OSStatus = -67870
/// The end of the data was reached.
public let errSecEndOfData: OSStatus = -67634
/// The record was changed.
public let errSecRecordModified: OSStatus = -67638
/// The record is invalid.
public let errSecInvalidRecord: OSStatus = -67701
/// The query is invalid.
public let errSecInvalidQuery: OSStatus = -67693
/// The size of the query result is unknown.
public let errSecQuerySizeUnknown: OSStatus = -67809
/// These limits of a query are not supported.
public let errSecUnsupportedQueryLimits: OSStatus = -67872
/// This number of conditions is not supported.
public let errSecUnsupportedNumSelectionPreds: OSStatus = -67873
/// This operator is not supported.
public let errSecUnsupportedOperator: OSStatus = -67874
/// This number of attributes is not supported.
public let errSecUnsupportedNumAttributes: OSStatus = -67863
/// This number of indexes is not supported.
public let errSecUnsupportedNumIndexes: OSStatus = -67864
/// This number of kinds of records is not supported.
public let errSecUnsupportedNumRecordTypes: OSStatus = -67865
/// This description of an index is not supported.
public let errSecUnsupportedIndexInfo: OSStatus = -67861
/// This locality is not supported.
public let errSecUnsupportedLocality: OSStatus = -67862
/// The description of the index is invalid.
public let errSecInvalidIndexInfo: OSStatus = -67877
/// The index is invalid.
public let errSecInvalidIndex: OSStatus = -67834
/// There are no values of fields.
public let errSecNoFieldValues: OSStatus = -67859
/// The number of fields is invalid.
public let errSecInvalidNumberOfFields: OSStatus = -67685
/// A field occurs more than once.
public let errSecFieldSpecifiedMultiple: OSStatus = -67866
/// This format of a field is not supported.
public let errSecUnsupportedFieldFormat: OSStatus = -67860
/// The formats of the fields do not match.
public let errSecIncompatibleFieldFormat: OSStatus = -67867
/// The parsing module is invalid.
public let errSecInvalidParsingModule: OSStatus = -67868
/// A value is missing.
public let errSecMissingValue: OSStatus = -67871
/// More than one value is not supported.
public let errSecMultipleValuesUnsupported: OSStatus = -67842
/// The new owner is invalid.
public let errSecInvalidNewOwner: OSStatus = -67878
/// The modify mode is invalid.
public let errSecInvalidModifyMode: OSStatus = -67879
/// The request for access is invalid.
public let errSecInvalidAccessRequest: OSStatus = -67876
// MARK: Permissions

/// The access control list was not deleted.
public let errSecACLDeleteFailed: OSStatus = -67696
/// The access control list was not replaced.
public let errSecACLReplaceFailed: OSStatus = -67697
/// Nothing was added to the access control list.
public let errSecACLAddFailed: OSStatus = -67698
/// The access control list was not changed.
public let errSecACLChangeFailed: OSStatus = -67699
/// The access control list is invalid.
public let errSecInvalidACL: OSStatus = -67702
/// The basic access control lists are invalid.
public let errSecInvalidBaseACLs: OSStatus = -67851
/// The credentials are invalid.
public let errSecInvalidAccessCredentials: OSStatus = -67700
/// The credentials are not enough.
public let errSecInsufficientCredentials: OSStatus = -67822
/// The sample among the credentials is invalid.
public let errSecInvalidSampleValue: OSStatus = -67703
/// The privilege was not granted.
public let errSecPrivilegeNotGranted: OSStatus = -67705
/// This privilege is not supported.
public let errSecPrivilegeNotSupported: OSStatus = -67726
/// The program was not added to the access control list.
public let errSecAppleAddAppACLSubject: OSStatus = -67589
// MARK: Requests to authorities

/// The action is invalid.
public let errSecInvalidAction: OSStatus = -67823
/// The authority is invalid.
public let errSecInvalidAuthority: OSStatus = -67824
/// The verify action failed.
public let errSecVerifyActionFailed: OSStatus = -67825
/// The type of the form is invalid.
public let errSecInvalidFormType: OSStatus = -67831
/// The identifier is invalid.
public let errSecInvalidID: OSStatus = -67832
/// The name of an identifier is invalid.
public let errSecInvalidIdentifier: OSStatus = -67833
/// The identifiers of policies are invalid.
public let errSecInvalidPolicyIdentifiers: OSStatus = -67835
/// The time is malformed.
public let errSecInvalidTimeString: OSStatus = -67836
/// The reason is invalid.
public let errSecInvalidReason: OSStatus = -67837
/// The inputs of the request are invalid.
public let errSecInvalidRequestInputs: OSStatus = -67838
/// The response vector is invalid.
public let errSecInvalidResponseVector: OSStatus = -67839
/// The stop-on policy is invalid.
public let errSecInvalidStopOnPolicy: OSStatus = -67840
/// The tuple is invalid.
public let errSecInvalidTuple: OSStatus = -67841
/// The group of tuples is invalid.
public let errSecInvalidTupleGroup: OSStatus = -67850
/// The credentials of the tuple are invalid.
public let errSecInvalidTupleCredentials: OSStatus = -67852
/// There is no default authority.
public let errSecNoDefaultAuthority: OSStatus = -67844
/// The form was refused.
public let errSecRejectedForm: OSStatus = -67845
/// The request was lost.
public let errSecRequestLost: OSStatus = -67846
/// The request was refused.
public let errSecRequestRejected: OSStatus = -67847
/// The requester is invalid.
public let errSecInvalidRequestor: OSStatus = -67855
/// The description of the request is invalid.
public let errSecRequestDescriptor: OSStatus = -67856
/// The information on the bundle is invalid.
public let errSecInvalidBundleInfo: OSStatus = -67857

extension ErrorMessage {
  /// The messages of the codes above.
  static let ofServices: [OSStatus: String] = [
    errSecServiceNotAvailable: "The service is not available.",
    errSecInsufficientClientID: "The client's identifier is not sufficient.",
    errSecDeviceReset: "The device was reset.",
    errSecDeviceFailed: "The device failed.",
    errSecDeviceError: "The device reported an error.",
    errSecDeviceVerifyFailed: "The device could not be verified.",
    errSecNetworkFailure: "The network failed.",
    errSecInvalidNetworkAddress: "The network address is wrong.",
    errSecUnsupportedAddressType: "This type of address is not supported.",
    errSecUnsupportedService: "This service is not supported.",
    errSecInvalidServiceMask: "The mask of services is wrong.",
    errSecInvalidSubServiceID: "The subservice identifier is wrong.",
    errSecNotLoggedIn: "The user is not logged in.",
    errSecAlreadyLoggedIn: "The user is logged in already.",
    errSecInvalidLoginName: "The login name is wrong.",
    errSecQuotaExceeded: "The quota is used up.",
    errSecFileTooBig: "The file is too big.",
    errSecMobileMeRequestQueued: "The request to the account's server is queued.",
    errSecMobileMeRequestRedirected: "The request to the account's server was redirected.",
    errSecMobileMeServerError: "The account's server reported an error.",
    errSecMobileMeServerNotAvailable: "The account's server is not available.",
    errSecMobileMeServerAlreadyExists: "The account's server has this already.",
    errSecMobileMeServerServiceErr: "The account's service reported an error.",
    errSecMobileMeRequestAlreadyPending: "A request to the account's server is under way already.",
    errSecMobileMeNoRequestPending: "No request to the account's server is under way.",
    errSecMobileMeCSRVerifyFailure: "The account's server did not accept the certificate request.",
    errSecMobileMeFailedConsistencyCheck: "The account's server found an inconsistency.",
    errSecNotInitialized: "The module was not initialized before its use.",
    errSecInvalidHandleUsage: "The handle belongs to another kind of service.",
    errSecPVCReferentNotFound: "The caller is not authorized.",
    errSecFunctionIntegrityFail: "The function is not part of the verified module.",
    errSecInternalError: "An internal error occurred.",
    errSecMemoryError: "A memory error occurred.",
    errSecMDSError: "The directory of modules reported an error.",
    errSecInvalidPointer: "A pointer is wrong.",
    errSecSelfCheckFailed: "The module's self-check failed.",
    errSecFunctionFailed: "The function failed.",
    errSecModuleManifestVerifyFailed: "The module's manifest could not be verified.",
    errSecInvalidGUID: "The module's identifier is wrong.",
    errSecInvalidHandle: "The handle is wrong.",
    errSecInvalidPassthroughID: "The passthrough identifier is wrong.",
    errSecCallbackFailed: "The callback failed.",
    errSecPVCAlreadyConfigured: "Caller verification is configured already.",
    errSecInvalidPVC: "The caller verification is wrong.",
    errSecEMMLoadFailed: "The module manager could not be loaded.",
    errSecEMMUnloadFailed: "The module manager could not be unloaded.",
    errSecAddinLoadFailed: "The add-in could not be loaded.",
    errSecAddinUnloadFailed: "The add-in could not be unloaded.",
    errSecInvalidKeyHierarchy: "The hierarchy of keys is wrong.",
    errSecLibraryReferenceNotFound: "The reference to a library was not found.",
    errSecInvalidAddinFunctionTable: "The add-in's function table is wrong.",
    errSecModuleNotLoaded: "The module is not loaded.",
    errSecModuleManagerInitializeFailed: "The module manager could not be initialized.",
    errSecModuleManagerNotFound: "The module manager was not found.",
    errSecEventNotificationCallbackNotFound: "The callback for events was not found.",
    errSecAttachHandleBusy: "The handle is in use.",
    errSecIncompatibleVersion: "The versions are incompatible.",
    errSecInvalidDatabaseBlob: "The database holds a wrong record.",
    errSecIncompatibleDatabaseBlob: "The database holds a record of another version.",
    errSecInvalidDBList: "The list of databases is wrong.",
    errSecInvalidDBLocation: "The location of the database is wrong.",
    errSecDatabaseLocked: "The database is locked.",
    errSecDatastoreIsOpen: "The database is open already.",
    errSecEndOfData: "The data ended.",
    errSecRecordModified: "The record was changed.",
    errSecInvalidRecord: "The record is wrong.",
    errSecInvalidQuery: "The query is wrong.",
    errSecQuerySizeUnknown: "The size of the answer is not known.",
    errSecUnsupportedQueryLimits: "These limits of a query are not supported.",
    errSecUnsupportedNumSelectionPreds: "This number of conditions is not supported.",
    errSecUnsupportedOperator: "This operator is not supported.",
    errSecUnsupportedNumAttributes: "This number of attributes is not supported.",
    errSecUnsupportedNumIndexes: "This number of indexes is not supported.",
    errSecUnsupportedNumRecordTypes: "This number of kinds of records is not supported.",
    errSecUnsupportedIndexInfo: "This description of an index is not supported.",
    errSecUnsupportedLocality: "This locality is not supported.",
    errSecInvalidIndexInfo: "The description of the index is wrong.",
    errSecInvalidIndex: "The index is wrong.",
    errSecNoFieldValues: "There are no values of fields.",
    errSecInvalidNumberOfFields: "The number of fields is wrong.",
    errSecFieldSpecifiedMultiple: "A field is given more than once.",
    errSecUnsupportedFieldFormat: "This format of a field is not supported.",
    errSecIncompatibleFieldFormat: "The field formats are incompatible.",
    errSecInvalidParsingModule: "The parsing module is wrong.",
    errSecMissingValue: "A value is missing.",
    errSecMultipleValuesUnsupported: "More than one value is not supported.",
    errSecInvalidNewOwner: "The new owner is wrong.",
    errSecInvalidModifyMode: "The modification mode is wrong.",
    errSecInvalidAccessRequest: "The request for access is wrong.",
    errSecACLDeleteFailed: "The access control list was not deleted.",
    errSecACLReplaceFailed: "The access control list was not replaced.",
    errSecACLAddFailed: "Nothing was added to the access control list.",
    errSecACLChangeFailed: "The access control list was not changed.",
    errSecInvalidACL: "The access control list is wrong.",
    errSecInvalidBaseACLs: "The basic access control lists are wrong.",
    errSecInvalidAccessCredentials: "The credentials are wrong.",
    errSecInsufficientCredentials: "The credentials are not sufficient.",
    errSecInvalidSampleValue: "The sample among the credentials is wrong.",
    errSecPrivilegeNotGranted: "The privilege was not granted.",
    errSecPrivilegeNotSupported: "This privilege is not supported.",
    errSecAppleAddAppACLSubject: "The program was not added to the access control list.",
    errSecInvalidAction: "The action is wrong.",
    errSecInvalidAuthority: "The authority is wrong.",
    errSecVerifyActionFailed: "The action that verifies failed.",
    errSecInvalidFormType: "The type of the form is wrong.",
    errSecInvalidID: "The identifier is wrong.",
    errSecInvalidIdentifier: "The name of an identifier is wrong.",
    errSecInvalidPolicyIdentifiers: "The identifiers of policies are wrong.",
    errSecInvalidTimeString: "The time string is not valid.",
    errSecInvalidReason: "The reason is wrong.",
    errSecInvalidRequestInputs: "The request's inputs are wrong.",
    errSecInvalidResponseVector: "The response vector is wrong.",
    errSecInvalidStopOnPolicy: "The policy for stopping is wrong.",
    errSecInvalidTuple: "The tuple is wrong.",
    errSecInvalidTupleGroup: "The group of tuples is wrong.",
    errSecInvalidTupleCredentials: "The credentials of the tuple are wrong.",
    errSecNoDefaultAuthority: "There is no default authority.",
    errSecRejectedForm: "The form was refused.",
    errSecRequestLost: "The request was lost.",
    errSecRequestRejected: "The request was refused.",
    errSecInvalidRequestor: "The requester is wrong.",
    errSecRequestDescriptor: "The description of the request is wrong.",
    errSecInvalidBundleInfo: "The information on the bundle is wrong.",
  ]
}
