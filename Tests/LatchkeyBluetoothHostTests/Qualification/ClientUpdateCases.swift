/// Cases of a client: notifications, indications and the Generic Attribute service of a peer.
enum ClientUpdateCases {
  static let notifications = QualificationCase.table(
    """
    GATT/CL/GAN/BV-01-C values are wanted, arrive, and are wanted no more
    > 1b 0c00 01
    + on 000c 000e 10
    < 04 0d00 0e00
    > 05 01 0d00 0229 0e00 0129
    < 12 0d00 0100
    > 13
    = 1 written
    > 1b 0c00 02
    * 000c 02 1
    > 1b 0c00
    * 000c 1
    + off 000c 000e 10
    < 12 0d00 0000
    > 13
    = 2 written
    > 1b 0c00 03
    GATT/CL/GAN/BV-01-C a value before the answer to the configuration
    + on 000c 000d 10
    < 04 0d00 0d00
    > 05 01 0d00 0229
    < 12 0d00 0100
    > 1b 0c00 02
    * 000c 02 1
    > 13
    = 1 written
    GATT/CL/GAN/BV-02-C several values in one PDU
    + on 000c 000d 10
    < 04 0d00 0d00
    > 05 01 0d00 0229
    < 12 0d00 0100
    > 13
    = 1 written
    + on 000f 0010 10
    < 04 1000 1000
    > 05 01 1000 0229
    < 12 1000 0100
    > 13
    = 2 written
    > 23 0c00 0100 01 1200 0100 02 0f00 0200 0304
    * 000c 01 1
    * 000f 0304 1
    GATT/CL/GAN several values of wrong lengths: none arrives
    + on 000c 000d 10
    < 04 0d00 0d00
    > 05 01 0d00 0229
    < 12 0d00 0100
    > 13
    = 1 written
    > 23
    > 23 0c00
    > 23 0c00 0200 01
    > 23 0c00 0100 01 0c00
    > 23 0c00 0100 01 0c00 ffff 02
    > 23 0c00 0100 01 0c00 0100 02
    * 000c 01 1
    * 000c 02 1
    GATT/CL/GAN values of a wrong length, or longer than a value can be
    + on 000c 000d 10
    < 04 0d00 0d00
    > 05 01 0d00 0229
    < 12 0d00 0100
    > 13
    = 1 written
    > 1b
    > 1b 0c
    > 1b 0c00 5a*513
    > 1b 0d00 01
    > 1b 0000 01
    GATT/CL/GAN a characteristic that offers neither
    + on 000c 000d 02
    = 1 refused 06 000c
    + on 000c 000c 10
    = 2 refused 0a 000c
    GATT/CL/GAN a characteristic without a configuration
    + on 000c 000e 10
    < 04 0d00 0e00
    > 05 01 0d00 0129 0e00 0429
    = 1 refused 0a 000c
    > 1b 0c00 01
    GATT/CL/GAN a configuration that is refused
    + on 000c 000d 10
    < 04 0d00 0d00
    > 05 01 0d00 0229
    < 12 0d00 0100
    > 01 12 0d00 13
    = 1 refused 13 000d
    > 1b 0c00 01
    GATT/CL/GAN a configuration that needs security
    ! on 000c 000d 10
    < 04 0d00 0d00
    > 05 01 0d00 0229
    < 12 0d00 0100
    > 01 12 0d00 05
    * security 05 for 1
    r
    < 12 0d00 0100
    > 13
    = 1 written
    > 1b 0c00 01
    * 000c 01 1
    """)

