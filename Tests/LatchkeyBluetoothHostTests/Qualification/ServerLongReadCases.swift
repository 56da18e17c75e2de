/// Cases of a server: reads in parts, and reads of descriptors.
enum ServerLongReadCases {
  static let values = QualificationCase.table(
    """
    GATT/SR/GAR/BV-04-C a value in parts, to its end
    > 0a P06
    < 0b 11*22
    > 0c P06 1600
    < 0d 22*22
    > 0c P06 2c00
    < 0d 33*16
    > 0c P06 3c00
    < 0d
    GATT/SR/GAR/BV-04-C from any offset
    > 0c P06 0000
    < 0d 11*22
    > 0c P06 1500
    < 0d 11 22*21
    > 0c P02 0400
    < 0d 05
    > 0c P02 0500
    < 0d
    GATT/SR/GAR/BV-04-C the owner hears the offset
    > 0c Q02 1600
    ? read 1 Q02 @22
    ! value 22*30
    < 0d 22*22
    > 0c Q02 0002
    ? read 1 Q02 @512
    ! value
    < 0d
    GATT/SR/GAR/BI-12-C values that may not be read
    > 0c Q04 0000
    < 01 0c Q04 02
    > 0c Q08 1600
    < 01 0c Q08 02
    GATT/SR/GAR/BI-13-C an offset past the end
    > 0c P06 3d00
    < 01 0c P06 07
    > 0c P02 0600
    < 01 0c P02 07
    > 0c P06 ffff
    < 01 0c P06 07
    GATT/SR/GAR/BI-13-C an offset past the owner's value
    > 0c Q02 0002
    ? read 1 Q02 @512
    ! error 07
    < 01 0c Q02 07
    GATT/SR/GAR/BI-13-C an offset that no value has: the owner is not asked
    > 0c Q02 0102
    < 01 0c Q02 07
    > 0c Q02 ffff
    < 01 0c Q02 07
    GATT/SR/GAR/BI-14-C handles without attributes
    > 0c 0000 0000
    < 01 0c 0000 01
    > 0c Z00 0000
    < 01 0c Z00 01
    > 0c ffff ffff
    < 01 0c ffff 01
    GATT/SR/GAR/BI-15-C the owner wants authorization
    > 0c Q06 1600
    ? read 1 Q06 @22
    ! error 08
    < 01 0c Q06 08
    GATT/SR/GAR/BI-16-C encryption or authentication is missing
    > 0c R02 0000
    < 01 0c R02 05
    s encrypted 16
    > 0c R04 1600
    < 01 0c R04 05
    GATT/SR/GAR/BI-17-C the key is too short
    k 16
    s encrypted 15
    > 0c R02 1600
    < 01 0c R02 0c
    GATT/SR/GAR Read Blob of a wrong length
    > 0c
    < 01 0c 0000 04
    > 0c P06
    < 01 0c 0000 04
    > 0c P06 16
    < 01 0c 0000 04
    > 0c P06 160000
    < 01 0c 0000 04
    GATT/SR/GAR/BV-06-C descriptors
    > 0a P03
    < 0b 616263
    > 0a T05
    < 0b 0d
    > 0a Q09
    < 0b 0000
    GATT/SR/GAR/BV-07-C a descriptor in parts, to its end
    > 0a P07
    < 0b 44*22
    > 0c P07 1600
    < 0d 55*22
    > 0c P07 2c00
    < 0d
    GATT/SR/GAR/BV-08-C behind a descriptor's end
    > 0c P07 2c00
    < 0d
    > 0c P07 2d00
    < 01 0c P07 07
    > 0c Q09 0300
    < 01 0c Q09 07
    """)
}
