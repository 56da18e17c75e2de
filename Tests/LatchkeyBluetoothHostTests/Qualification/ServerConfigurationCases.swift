/// Cases of a server: its configuration, requests that it does not support, and the time to confirm.
enum ServerConfigurationCases {
  static let configuration = QualificationCase.table(
    """
    GATT/SR/GAC/BV-01-C the client's ATT_MTU is the smallest
    > 02 1700
    < 03 0502
    > 0a P06
    < 0b 11*22
    GATT/SR/GAC/BV-01-C the client's ATT_MTU is 512
    > 02 0002
    < 03 0502
    * mtu 512
    > 0a P06
    < 0b 11*22 22*22 33*16
    GATT/SR/GAC/BV-01-C the server's ATT_MTU is the smaller one
    > 02 ffff
    < 03 0502
    * mtu 517
    GATT/SR/GAC/BV-01-C the response comes before the new ATT_MTU counts
    > 0a P06
    < 0b 11*22
    > 02 1800
    < 03 0502
    * mtu 24
    > 0a P06
    < 0b 11*22 22
    GATT/SR/GAC an ATT_MTU below the smallest counts as the smallest
    > 02 1600
    < 03 0502
    > 02 0000
    < 03 0502
    > 0a P06
    < 0b 11*22
    GATT/SR/GAC a second exchange takes nothing away
    > 02 4000
    < 03 0502
    * mtu 64
    > 02 1700
    < 03 0502
    > 0a P06
    < 0b 11*22 22*22 33*16
    GATT/SR/GAC an exchange of a wrong length
    > 02
    < 01 02 0000 04
    > 02 40
    < 01 02 0000 04
    > 02 400000
    < 01 02 0000 04
    > 0a P06
    < 0b 11*22
    GATT/SR/GAC a PDU that is longer than ATT_MTU
    > 12 Q02 5a*21
    < 01 12 0000 04
    > 52 Q02 5a*21
    > 12 Q02 5a*20
    ? write 1 Q02@0=5a*20
    ! written
    < 13
    GATT/SR/GAC a PDU without an opcode
    >
    > 0a P02
    < 0b 0102030405
    """)

  static let unsupported = QualificationCase.table(
    """
    GATT/SR/UNS/BI-01-C requests that have no meaning
    > 00
    < 01 00 0000 06
    > 14
    < 01 14 0000 06
    > 1a
    < 01 1a 0000 06
    > 1c
    < 01 1c 0000 06
    > 22
    < 01 22 0000 06
    > 24
    < 01 24 0000 06
    > 3f
    < 01 3f 0000 06
    GATT/SR/UNS/BI-01-C requests that have no meaning, with parameters
    > 24 P02
    < 01 24 0000 06
    > 3e ff*22
    < 01 3e 0000 06
    GATT/SR/UNS/BI-01-C requests with the authentication flag
    > 8a P02
    < 01 8a 0000 06
    > 92 Q02 01
    < 01 92 0000 06
    > bf
    < 01 bf 0000 06
    GATT/SR/UNS/BI-02-C commands that have no meaning
    > 40
    > 4a P02
    > 56 Q02 0000 01
    > 7f ff*22
    > c0
    > ff
    > 0a P02
    < 0b 0102030405
    GATT/SR/UNS/BI-02-C a Signed Write Command
    > d2 Q02 01 00000000 00*8
    > 0a P02
    < 0b 0102030405
    GATT/SR/UNS a command of no meaning while the owner is asked
    > 0a Q02
    ? read 1 Q02 @0
    > 40
    > d2 Q02 01 00*12
    > 4a P02
    ! value 01
    < 0b 01
    """)

  static let timeouts = QualificationCase.table(
    """
    GATT/SR/GAT/BV-01-C an indication is not confirmed in 30 s
    > 12 Q0c 0200
    < 13
    * 1 Q0b indications
    ~ Q0b 01
    < 1d Q0b 01
    t 29.999
    t 30
    * dead
    GATT/SR/GAT/BV-01-C an indication is confirmed at the last moment
    > 12 Q0c 0200
    < 13
    * 1 Q0b indications
    ~ Q0b 01
    < 1d Q0b 01
    t 29.999
    > 1e
    * confirmed Q0b
    t 30
    > 0a P02
    < 0b 0102030405
    GATT/SR/GAT after the time nothing is sent, and nothing is answered
    > 12 Q0c 0200
    < 13
    * 1 Q0b indications
    ~ Q0b 01
    < 1d Q0b 01
    ~ Q0b 02
    * queued
    t 30
    * dead
    > 1e
    > 0a P02
    > 52 Q02 01
    ~ Q0b 03
    * nobody
    t 60
    GATT/SR/GAT requests do not move the time to confirm
    > 12 Q0c 0200
    < 13
    * 1 Q0b indications
    ~ Q0b 01
    < 1d Q0b 01
    t 20
    > 0a P02
    < 0b 0102030405
    t 30
    * dead
    """)
}
