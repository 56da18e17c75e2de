import CoreBluetooth
import Testing

/// The ways in which code in the field looks at errors.
struct ErrorIdiomTests {
  private func disconnect() throws { throw CBError(.peripheralDisconnected) }
  private func refuse() throws { throw CBATTError(.readNotPermitted) }

  @Test("Errors are caught by code") func catchesByCode() {
    do {
      try disconnect()
      Issue.record("nothing was thrown")
    } catch CBError.connectionTimeout {
      Issue.record("another error")
    } catch CBError.peripheralDisconnected {
    } catch {
      Issue.record("not caught by its code: \(error)")
    }
    do {
      try refuse()
    } catch CBATTError.readNotPermitted {
    } catch {
      Issue.record("not caught by its code: \(error)")
    }
  }

  @Test("Errors are cast to their structure") func castsToTheStructure() throws {
    let error: (any Error)? = CBError(.connectionTimeout)
    let bluetooth = try #require(error as? CBError)
    #expect(bluetooth.code == .connectionTimeout)
    #expect(error as? CBATTError == nil)
    switch bluetooth.code {
    case .connectionTimeout: break
    default: Issue.record("another code")
    }
    if case CBError.connectionTimeout? = error {} else { Issue.record("no pattern match") }
  }

  @Test("Errors bridge to NSError") func bridgesToNSError() {
    let error: any Error = CBATTError(.insufficientEncryption)
    let bridged = error as NSError
    #expect(bridged.domain == CBATTErrorDomain)
    #expect(bridged.code == CBATTError.insufficientEncryption.rawValue)
    let optional: (any Error)? = error
    #expect((optional as NSError?)?.code == 15)
  }

  @Test("Applications have codes of their own") func applicationsHaveCodesOfTheirOwn() throws {
    let code = try #require(CBATTError.Code(rawValue: 0x80))
    #expect(code.rawValue == 0x80)
    #expect(CBATTError(code).code == code)
    #expect(CBATTError(code, userInfo: [NSLocalizedDescriptionKey: "busy"]).localizedDescription == "busy")
  }
}
