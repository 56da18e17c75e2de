/// Cases of a server: writes of a whole value, with and without a response.
enum ServerWriteCases {
  static let commands = QualificationCase.table(
    """
    GATT/SR/GAW/BV-01-C a Write Command reaches the owner
    > 52 Q02 0102
    ? command 1 Q02@0=0102
    > 52 Q02
    ? command 1 Q02@0=
    > 52 Q02 5a*20
    ? command 1 Q02@0=5a*20
    GATT/SR/GAW/BV-01-C a Write Command passes while the owner is asked
    > 0a Q06
    ? read 1 Q06 @0
    > 52 Q02 01
    ? command 1 Q02@0=01
    > 52 T04 02
    ? command 2 T04@0=02
    ! value aa
    < 0b aa
    GATT/SR/GAW/BV-01-C a configuration by Write Command
    > 52 Q09 0100
    * 1 Q08 notifications
    > 0a Q09
    < 0b 0100
    GATT/SR/GAW/BI-39-C a Write Command that is too long for a value
    m 517
    > 52 Q02 5a*513
    > 52 Q02 5a*512
    ? command 1 Q02@0=5a*512
    GATT/SR/GAW/BI-39-C a Write Command that is too long for a configuration
    > 52 Q09 010000
    > 52 Q09 01
    > 52 Q09
    > 0a Q09
    < 0b 0000
    GATT/SR/GAW/BI-01-C a signature that is not checked lets nothing pass
    > d2 Q02 01 01000000 00*8
    > d2 Q09 0100 01000000 00*8
    > 0a Q09
    < 0b 0000
    GATT/SR/GAW/BI-40-C a signed write that is too long
    > d2 Q09 010000 01000000 00*8
    > 0a Q09
    < 0b 0000
    GATT/SR/GAW Write Commands that may not be
    > 52 P02 01
    > 52 P00 01
    > 52 Q06 01
    > 52 Q08 01
    > 52 0000 01
    > 52 Z00 01
    > 52 R02 01
    s encrypted 16
    > 52 R04 01
    > 52 R02 02
    ? command 1 R02@0=02
    GATT/SR/GAW a Write Command of a wrong length
    > 52
    > 52 01
    > 0a P02
    < 0b 0102030405
    """)

  static let values = QualificationCase.table(
    """
    GATT/SR/GAW/BV-03-C the owner writes a value
    > 12 Q02 0102
    ? write 1 Q02@0=0102
    ! written
    < 13
    > 12 Q04 03
    ? write 1 Q04@0=03
    ! written
    < 13
    GATT/SR/GAW/BV-03-C no byte, and as many as fit
    > 12 Q02
    ? write 1 Q02@0=
    ! written
    < 13
    > 12 Q02 5a*20
    ? write 1 Q02@0=5a*20
    ! written
    < 13
    GATT/SR/GAW/BI-02-C handles without attributes
    > 12 0000 01
    < 01 12 0000 01
    > 12 Z00 01
    < 01 12 Z00 01
    > 12 ffff 01
    < 01 12 ffff 01
    GATT/SR/GAW/BI-03-C values that may not be written
    > 12 P02 01
    < 01 12 P02 03
    > 12 Q06 01
    < 01 12 Q06 03
    > 12 Q08 01
    < 01 12 Q08 03
    > 12 G02 4c
    < 01 12 G02 03
    > 12 H02 P00 P$$
    < 01 12 H02 03
    GATT/SR/GAW/BI-03-C declarations and descriptors that may not be written
    > 12 P00 e0ff
    < 01 12 P00 03
    > 12 P01 08 P02 f1ff
    < 01 12 P01 03
    > 12 T01 P00 P$$ f0ff
    < 01 12 T01 03
    > 12 P03 64
    < 01 12 P03 03
    GATT/SR/GAW/BI-03-C no security makes them writeable
    s authenticated 16
    > 12 P02 01
    < 01 12 P02 03
    > 12 Q08 01
    < 01 12 Q08 03
    GATT/SR/GAW/BI-04-C the owner wants authorization
    > 12 Q02 01
    ? write 1 Q02@0=01
    ! error 08
    < 01 12 Q02 08
    GATT/SR/GAW/BI-05-C encryption is missing, and a key
    > 12 R02 01
    < 01 12 R02 05
    > 12 R04 01
    < 01 12 R04 05
    GATT/SR/GAW/BI-05-C the key is not authenticated
    s encrypted 16
    > 12 R04 01
    < 01 12 R04 05
    > 12 R02 01
    ? write 1 R02@0=01
    ! written
    < 13
    s authenticated 16
    > 12 R04 01
    ? write 1 R04@0=01
    ! written
    < 13
    GATT/SR/GAW/BI-06-C the key is too short
    k 16
    s encrypted 7
    > 12 R02 01
    < 01 12 R02 0c
    s authenticated 15
    > 12 R04 01
    < 01 12 R04 0c
    GATT/SR/GAW/BI-32-C a value that the owner finds too long
    > 12 Q02 5a*20
    ? write 1 Q02@0=5a*20
    ! error 0d
    < 01 12 Q02 0d
    GATT/SR/GAW/BI-32-C longer than a value can be: the owner is not asked
    m 517
    > 12 Q02 5a*513
    < 01 12 Q02 0d
    > 12 Q02 5a*512
    ? write 1 Q02@0=5a*512
    ! written
    < 13
    GATT/SR/GAW/BI-32-C a configuration has two bytes
    > 12 Q09
    < 01 12 Q09 0d
    > 12 Q09 01
    < 01 12 Q09 0d
    > 12 Q09 010000
    < 01 12 Q09 0d
    > 0a Q09
    < 0b 0000
    GATT/SR/GAW encryption is missing, but not a key
    s bonded
    > 12 R02 01
    < 01 12 R02 0f
    > 12 R04 01
    < 01 12 R04 0f
    GATT/SR/GAW an owner's errors pass as they are
    > 12 Q02 01
    ? write 1 Q02@0=01
    ! error 80
    < 01 12 Q02 80
    > 12 Q02 01
    ? write 1 Q02@0=01
    ! error fc
    < 01 12 Q02 fc
    GATT/SR/GAW a Write Request of a wrong length
    > 12
    < 01 12 0000 04
    > 12 01
    < 01 12 0000 04
    """)

