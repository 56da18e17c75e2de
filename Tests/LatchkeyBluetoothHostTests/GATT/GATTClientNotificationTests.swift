import Testing

@testable import LatchkeyBluetoothHost

/// Configurations, notifications, indications and Service Changed, seen from the client.
@Suite struct GATTClientNotificationTests {
  private func play(_ transcript: String, _ location: SourceLocation = #_sourceLocation) throws {
    var bench = GATTClientBench()
    try bench.play(transcript, location)
  }

  @Test("GAN/CL/BV-01 the configuration is found, then written") func subscribe() throws {
    try play(
      """
      > 1b 0c00 01
      + on 000c 0010 10
      < 04 0d00 1000
      > 05 01 0d00 0229 0e00 0129
      < 12 0d00 0100
      > 1b 0c00 02                # before the response
      * 000c 02 1
      > 13
      = 1 written
      > 1b 0c00 03
      * 000c 03 1
      > 1b 0c00
      * 000c 1
      > 1b 0d00 04                # not what was subscribed to
      + off 000c 0010 10
      < 12 0d00 0000              # where it is is known
      > 1b 0c00 05
      * 000c 05 1
      > 13
      = 2 written
      > 1b 0c00 06
      """)
  }

  @Test("GAI/CL/BV-01 indications where only those are offered, confirmed each") func indications() throws {
    try play(
      """
      + on 000c 000d 20
      < 04 0d00 0d00
      > 05 01 0d00 0229
      < 12 0d00 0200
      > 13
      = 1 written
      > 1d 0c00 01
      < 1e
      * 000c 01 1
      > 1d 0e00 01                # nobody listens: confirmed all the same
      < 1e
      > 1d                        # and if it cannot be read
      < 1e
      > 1d 0c
      < 1e
      """)
  }

  @Test("an indication is confirmed while a request is out") func crossing() throws {
    try play("+ read 0003\n< 0a 0300\n> 1d 0c00 01\n< 1e\n> 0b 02\n= 1 value 02")
  }

  @Test("notifications before indications where both are offered") func both() throws {
    try play("+ on 000c 000d 30\n< 04 0d00 0d00\n> 05 01 0d00 0229\n< 12 0d00 0100")
  }

  @Test("the search goes on until the characteristic's end") func search() throws {
    try play(
      """
      + on 000c 0020 10
      < 04 0d00 2000
      > 05 02 0d00 ffeeddccbbaa99887766554433221100
      < 04 0e00 2000
      > 05 01 0e00 0129 0f00 0429
      < 04 1000 2000
      > 01 04 1000 0a
      = 1 refused 0a 000c
      > 1b 0c00 01
      """)
  }

  @Test("A characteristic without notifications and indications is not configured") func impossible() throws {
    try play(
      """
      + on 000c 000d 02           # neither notify nor indicate
      = 1 refused 06 000c
      + on 000c 000c 10           # no room for a configuration
      = 2 refused 0a 000c
      + off 000c 000d 10          # nothing is on
      = 3 written
      + on 000c 000d 10
      < 04 0d00 0d00
      > 05 01 0d00 0229
      < 12 0d00 0100
      > 01 12 0d00 0f
      = 4 refused 0f 000d
      > 1b 0c00 01                # the client does not listen
      """)
  }

  @Test("a search that a hostile server answers") func hostile() throws {
    try play(
      """
      + on 000c 0010 10
      < 04 0d00 1000
      > 05 01 0c00 0229
      = 1 peerMisbehaved
      + on 000c 0010 10
      < 04 0d00 1000
      > 05 01 1100 0229
      = 2 peerMisbehaved
      """)
  }

  @Test("clients share a configuration: only the last one out switches it off") func shared() throws {
    try play(
      """
      + on 000c 000d 10
      < 04 0d00 0d00
      > 05 01 0d00 0229
      < 12 0d00 0100
      > 13
      = 1 written
      +2 on 000c 000d 10
      = 2 written
      > 1b 0c00 01
      * 000c 01 1,2
      + off 000c 000d 10
      = 3 written
      > 1b 0c00 02
      * 000c 02 2
      + off 000c 000d 10          # again: another one still listens
      = 4 written
      +2 off 000c 000d 10
      < 12 0d00 0000
      > 01 12 0d00 0e             # it stays on
      = 5 refused 0e 000d
      > 1b 0c00 03
      * 000c 03 2
      +2 off 000c 000d 10
      < 12 0d00 0000
      > 13
      = 6 written
      > 1b 0c00 04
      + on 000c 000d 10
      < 12 0d00 0100
      > 13
      = 7 written
      """)
  }

  @Test("a client that goes is unsubscribed") func removed() throws {
    try play(
      """
      + on 000c 000d 10
      < 04 0d00 0d00
      > 05 01 0d00 0229
      < 12 0d00 0100
      > 13
      = 1 written
      +2 on 000c 000d 10
      = 2 written
      - 1
      > 1b 0c00 01
      * 000c 01 2
      - 2
      < 12 0d00 0000
      > 1b 0c00 02
      > 13
      """)
  }

  @Test("a client that goes while its configuration is being written") func removedInFlight() throws {
    try play(
      """
      + on 000c 000d 10
      < 04 0d00 0d00
      > 05 01 0d00 0229
      < 12 0d00 0100
      - 1
      = 1 disconnected
      > 1b 0c00 01
      > 13
      < 12 0d00 0000
      > 13
      """)
  }

