/// Cases of a server: clients that cache its database.
enum ServerCachingCases {
  static let caching = QualificationCase.table(
    """
    GATT/SR/GAS/BV-03-C a client's features are kept, and bits without a meaning are not
    > 0a H05
    < 0b 00
    > 12 H05 f9
    < 13
    > 0a H05
    < 0b 01
    GATT/SR/GAS/BV-05-C a client without Robust Caching is not refused
    a
    > 0a P02
    < 0b 0102030405
    GATT/SR/GAS/BV-05-C a client with Robust Caching is refused once
    > 12 H05 01
    < 13
    a
    > 0a P02
    < 01 0a P02 12
    > 0a P02
    < 0b 0102030405
    a
    > 12 Q02 01
    < 01 12 Q02 12
    > 12 Q02 01
    ? write 1 Q02@0=01
    ! written
    < 13
    GATT/SR/GAS/BV-05-C commands are ignored until the next request
    > 12 H05 01
    < 13
    a
    > 52 Q02 01
    > 0a P02
    < 01 0a P02 12
    > 52 Q02 02
    > 0a P02
    < 0b 0102030405
    > 52 Q02 03
    ? command 1 Q02@0=03
    GATT/SR/GAS/BV-06-C a confirmed change is a known one
    > 12 H05 01
    < 13
    > 12 H03 0200
    < 13
    a
    ~ H02 1800ffff
    < 1d H02 1800ffff
    > 1e
    * confirmed H02
    > 0a P02
    < 0b 0102030405
    GATT/SR/GAS/BV-08-C Read Multiple Variable is refused once
    > 12 H05 01
    < 13
    a
    > 20 P02 P03
    < 01 20 P02 12
    > 20 P02 P03
    < 21 0500 0102030405 0300 616263
    GATT/SR/GAW/BI-41-C parts from before a change are refused, and lost
    > 12 H05 01
    < 13
    > 16 Q02 0000 01
    < 17 Q02 0000 01
    a
    > 18 01
    < 01 18 0000 12
    > 18 01
    < 19
    GATT/SR/GAW/BI-41-C a part after a change is refused once
    > 12 H05 01
    < 13
    a
    > 16 Q02 0000 01
    < 01 16 Q02 12
    > 16 Q02 0000 01
    < 17 Q02 0000 01
    GATT/SR/GAS a feature is not taken back
    > 12 H05 03
    < 13
    > 12 H05 01
    < 01 12 H05 13
    > 12 H05 00
    < 01 12 H05 13
    > 12 H05
    < 01 12 H05 0d
    > 0a H05
    < 0b 03
    GATT/SR/GAS a client in doubt gets no values, but what is discovered
    > 12 H05 01
    < 13
    > 12 Q09 0100
    < 13
    * 1 Q08 notifications
    a
    ~ Q08 01
    * nobody
    > 10 P00 ffff 0028
    < 11 06 P00 P$$ f0ff Q00 Q$$ e0ff R00 R$$ d0ff
    > 04 P03 P04
    < 05 01 P03 0129 P04 0429
    > 08 P00 P$$ 0328
    < 09 07 P01 02 P02 f1ff P05 02 P06 f2ff
    GATT/SR/GAS the hash and the server's features are not written
    > 12 H07 00
    < 01 12 H07 03
    > 12 H09 01
    < 01 12 H09 03
    > 0a H09
    < 0b 00
    """)
}