  static let indications = QualificationCase.table(
    """
    GATT/CL/GAI/BV-01-C each value is confirmed
    + on 000c 000d 20
    < 04 0d00 0d00
    > 05 01 0d00 0229
    < 12 0d00 0200
    > 13
    = 1 written
    > 1d 0c00 01
    < 1e
    * 000c 01 1
    > 1d 0c00
    < 1e
    * 000c 1
    GATT/CL/GAI/BV-01-C a value is confirmed while a request is out
    + on 000c 000d 20
    < 04 0d00 0d00
    > 05 01 0d00 0229
    < 12 0d00 0200
    > 1d 0c00 01
    < 1e
    * 000c 01 1
    > 13
    = 1 written
    GATT/CL/GAI/BI-01-C a second value before the first can be confirmed
    + on 000c 000d 20
    < 04 0d00 0d00
    > 05 01 0d00 0229
    < 12 0d00 0200
    > 13
    = 1 written
    > 1d 0c00 01
    < 1e
    * 000c 01 1
    > 1d 0c00 02
    < 1e
    * 000c 02 1
    GATT/CL/GAI values that nobody wants are confirmed
    > 1d 0c00 01
    < 1e
    > 1d 0000 01
    < 1e
    GATT/CL/GAI values of a wrong length are confirmed
    > 1d
    < 1e
    > 1d 0c
    < 1e
    > 1d 0c00 5a*513
    < 1e
    """)

  static let serviceChanged = QualificationCase.table(
    """
    GATT/CL/GAS/BV-01-C Service Changed is found, wanted and confirmed
    + changes
    < 06 0100 ffff 0028 0118
    > 07 0600 0900
    < 08 0600 0900 0328
    > 09 07 0700 20 0800 052a
    < 04 0900 0900
    > 05 01 0900 0229
    < 12 0900 0200
    > 13
    = 1 written
    > 1d 0800 0a00 ffff
    < 1e
    * changed 000a-ffff
    GATT/CL/GAS/BV-02-C the Database Hash is read by its UUID
    + first 2b2a 0001-ffff
    < 08 0100 ffff 2a2b
    > 09 12 0b00 5a*16
    = 1 000b=5a*16
    GATT/CL/GAS a peer without the service, without the characteristic, without its indication
    + changes
    < 06 0100 ffff 0028 0118
    > 01 06 0100 0a
    = 1 refused 0a 0001
    + changes
    < 06 0100 ffff 0028 0118
    > 07 0600 0600
    < 08 0600 0600 0328
    > 01 08 0600 0a
    = 2 refused 0a 0006
    + changes
    < 06 0100 ffff 0028 0118
    > 07 0600 0900
    < 08 0600 0900 0328
    > 09 07 0700 02 0800 052a
    = 3 refused 0a 0008
    GATT/CL/GAS a peer whose service has no end
    + changes
    < 06 0100 ffff 0028 0118
    > 07 0600 ffff
    < 08 0600 ffff 0328
    > 09 07 0700 02 0800 f1ff
    < 08 0800 ffff 0328
    > 09 07 0900 02 0a00 f1ff
    < 08 0a00 ffff 0328
    > 09 07 0b00 02 0c00 f1ff
    < 08 0c00 ffff 0328
    > 09 07 0d00 02 0e00 f1ff
    < 08 0e00 ffff 0328
    > 09 07 0f00 02 1000 f1ff
    < 08 1000 ffff 0328
    > 09 07 1100 02 1200 f1ff
    < 08 1200 ffff 0328
    > 09 07 1300 02 1400 f1ff
    < 08 1400 ffff 0328
    > 09 07 1500 02 1600 f1ff
    < 08 1600 ffff 0328
    > 09 07 1700 02 1800 f1ff
    = 1 peerMisbehaved
    GATT/CL/GAS changes of a wrong length, or of no range, change nothing
    + changes
    < 06 0100 ffff 0028 0118
    > 07 0600 0900
    < 08 0600 0900 0328
    > 09 07 0700 20 0800 052a
    < 04 0900 0900
    > 05 01 0900 0229
    < 12 0900 0200
    > 13
    = 1 written
    > 1d 0800
    < 1e
    > 1d 0800 0a00 ff
    < 1e
    > 1d 0800 0a00 ffff 00
    < 1e
    > 1d 0800 ffff 0a00
    < 1e
    > 1d 0800 0000 ffff
    < 1e
    > 1d 0c00 0a00 ffff
    < 1e
    GATT/CL/GAS a change before Service Changed is known changes nothing
    > 1d 0800 0a00 ffff
    < 1e
    """)
}