  @Test("another client subscribes before the silence is asked for") func removedAndAgain() throws {
    try play(
      """
      + on 000c 000d 10
      < 04 0d00 0d00
      > 05 01 0d00 0229
      < 12 0d00 0100
      > 13
      = 1 written
      + read 0003
      < 0a 0300
      +2 read 0004
      - 1
      = 2 disconnected
      +2 on 000c 000d 10
      > 0b
      < 0a 0400
      > 0b
      = 3 value
      < 12 0d00 0000
      > 13
      < 12 0d00 0100
      > 13
      = 4 written
      """)
  }

  @Test("several notifications in one PDU") func multiple() throws {
    var bench = GATTClientBench()
    try bench.play(
      """
      + on 000c 000d 10
      < 04 0d00 0d00
      > 05 01 0d00 0229
      < 12 0d00 0100
      > 13
      = 1 written
      > 23 0c00 0100 aa 0e00 0200 bbcc 0c00 0000
      * 000c aa 1
      * 000c 1
      > 23 0c00 0200 aa
      > 23
      > 1b 0c
      > 1b 0c00 \(String(repeating: "00", count: 513))
      """)
    #expect(bench.client.ignoredPDUs == 4)
  }

  @Test("Service Changed is reported once its handle is known") func serviceChanged() throws {
    try play(
      """
      > 1d 0800 0a00 1700
      < 1e
      + characteristics 0006-0009
      < 08 0600 0900 0328
      > 09 07 0700 20 0800 052a
      = 1 0007 0008-0009 20 2A05
      + on 000c 000d 10
      < 04 0d00 0d00
      > 05 01 0d00 0229
      < 12 0d00 0100
      > 13
      = 2 written
      > 1d 0800 1800 ffff
      < 1e
      * changed 0018-ffff
      > 1b 0c00 01
      * 000c 01 1
      > 1d 0800 0100 ffff
      < 1e
      * changed 0001-ffff
      > 1b 0c00 01                # what was subscribed to is no more
      > 1d 0800 0500 0400         # no range
      < 1e
      > 1d 0800 0000 ffff
      < 1e
      > 1d 0800 0500
      < 1e
      > 1d 0800 0500 060000
      < 1e
      + on 0008 0009 20           # its own subscription outlasts any change
      < 04 0900 0900
      > 05 01 0900 0229
      < 12 0900 0200
      > 13
      = 3 written
      > 1d 0800 0100 ffff
      < 1e
      * 0008 0100ffff 1
      * changed 0001-ffff
      > 1d 0800 1800 1a00
      < 1e
      * 0008 18001a00 1
      * changed 0018-001a
      """)
  }

  @Test("Service Changed is asked for with five requests, and sought again when all has changed")
  func listening() throws {
    try play(
      """
      + changes
      < 06 0100 ffff 0028 0118
      + read 0003                 # whatever else is asked for goes first
      + changes
      > 07 0600 0a00              # there may be more of them: nobody asks
      < 08 0600 0a00 0328
      > 09 07 0700 20 0800 052a
      < 04 0900 0a00
      > 05 01 0900 0229
      < 12 0900 0200
      > 13
      = 1 written
      < 0a 0300
      > 0b 01
      = 2 value 01
      = 3 written
      > 1d 0800 1800 ffff         # no client asked for the value itself
      < 1e
      * changed 0018-ffff
      + off 0008 000a 20          # what a client does with it is its own matter
      = 4 written
      > 1d 0800 0100 ffff
      < 1e
      * changed 0001-ffff
      < 06 0100 ffff 0028 0118
      > 1d 0800 0100 ffff         # once more, meanwhile
      < 1e
      * changed 0001-ffff
      > 07 1000 1400
      < 08 1000 1400 0328
      > 09 07 1100 02 1200 292b 1200 20 1300 052a
      < 04 1400 1400
      > 05 01 1400 0229
      < 12 1400 0200
      > 13
      > 1d 1300 2000 2100
      < 1e
      * changed 0020-0021
      """)
  }

  @Test("Service Changed of a peer that has none, or never comes to an end, is not sought for long")
  func notListening() throws {
    try play(
      """
      + changes
      < 06 0100 ffff 0028 0118
      > 01 06 0100 0a
      = 1 refused 0a 0001
      + changes
      < 06 0100 ffff 0028 0118
      > 07 0100 ffff
      < 08 0100 ffff 0328
      > 09 07 0200 20 0300 052a
      < 04 0400 ffff
      > 05 01 0400 0129
      < 04 0500 ffff
      > 05 01 0500 0129
      < 04 0600 ffff
      > 05 01 0600 0129
      < 04 0700 ffff
      > 05 01 0700 0129
      < 04 0800 ffff
      > 05 01 0800 0129
      < 04 0900 ffff
      > 05 01 0900 0129
      < 04 0a00 ffff
      > 05 01 0a00 0129
      < 04 0b00 ffff
      > 05 01 0b00 0129
      = 2 peerMisbehaved
      """)
  }

  @Test("the first value of a type needs one request") func first() throws {
    try play(
      """
      + first 2A00 0001-ffff
      < 08 0100 ffff 002a
      > 09 06 0300 4c616d70 0500 4c616d71
      = 1 0003=4c616d70
      + first 2A00 0001-ffff
      < 08 0100 ffff 002a
      > 01 08 0100 0a
      = 2 refused 0a 0001
      """)
  }
}