  static let descriptors = QualificationCase.table(
    """
    GATT/SR/GAW/BV-08-C a configuration is written and read
    > 12 Q09 0100
    < 13
    * 1 Q08 notifications
    > 0a Q09
    < 0b 0100
    > 12 Q09 0200
    < 13
    * 1 Q08 indications
    > 0a Q09
    < 0b 0200
    > 12 Q09 0000
    < 13
    * 1 Q08 none
    > 0a Q09
    < 0b 0000
    GATT/SR/GAW/BV-09-C a configuration is written in parts
    > 16 Q09 0000 02
    < 17 Q09 0000 02
    > 16 Q09 0100 00
    < 17 Q09 0100 00
    > 18 01
    < 19
    * 1 Q08 indications
    > 0a Q09
    < 0b 0200
    GATT/SR/GAW/BV-09-C a configuration in parts that is canceled
    > 16 Q09 0000 0200
    < 17 Q09 0000 0200
    > 18 00
    < 19
    > 0a Q09
    < 0b 0000
    GATT/SR/GAW bits that the characteristic does not offer, or that mean nothing
    > 12 Q0c 0100
    < 01 12 Q0c 13
    > 12 Q0c 0300
    < 01 12 Q0c 13
    > 12 Q09 0400
    < 01 12 Q09 13
    > 12 Q09 0101
    < 01 12 Q09 13
    > 12 H03 0100
    < 01 12 H03 13
    > 0a Q09
    < 0b 0000
    > 0a Q0c
    < 0b 0000
    GATT/SR/GAW a configuration in parts of wrong lengths and offsets
    > 16 Q09 0000 01
    < 17 Q09 0000 01
    > 18 01
    < 01 18 Q09 0d
    > 16 Q09 0100 00
    < 17 Q09 0100 00
    > 18 01
    < 01 18 Q09 07
    > 16 Q09 0000 0400
    < 17 Q09 0000 0400
    > 18 01
    < 01 18 Q09 13
    > 0a Q09
    < 0b 0000
    GATT/SR/GAW a configuration that needs encryption
    > 12 R07 0100
    < 01 12 R07 05
    > 52 R07 0100
    > 0a R07
    < 0b 0000
    s encrypted 16
    > 12 R07 0100
    < 13
    * 1 R06 notifications
    """)
}
