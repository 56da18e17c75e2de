extension NumberTable {
  /// Companies below 0x0800 (Assigned Numbers 7.1).
  static let firstCompanyText: StaticString = #"""
    0000 Ericsson AB|Nokia Mobile Phones|Intel Corp.|IBM Corp.|Toshiba Corp.|3Com|Microsoft|Lucent|Motorola
    0009 Infineon Technologies AG|Qualcomm Technologies International, Ltd. (QTIL)|Silicon Wave|Digianswer A/S
    000D Texas Instruments Inc.|Parthus Technologies Inc.|Broadcom Corporation|Mitel Semiconductor|Widcomm, Inc.
    0012 Zeevo, Inc.|Atmel Corporation|Mitsubishi Electric Corporation|RTX A/S|KC Technology Inc.|Newlogic
    0018 Transilica, Inc.|Rohde & Schwarz GmbH & Co. KG|TTPCom Limited|Signia Technologies, Inc.
    001C Conexant Systems Inc.|Qualcomm|Inventel|AVM Berlin|BandSpeed, Inc.|Mansella Ltd|NEC Corporation
    0023 WavePlus Technology Co., Ltd.|Alcatel|NXP B.V.|C Technologies|Open Interface|R F Micro Devices|Hitachi Ltd
    002A Symbol Technologies, Inc.|Tenovis|Macronix International Co. Ltd.|GCT Semiconductor|Norwood Systems
    002F MewTel Technology Inc.|ST Microelectronics|Synopsys, Inc.|Red-M (Communications) Ltd|Commil Ltd
    0034 Computer Access Technology Corporation (CATC)|Eclipse (HQ Espana) S.L.|Renesas Electronics Corporation
    0037 Mobilian Corporation|Syntronix Corporation|Integrated System Solution Corp.|Panasonic Holdings Corporation
    003B Gennum Corporation|BlackBerry Limited|IPextreme, Inc.|Systems and Chips, Inc|Bluetooth SIG, Inc
    0040 Seiko Epson Corporation|Integrated Silicon Solution Taiwan, Inc.|CONWISE Technology Corporation Ltd
    0043 PARROT AUTOMOTIVE SAS|Socket Mobile|Atheros Communications, Inc.|MediaTek, Inc.|Bluegiga
    0048 Marvell Technology Group Ltd.|3DSP Corporation|Accel Semiconductor Ltd.|Continental Automotive Systems
    004C Apple, Inc.|Staccato Communications, Inc.|Avago Technologies|APT Ltd.|SiRF Technology, Inc.
    0051 Tzero Technologies, Inc.|J&M Corporation|Free2move AB|3DiJoy Corporation|Plantronics, Inc.
    0056 Sony Ericsson Mobile Communications|Harman International Industries, Inc.|Vizio, Inc.
    0059 Nordic Semiconductor ASA|EM Microelectronic-Marin SA|Ralink Technology Corporation
    005C Belkin International, Inc.|Realtek Semiconductor Corporation|Stonestreet One, LLC|Wicentric, Inc.
    0060 RivieraWaves S.A.S|RDA Microelectronics|Gibson Guitars|MiCommand Inc.|Band XI International, LLC|HP, Inc.
    0067 GN Hearing|General Motors|A&D Engineering, Inc.|LTIMINDTREE LIMITED|Polar Electro OY
    006C Beautiful Enterprise Co., Ltd.
    006E Summit Data Communications, Inc.|Sound ID|Monster, LLC|connectBlue AB
    0072 ShangHai Super Smart Electronics Co. Ltd.|Group Sense Ltd.|Zomm, LLC|Samsung Electronics Co. Ltd.
    0076 Creative Technology Ltd.|Laird Connectivity LLC|Nike, Inc.|lesswire AG|MStar Semiconductor, Inc.
    007B Hanlynn Technologies
    007D Seers Technology Co., Ltd.|Sports Tracking Technologies Ltd.|Autonet Mobile
    0080 DeLorme Publishing Company, Inc.|WuXi Vimicro|DSEA A/S|TimeKeeping Systems, Inc.|Ludus Helsinki Ltd.
    0085 BlueRadios, Inc.|Equinux AG|Garmin International, Inc.|Ecotest|GN Hearing A/S|Jawbone
    008B Topcon Positioning Systems, LLC|Gimbal Inc.|Zscan Software|Quintic Corp|Telit Wireless Solutions GmbH
    0090 Funai Electric Co., Ltd.|Advanced PANMOBIL systems GmbH & Co. KG|ThinkOptics, Inc.
    0093 Universal Electronics, Inc.|Airoha Technology Corp.|NEC Lighting, Ltd.|ODM Technology, Inc.
    0097 ConnecteDevice Ltd.|zero1.tv GmbH|i.Tech Dynamic Global Distribution Ltd.|Alpwise
    009B Jiangsu Toppower Automotive Electronics Co., Ltd.|Colorfy, Inc.|Geoforce Inc.|Bose Corporation|Suunto Oy
    00A0 Kensington Computer Products Group|SR-Medizinelektronik|Vertu Corporation Limited|Meta Watch Ltd.|LINAK A/S
    00A5 OTL Dynamics LLC|Panda Ocean Inc.|Visteon Corporation|ARP Devices Limited|MARELLI EUROPE S.P.A.
    00AA CAEN RFID srl|Ingenieur-Systemgruppe Zahn GmbH|Green Throttle Games|Peter Systemtechnik GmbH|Omegawave Oy
    00AF Cinetix|Passif Semiconductor Corp|Saris Cycling Group, Inc|Bekey A/S|Clarinox Technologies Pty. Ltd.
    00B4 BDE Technology Co., Ltd.|Swirl Networks|Meso international|TreLab Ltd
    00B8 Qualcomm Innovation Center, Inc. (QuIC)|Johnson Controls, Inc.|Starkey Hearing Technologies
    00BB S-Power Electronics Limited|Ace Sensor Inc|Aplix Corporation|AAMP of America|Stalmart Technology Limited
    00C0 AMICCOM Electronics Corporation|Shenzhen Excelsecu Data Technology Co.,Ltd|Geneq Inc.|adidas AG
    00C4 LG Electronics|Onset Computer Corporation|Selfly BV|Quuppa Oy.|GeLo Inc|Evluma|MC10|Binauric SE
    00CC Beats Electronics|Microchip Technology Inc.|Eve Systems GmbH|ARCHOS SA|Dexcom, Inc.
    00D1 Polar Electro Europe B.V.|Renesas Design Netherlands B.V.|Taixingbang Technology (HK) Co,. LTD.
    00D5 Austco Communication Systems|Timex Group USA, Inc.|Qualcomm Technologies, Inc.
    00D8 Qualcomm Connected Experiences, Inc.|Voyetra Turtle Beach|txtr GmbH|Snuza (Pty) Ltd|Procter & Gamble
    00DD Hosiden Corporation|Muzik LLC|Misfit Wearables Corp|Google|Danlers Ltd|Semilink Inc|inMusic Brands, Inc
    00E4 L.S. Research, Inc.|Eden Software Consultants Ltd.
    00E7 KS Technologies|ACTS Technologies|Vtrack Systems|Nielsen-Kellerman|Server Technology Inc.
    00EC BioResearch Associates|Jolly Logic, LLC|Above Average Outcomes, Inc.|Bitsplitters GmbH|PayPal, Inc.
    00F1 Witron Technology Limited|Morse Project Inc.|Kent Displays Inc.|Nautilus Inc.|Smartifier Oy
    00F6 Elcometer Limited|VSN Technologies, Inc.|AceUni Corp., Ltd.
    00FA Crystal Alarm AB|KOUKAAM a.s.|Delphi Corporation|ValenceTech Limited|Stanley Black and Decker
    00FF Typo Products, LLC|TomTom International BV|Fugoo, Inc.|Keiser Corporation|Bang & Olufsen A/S
    0104 PLUS Location Systems Pty Ltd|Ubiquitous Computing Technology Corporation|Innovative Yachtter Solutions
    0107 Demant A/S|Chicony Electronics Co., Ltd.|Atus BV|Codegate Ltd|ERi, Inc|Transducers Direct, LLC
    010D DENSO TEN Limited|Audi AG|HiSilicon Technologies CO., LIMITED|Nippon Seiki Co., Ltd.|Steelseries ApS
    0112 Visybl Inc.|Openbrain Technologies, Co., Ltd.
    0115 e.solutions|10AK Technologies|Wimoto Technologies Inc|Radius Networks, Inc.
    011A Qualcomm Labs, Inc.|Hewlett Packard Enterprise|Baidu|Arendi AG|Skoda Auto a.s.|Volkswagen AG|Porsche AG
    0121 Sino Wealth Electronic Ltd.|AirTurn, Inc.|Kinsa, Inc|HID Global|SEAT es|Promethean Ltd.
    0127 Salutica Allied Solutions|GPSI Group Pty Ltd|Nimble Devices Oy|Changzhou Yongse Infotech Co., Ltd.|SportIQ
    012C TEMEC Instruments B.V.|Sony Corporation|ASSA ABLOY|Clarion Co. Inc.|Warehouse Innovations
    0131 Cypress Semiconductor|MADS Inc|Blue Maestro Limited|Resolution Products, Ltd.|Aireware LLC|Silvair, Inc.
    0137 Prestigio Plaza Ltd.|NTEO Inc.|Focus Systems Corporation|Tencent Holdings Ltd.|Allegion
    013C Murata Manufacturing Co., Ltd.|WirelessWERX|Nod, Inc.
    0140 Alpine Electronics (China) Co., Ltd|FedEx Services|Grape Systems Inc.|Bkon Connect|Lintech GmbH
    0145 Novatel Wireless|Ciright|Mighty Cast, Inc.|Ambimat Electronics|Perytons Ltd.|Tivoli Audio, LLC|Master Lock
    014C Mesh-Net Ltd|HUIZHOU DESAY SV AUTOMOTIVE CO., LTD.|Tangerine, Inc.|B&W Group Ltd.|Pioneer Corporation
    0151 OnBeep|Vernier Software & Technology|ROL Ergo|Pebble Technology|NETATMO|Accumulate AB
    0157 Anhui Huami Information Technology Co., Ltd.|Inmite s.r.o.|ChefSteps, Inc.|micas AG
    015B Biomedical Research Ltd.|Pitius Tec S.L.|Estimote, Inc.|Unikey Technologies, Inc.|Timer Cap Co.|AwoX|yikes
    0162 MADSGlobalNZ Ltd.|PCH International|Qingdao Yeelink Information Technology Co., Ltd.
    0165 Milwaukee Electric Tools|MISHIK Pte Ltd|Ascensia Diabetes Care US Inc.|Spicebox LLC|emberlight
    016A Copeland Cold Chain LP|Qblinks|MYSPHERA|LifeScan Inc|Volantic AB|Podo Labs, Inc|Roche Diabetes Care AG
    0171 Amazon.com Services LLC|Connovate Technology Private Limited|Kocomojo, LLC|Everykey Inc.|Dynamic Controls
    0176 SentriLock|I-SYST inc.|CASIO COMPUTER CO., LTD.|LAPIS Semiconductor Co.,Ltd|Telemonitor, Inc.|taskit GmbH
    017C Mercedes-Benz Group AG|BatAndCat|BluDotz Ltd|XTel Wireless ApS|Gigaset Technologies GmbH
    0181 Gecko Health Innovations, Inc.|HOP Ubiquitous|Walt Disney|Nectar
    0186 CORE Lighting Ltd|Seraphim Sense Ltd|Unico RBC|Physical Enterprises Inc.|Able Trend Technology Limited
    018B Konica Minolta, Inc.|Wilo SE|Extron Design Services|Google LLC
    0190 Intelletto Technologies Inc.|FDK CORPORATION|Cloudleaf, Inc|Maveric Automation LLC
    0194 Acoustic Stream Corporation|Zuli|Paxton Access Ltd|WiSilica Inc.|VENGIT Korlatolt Felelossegu Tarsasag
    0199 SALTO SYSTEMS S.L.|TRON Forum|CUBETECH s.r.o.|Cokiya Incorporated|CVS Health|Ceruus|Strainstall Ltd
    01A0 Channel Enterprises (HK) Ltd.|FIAMM|GIGALANE.CO.,LTD|EROAD|MSA Innovation, LLC|Icon Health and Fitness
    01A6 Wille Engineering|ENERGOUS CORPORATION|Taobao|Canon Inc.|Geophysical Technology Inc.|Meta Platforms, Inc.
    01AC Trividia Health, Inc.|FlightSafety International
    01AF Sunrise Micro Devices, Inc.|Star Micronics Co., Ltd.|Netizens Sp. z o.o.|Nymi Inc.|Nytec, Inc.
    01B4 Trineo Sp. z o.o.|Nest Labs Inc.|LM Technologies Ltd|General Electric Company|i+D3 S.L.|HANA Micron
    01BA Stages Cycling LLC|Cochlear Bone Anchored Solutions AB|SenionLab AB|Syszone Co., Ltd|Pulsate Mobile Ltd.
    01BF Hongkong OnMicro Electronics Limited
    01C1 BRADATECH Corp.|Transenergooil AG
    01C4 DME Microelectronics|Bitcraze AB|HASWARE Inc.|Abiogenix Inc.|Poly-Control ApS|Avi-on|Laerdal Medical AS
    01CB Fetch My Pet|Sam Labs Ltd.|Chengdu Synwing Technology Ltd|HOUWA SYSTEM DESIGN, k.k.|BSH
    01D0 Primus Inter Pares Ltd|August Home, Inc|Gill Electronics|Sky Wave Design|Newlab S.r.l.|ELAD srl
    01D6 G-wearables inc.
    01D8 Code Corporation|Savant Systems LLC|Logitech International SA|Innblue Consulting|iParking Ltd.
    01DD Koninklijke Philips N.V.|Minelab Electronics Pty Limited|Bison Group Ltd.|Widex A/S|Jolla Ltd
    01E3 Caterpillar Inc|Freedom Innovations|Dynamic Devices Ltd|Technology Solutions (UK) Ltd
    01EA Advanced Application Design, Inc.
    01EC Spreadtrum Communications Shanghai Ltd|CuteCircuit LTD|Valeo Service|Fullpower Technologies, Inc.
    01F0 KloudNation|Zebra Technologies Corporation|Itron, Inc.|The University of Tokyo|UTC Fire and Security
    01F5 Cool Webthings Limited|DJO Global|Gelliner Limited|Anyka (Guangzhou) Microelectronics Technology Co, LTD
    01F9 Medtronic Inc.|Gozio Inc.|Form Lifting, LLC|Wahoo Fitness, LLC|Kontakt Micro-Location Sp. z o.o.
    01FE Radio Systems Corporation|Freescale Semiconductor, Inc.|Verifone Systems Pte Ltd. Taiwan Branch|AR Timing
    0202 Rigado LLC|Kemppi Oy
    0206 Otter Products, LLC|STEMP Inc.|LumiGeek LLC|InvisionHeart Inc.|Macnica Inc.|Jaguar Land Rover Limited
    020C CoroWare Technologies, Inc
    020E Omron Healthcare Co., LTD|Comodule GMBH|ikeGPS|Telink Semiconductor Co. Ltd|Interplan Co., Ltd|Wyler AG
    0214 IK Multimedia Production srl|Lukoton Experience Oy|MTI Ltd|Tech4home, Lda
    0219 DOTT Limited|Blue Speck Labs, LLC|Cisco Systems, Inc|Mobicomm Inc|Edamic|Goodnet, Ltd
    021F Luster Leaf Products Inc|Manus Machina BV|Mobiquity Networks Inc|Praxis Dynamics
    0223 Philip Morris Products S.A.|Comarch SA|Nestlé Nespresso S.A.|Merlinia A/S|LifeBEAM Technologies
    0228 Twocanoes Labs, LLC|Muoverti Limited|Stamer Musikanlagen GMBH|Tesla, Inc.|Pharynks Corporation|Lupine
    022E Siemens AG
    0230 Foster Electric Company, Ltd|ETA SA|x-Senso Solutions Kft|Shenzhen SuLong Communication Ltd
    0234 FengFan (BeiJing) Technology Co, Ltd|Qrio Inc|Pitpatpet Ltd|MSHeli s.r.l.|Trakm8 Ltd|JIN CO, Ltd
    023A Alatech Tehnology|Beijing CarePulse Electronic Technology Co, Ltd
    023D ViCentra B.V.|Raven Industries|WaveWare Technologies Inc.|Argenox Technologies|Bragi GmbH
    0243 Masimo Corp|Iotera Inc|Endress+Hauser|ACKme Networks, Inc.|FiftyThree Inc.|Parker Hannifin Corp
    024A Uwatec AG|Orlan LLC|Blue Clover Devices|M-Way Solutions GmbH|Microtronics Engineering GmbH
    024F Schneider Schreibgeräte GmbH|Sapphire Circuits LLC|Lumo Bodytech Inc.|UKC Technosolution|Xicato Inc.
    0254 Playbrush|Dai Nippon Printing Co., Ltd.|G24 Power Limited|AdBabble Local Commerce Inc.|Devialet SA|ALTYOR
    025A University of Applied Sciences Valais/Haute Ecole Valaisanne|Five Interactive, LLC dba Zendo
    025C NetEase（Hangzhou）Network co.Ltd.|Lexmark International Inc.|Fluke Corporation|Yardarm Technologies
    0261 SECVRE GmbH|Glacial Ridge Technologies|Identiv, Inc.|DDS, Inc.|SMK Corporation|Schawbel Technologies LLC
    0267 XMI Systems SA|Cerevo|Torrox GmbH & Co KG|Gemalto|DEKA Research & Development Corp.
    026C Domster Tadeusz Szydlowski|Technogym SPA|FLEURBAEY BVBA|Aptcode Solutions|LSI ADL Technology|Animas Corp
    0272 Alps Alpine Co., Ltd.|OCEASOFT|Motsai Research|Geotab|E.G.O. Elektro-Geraetebau GmbH|bewhere inc
    0278 Johnson Outdoors Inc|steute Schaltgerate GmbH & Co. KG|Ekomini inc.|DEFA AS|Aseptika Ltd
    027D HUAWEI Technologies Co., Ltd.|HabitAware, LLC|ruwido austria gmbh|ITEC corporation|StoneL|Sonova AG
    0283 Maven Machines, Inc.|Synapse Electronics|WOWTech Canada Ltd.|RF Code, Inc.|Wally Ventures S.L.
    0289 SK Telecom|Jetro AS|Code Gears LTD|NANOLINK APS
    028E RF Digital Corp|Church & Dwight Co., Inc|Multibit Oy|CliniCloud Inc
    0293 Blue Bite|ELIAS GmbH|Sivantos GmbH|Petzl|storm power ltd|EISST Ltd|Inexess Technology Simma KG
    029A Currant, Inc.|C2 Development, Inc.|Blue Sky Scientific, LLC|ALOTTAZS LABS, LLC|Kupson spol. s r.o.
    029F Areus Engineering GmbH|Impossible Camera GmbH
    02A2 Sera4 Ltd.|Itude|Pacific Lock Company|Tendyron Corporation|Robert Bosch GmbH|Illuxtron international B.V.
    02A8 miSport Ltd.|Chargelib|Doppler Lab|BBPOS Limited|RTB Elektronik GmbH & Co. KG|Rx Networks, Inc.
    02AE WeatherFlow, Inc.|Technicolor USA Inc.|Bestechnic(Shanghai),Ltd|Raden Inc|Oura Health Oy|CLABER S.P.A.
    02B4 Hyginex, Inc.|HANSHIN ELECTRIC RAILWAY CO.,LTD.|Schneider Electric|Oort Technologies LLC
    02B8 Chrono Therapeutics|Rinnai Corporation|Swissprime Technologies AG|YOKOWO CO., LTD.|Genevac Ltd|Chemtronics
    02BE Seguro Technology Sp. z o.o.|Redbird Flight Simulations|Dash Robotics|LINE Corporation
    02C2 Guillemot Corporation|Techtronic Power Tools Technology Limited|Wilson Sporting Goods
    02C5 Lenovo (Singapore) Pte Ltd.|Ayatan Sensors|Electronics Tomorrow Limited|OneSpan|PayRange Inc.
    02CA ABOV Semiconductor|AINA-Wireless Inc.
    02CD BMA ergonomics b.v.|Teva Branded Pharmaceutical Products R&D, Inc.|Anima|3M|Empatica Srl|Afero, Inc.
    02D3 Powercast Corporation|Secuyou ApS|OMRON Corporation|Send Solutions|NIPPON SYSTEMWARE CO.,LTD.|Neosfar
    02D9 Fliegl Agrartechnik GmbH|Gilvader|Digi International Inc (R)|DeWalch Technologies, Inc.
    02DD Flint Rehabilitation Devices, LLC|Samsung SDS Co., Ltd.|Blur Product Development|University of Michigan
    02E1 Victron Energy BV|NTT docomo|Carmanah Technologies Corp.|Bytestorm Ltd.
    02E5 Espressif Systems (Shanghai) Co., Ltd.|Unwire|Connected Yard, Inc.|American Music Environments
    02E9 Sensogram Technologies, Inc.|Fujitsu Limited|Ardic Technology|Delta Systems, Inc|HTC Corporation
    02EE Citizen Holdings Co., Ltd.|SMART-INNOVATION.inc|Blackrat Software|The Idea Cave, LLC|GoPro, Inc.
    02F3 AuthAir, Inc|Vensi, Inc.|Indagem Tech LLC|Intemo Technologies
    02F8 Runteq Oy Ltd|IMAGINATION TECHNOLOGIES LTD
    02FB Clarius Mobile Health Corp.|Shanghai Frequen Microelectronics Co., Ltd.
    02FE Lierda Science & Technology Group Co., Ltd.|Silicon Laboratories|World Moto Inc.|Giatec Scientific Inc.
    0302 Loop Devices, Inc|IACA electronique|Oura Health Ltd|Swipp ApS|Life Laboratory Inc.|FUJI INDUSTRIAL CO.,LTD.
    0308 Surefire, LLC|Dolby Labs|Ellisys|Magnitude Lighting Converters|Hilti AG|Devdata S.r.l.
    030F Shortcut Labs|SGL Italia S.r.l.|PEEQ DATA|Ducere Technologies Pvt Ltd|DiveNav, Inc.|RIIG AI Sp. z o.o.
    0315 Thermo Fisher Scientific|AG Measurematics Pvt. Ltd.|CHUO Electronics CO., LTD.|Aspenta International
    0319 Eugster Frismag AG|Wurth Elektronik eiSos GmbH & Co. KG|HQ Inc|Lab Sensor Solutions|Enterlab ApS
    031E Eyefi, Inc.|MetaSystem S.p.A.|SONO ELECTRONICS. CO., LTD
    0323 Rotor Bike Components|Astro, Inc.|Amotus Solutions|Healthwear Technologies (Changzhou)Ltd|Essex Electronics
    0328 Grundfos A/S|Eargo, Inc.|Electronic Design Lab|ESYLUX|NIPPON SMT.CO.,Ltd|BM innovations GmbH|indoormap
    032F OttoQ Inc|North Pole Engineering|3flares Technologies Inc.
    0333 Mul-T-Lock|Airthings ASA|Enlighted Inc|GISTIC|AJP2 Holdings, LLC|COBI GmbH|Blue Sky Scientific, LLC
    033A Appception, Inc.|Courtney Thorne Limited|Virtuosys|TPV Technology Limited|Monitra SA
    033F Automation Components, Inc.|Letsense s.r.l.|Etesian Technologies LLC|GERTEC BRASIL LTDA.
    0343 Drekker Development Pty. Ltd.|Whirl Inc|Locus Positioning|Acuity Brands Lighting, Inc|Prevent Biometrics
    0349 VersaMe
    034B Libratone A/S|HM Electronics, Inc.|TASER International, Inc.
    034F Heartland Payment Systems|Bitstrata Systems Inc.|Pieps GmbH|iRiding(Xiamen)Technology Co.,Ltd.
    0353 Alpha Audiotronics, Inc.|TOPPAN FORMS CO.,LTD.|Sigma Designs, Inc.|Spectrum Brands, Inc.|Polymap Wireless
    0358 MagniWare Ltd.|Novotec Medical GmbH|Phillips-Medisize A/S|Matrix Inc.|Eaton Corporation|KYS
    035E Naya Health, Inc.|Acromag|Insulet Corporation|Wellinks Inc.|ON Semiconductor|FREELAP SA
    0364 Favero Electronics Srl|BioMech Sensor LLC|BOLTT Sports technologies Private limited
    0368 Metormote AB|littleBits|SetPoint Medical|BRControls Products BV|Zipcar|AirBolt Pty Ltd
    036E MOTIVE TECHNOLOGIES, INC.|Motiv, Inc.|Wazombi Labs OÜ
    0372 Nixie Labs, Inc.|AppNearMe Ltd|Holman Industries|Expain AS|Electronic Temperature Instruments Ltd|Plejd AB
    0378 Propeller Health|Shenzhen iMCO Electronic Technology Co.,Ltd|Algoria|Apption Labs Inc.
    037C Cronologics Corporation|MICRODIA Ltd.|lulabytes S.L.|Société des Produits Nestlé S.A.
    0380 LLC "MEGA-F service"|Sharp Corporation|Precision Outcomes Ltd|Kronos Incorporated
    0385 Embedded Electronic Solutions Ltd. dba e2Solutions|Aterica Inc.|BluStor PMC, Inc.|Kapsch TrafficCom AB
    0389 ActiveBlu Corporation|Kohler Mira Limited|Noke|Appion Inc.|Resmed Ltd|Crownstone B.V.|Xiaomi Inc.
    0390 INFOTECH s.r.o.|Thingsquare AB|T&D|LAVAZZA S.p.A.
    0395 SDATAWAY|BLOKS GmbH|LEGO System A/S|Thetatronics Ltd|Nikon Corporation|NeST
    039B South Silicon Valley Microelectronics|ALE International|CareView Communications, Inc.|SchoolBoard Limited
    039F Molex Corporation|IVT Wireless Limited|Alpine Labs LLC|Candura Instruments|SmartMovt Technology Co., Ltd
    03A4 Token Zero Ltd|ACE CAD Enterprise Co., Ltd. (ACECAD)|Medela, Inc|AeroScout|Esrille Inc.
    03AA Exon Sp. z o.o.|Meizu Technology Co., Ltd.
    03AD XiQ|Allswell Inc.|Comm-N-Sense Corp DBA Verigo|VIBRADORM GmbH|Otodata Wireless Network Inc.
    03B2 Propagation Systems Limited|Midwest Instruments & Controls|Alpha Nodus, inc.|petPOMM, Inc|Mattel
    03B7 Airbly Inc.|A-Safe Limited|FREDERIQUE CONSTANT SA|Maxscend Microelectronics Company Limited|Abbott
    03BC ASB Bank Ltd|amadas|Applied Science, Inc.|iLumi Solutions Inc.|Arch Systems Inc.|Ember Technologies, Inc.
    03C2 Snapchat Inc|Casambi Technologies Oy|Pico Technology Inc.|St. Jude Medical, Inc.|Intricon
    03C7 Structural Health Systems, Inc.|Avvel International|Gallagher Group|In2things Automation Pvt. Ltd.
    03CB SYSDEV Srl|Vonkil Technologies Ltd|Wynd Technologies, Inc.|CONTRINEX S.A.|MIRA, Inc.|Watteam Ltd
    03D1 Density Inc.|IOT Pot India Private Limited|Sigma Connectivity AB|PEG PEREGO SPA|Wyzelink Systems Inc.
    03D6 Yota Devices LTD|FINSECUR|Zen-Me Labs Ltd|3IWare Co., Ltd.|EnOcean GmbH|Instabeat, Inc|Nima Labs
    03DD Andreas Stihl AG & Co. KG|Nathan Rhoades LLC|Grob Technologies, LLC|Actions Technology Co.,Ltd
    03E1 SPD Development Company Ltd|Sensoan Oy|Qualcomm Life Inc|Chip-ing AG|ffly4u|IoT Instruments Oy
    03E7 TRUE Fitness Technology|Reiner Kartengeraete GmbH & Co. KG.|SHENZHEN LEMONJOY TECHNOLOGY CO., LTD.
    03EA Hello Inc.|Ozo Edu, Inc.|Jigowatts Inc.|BASIC MICRO.COM,INC.|CUBE TECHNOLOGIES|foolography GmbH|CLINK
    03F1 Hestan Smart Cooking Inc.|WindowMaster A/S
    03F4 PAL Technologies Ltd|WHERE, Inc.|Iton Technology Corp.|Owl Labs Inc.|Rockford Corp.
    03F9 Becon Technologies Co.,Ltd.|Vyassoft Technologies Inc|Nox Medical|Kimberly-Clark|Trimble Inc.|Littelfuse
    03FF Withings|i-developer IT Beratung UG|Relations Inc.|Sears Holdings Corporation|Gantner Electronic GmbH
    0404 Authomate Inc|Vertex International, Inc.
    0407 Swiss Audio SA|ToGetHome Inc.|RYSE INC.|ZF OPENMATICS s.r.o.|Jana Care Inc.|Senix Corporation
    040D NorthStar Battery Company, LLC|SKF (U.K.) Limited|CO-AX Technology, Inc.|Fender Musical Instruments
    0411 Luidia Inc|SEFAM|Wireless Cables Inc
    0416 SODA GmbH|Fatigue Science
    0419 Novalogy LTD|Friday Labs Limited|OrthoAccel Technologies|WaterGuru, Inc.
    041D Benning Elektrotechnik und Elektronik GmbH & Co. KG|Dell Computer Corporation|Kopin Corporation
    0420 TecBakery GmbH|Backbone Labs, Inc.|DELSEY SA|Chargifi Limited|Trainesense Ltd.
    0425 Unify Software and Solutions GmbH & Co. KG|Husqvarna AB|Focus fleet and fuel management inc|SmallLoop, LLC
    0429 Prolon Inc.|BD Medical|iMicroMed Incorporated|Ticto N.V.|Meshtech AS|MemCachier Inc.|Danfoss A/S
    0430 SnapStyk Inc.|Alticor Inc.|Silk Labs, Inc.|Pillsy Inc.|Hatch Baby, Inc.|Blocks Wearables Ltd.
    0436 Drayson Technologies (Europe) Limited|eBest IOT Inc.|Helvar Ltd|Radiance Technologies|Nuheara Limited
    043B Appside co., ltd.
    043D Coiler Corporation|Thermomedics, Inc.|Tentacle Sync GmbH|Valencell, Inc.
    0442 SECOM CO., LTD.|Tucker International LLC|Metanate Limited|Kobian Canada Inc.|NETGEAR, Inc.
    0447 Fabtronics Australia Pty Ltd|Grand Centrix GmbH|1UP USA.com llc|SHIMANO INC.|Nain Inc.|LifeStyle Lock, LLC
    044D VEGA Grieshaber KG|Xtrava Inc.|TTS Tooltechnic Systems AG & Co. KG|Teenage Engineering AB
    0451 Tunstall Nordic AB|Svep Design Center AB|Qorvo Utrecht B.V.|Sphinx Electronics GmbH & Co KG|Atomation
    0456 Nemik Consulting Inc|RF INNOVATION|Mini Solution Co., Ltd.
    045A 2048450 Ontario Inc
    045C Delta T Corporation|Boston Scientific Corporation|Nuviz, Inc.|Real Time Automation, Inc.|Kolibree
    0461 vhf elektronik GmbH|Bonsai Systems GmbH|Fathom Systems Inc.|Bellman & Symfon Group AB
    0465 International Forte Group LLC
    0467 Codenex Oy|Kynesim Ltd|Palago AB|INSIGMA INC.|PMD Solutions|Qingdao Realtime Technology Co., Ltd.
    046D BEGA Gantenbrink-Leuchten KG|Pambor Ltd.|Develco Products A/S|iDesign s.r.l.|TiVo Corp|Control-J Pty Ltd
    0473 Steelcase, Inc.|iApartment co., ltd.|Icom inc.
    0477 Blue Spark Technologies|FarSite Communications Limited|mywerk system GmbH|Sinosun Technology Co., Ltd.
    047B MIYOSHI ELECTRONICS CORPORATION|POWERMAT LTD|Occly LLC|OurHub Dev IvS|Pro-Mark, Inc.
    0481 Quintrax Limited|POS Tuning Udo Vosshenrich GmbH & Co. KG
    0484 Revol Technologies Inc|SKIDATA AG
    0486 DEV TECNOLOGIA INDUSTRIA, COMERCIO E MANUTENCAO DE EQUIPAMENTOS LTDA. - ME|Centrica Connected Home
    0488 Automotive Data Solutions Inc|Igarashi Engineering|Taelek Oy
    048C Vectronix AG|S-Labs Sp. z o.o.|Companion Medical, Inc.|BlueKitchen GmbH|Matting AB
    0491 SOREX - Wireless Solutions GmbH|ADC Technology, Inc.|Lynxemi Pte Ltd|SENNHEISER electronic GmbH & Co. KG
    0496 Polymorphic Labs LLC|Cochlear Limited|METER Group, Inc. USA|Ruuvi Innovations Ltd.|Situne AS|nVisti, LLC
    049C DyOcean|Uhlmann & Zacher GmbH|AND!XOR LLC|Popper Pay AB
    04A2 ovrEngineered, LLC|GT-tronics HK Ltd|Herbert Waldmann GmbH & Co. KG
    04A5 Guangzhou FiiO Electronics Technology Co.,Ltd|Vinetech Co., Ltd|Dallas Logic Corporation|BioTex, Inc.
    04AA LINKIO SAS|Harbortronics, Inc.|Undagrid B.V.|Shure Inc|ERM Electronic Systems LTD
    04AF BIOROWER Handelsagentur GmbH
    04B1 Kartographers Technologies Pvt. Ltd.|The Shadow on the Moon|mobike (Hong Kong) Limited|Inuheat Group AB
    04B5 Swiftronix AB|Diagnoptics Technologies|Analog Devices, Inc.|Soraa Inc.|CSR Building Products Limited
    04BA Crestron Electronics, Inc.|Neatebox Ltd|Draegerwerk AG & Co. KGaA|AlbynMedical|Averos FZCO
    04BF VIT Initiative, LLC|Statsports International|Sospitas, s.r.o.|Dmet Products Corp.
    04C3 Mantracourt Electronics Limited|TeAM Hutchins AB|Seibert Williams Glass, LLC|Insta GmbH|Svantek Sp. z o.o.
    04C8 Shanghai Flyco Electrical Appliance Co., Ltd.|Thornwave Labs Inc|Steiner-Optik GmbH|Novo Nordisk A/S
    04CD Safetech Products LLC|GOOOLED S.R.L.|DOM Sicherheitstechnik GmbH & Co. KG|Olympus Corporation|KTS GmbH
    04D2 Anloq Technologies Inc.|Queercon, Inc|TASKA PROSTHETICS LIMITED|Gooee Limited|LUGLOC LLC|Blincam, Inc.
    04D8 FUJIFILM Corporation|RM Acquisition LLC|Franceschi Marina snc|Engineered Audio, LLC.
    04DC IOTTIVE (OPC) PRIVATE LIMITED|4MOD Technology|Lutron Electronics Co., Inc.|Emerson Electric Co.
    04E0 Guardtec, Inc.|REACTEC LIMITED
    04E3 Under Armour|Woodenshark|Avack Oy|Smart Solution Technology, Inc.
    04E8 STABILO International|Busch Jaeger Elektro GmbH|Pacific Bioscience Laboratories, Inc
    04EB Bird Home Automation GmbH|Motorola Solutions
    04EE Auxivia|DaisyWorks, Inc|Kosi Limited|Theben AG|InDreamer Techsol Private Limited|Cerevast Medical
    04F4 ZanCompute Inc.|Pirelli Tyre S.P.A.|McLear Limited|Shenzhen Goodix Technology Co., Ltd
    04F8 Convergence Systems Limited|Interactio|Androtec GmbH|Benchmark Drives GmbH & Co. KG|SwingLync L. L. C.
    04FD Tapkey GmbH|Woosim Systems Inc.|Microsemi Corporation|Wiliot LTD.|Polaris IND|Specifi-Kali LLC
    0503 Locoroll, Inc|PHYPLUS Inc|InPlay, Inc.|Hager|Yellowcog|Axes System sp. z o. o.|Garage Smart, Inc.
    050A Shake-on B.V.|Vibrissa Inc.|OSRAM GmbH|TRSystems GmbH|Yichip Microelectronics (Hangzhou) Co.,Ltd.
    050F Foundation Engineering LLC|UNI-ELECTRONICS, INC.|Brookfield Equinox LLC|Soprod SA|9974091 Canada Inc.
    0514 FIBRO GmbH|RB Controls Co., Ltd.|Footmarks|Amtronic Sverige AB|MAMORIO.inc|Tyto Life LLC|Leica Camera AG
    051C EDPS|OFF Line Co., Ltd.|Detect Blue Limited|Setec Pty Ltd|Target Corporation|IAI Corporation|NS Tech, Inc.
    0523 MTG Co., Ltd.|Hangzhou iMagic Technology Co., Ltd|HONGKONG NANO IC TECHNOLOGIES CO., LIMITED
    0526 Honeywell International Inc.|Albrecht JUNG|Lunera Lighting Inc.|Lumen UAB|Keynes Controls Ltd|Novartis AG
    052C Geosatis SA|EXFO, Inc.|LEDVANCE GmbH|Center ID Corp.|Adolene, Inc.|D&M Holdings Inc.|CRESCO Wireless, Inc.
    0533 Nura Operations Pty Ltd|Frontiergadget, Inc.|Smart Component Technologies Limited|ZTR Control Systems LLC
    0537 MetaLogics Corporation|Medela AG|OPPLE Lighting Co., Ltd|Savitech Corp.,|prodigy
    053C Screenovate Technologies Ltd|TESA SA|CLIM8 LIMITED|Silergy Corp|SilverPlus, Inc|Sharknet srl
    0542 Mist Systems, Inc.|MIWA LOCK CO.,Ltd|OrthoSensor, Inc.
    0546 Apexar Technologies S.A.|LOGICDATA Electronic & Software Entwicklungs GmbH
    0548 Knick Elektronische Messgeraete GmbH & Co. KG|Smart Technologies and Investment Limited|Linough Inc.
    054B Advanced Electronic Designs, Inc.|Carefree Scott Fetzer Co Inc|Sensome|FORTRONIK storitve d.o.o.|Sinnoz
    0551 Sylero|Avempace SARL|Nintendo Co., Ltd.|National Instruments|KROHNE Messtechnik GmbH|Otodynamics Ltd
    0557 Arwin Technology Limited|benegear, inc.|Newcon Optik|CANDY HOUSE, Inc.|FRANKLIN TECHNOLOGY INC|Lely
    055D Valve Corporation|Hekatron Vertriebs GmbH|PROTECH S.A.S. DI GIRARDI ANDREA & C.|Sarita CareTech APS
    0561 Finder S.p.A.|Thalmic Labs Inc.|Steinel Vertrieb GmbH|Beghelli Spa
    0566 CORE TRANSPORT TECHNOLOGIES NZ LIMITED|Xiamen Everesports Goods Co., Ltd|Bodyport Inc.
    056A Flipnavi Co.,Ltd.|Rion Co., Ltd.|Long Range Systems, LLC|Redmond Industrial Group LLC|VIZPIN INC.
    056F BikeFinder AS|Consumer Sleep Solutions LLC|PSIKICK, INC.|AntTail.com|Lighting Science Group Corp.
    0574 AFFORDABLE ELECTRONICS INC|Integral Memroy Plc|Globalstar, Inc.|True Wearables, Inc.
    0578 Wellington Drive Technologies Ltd
    057A OMNI Remotes|Duracell U.S. Operations Inc.|Toor Technologies LLC|Instinct Performance|Beco, Inc
    057F Scuf Gaming International, LLC
    0581 LYS TECHNOLOGIES LTD|Breakwall Analytics, LLC|Code Blue Communications|Gira Giersiepen GmbH & Co. KG
    0585 Hearing Lab Technology|LEGRAND|Derichs GmbH|ALT-TEKNIK LLC|Star Technologies|START TODAY CO.,LTD.
    058B Maxim Integrated Products|Fracarro Radioindustrie SRL|Jungheinrich Aktiengesellschaft
    058E Meta Platforms Technologies, LLC|HENDON SEMICONDUCTORS PTY LTD|Pur3 Ltd|Viasat Group S.p.A.|IZITHERM
    0593 Spaulding Clinical Research|Kohler Company|Inor Process AB|My Smart Blinds|RadioPulse Inc|rapitag GmbH
    0599 Lazlo326, LLC.|Teledyne Lecroy, Inc.|Dataflow Systems Limited|Macrogiga Electronics|Tandem Diabetes Care
    059E Polycom, Inc.|Fisher & Paykel Healthcare|Dream Devices Technologies Oy|Shanghai Xiaoyi Technology Co.,Ltd.
    05A2 ADHERIUM(NZ) LIMITED|Axiomware Systems Incorporated|O. E. M. Controls, Inc.|Kiiroo BV
    05A6 Telecon Mobile Limited|Sonos Inc|Tom Allebrandi Consulting|Monidor|Tramex Limited|Nofence AS
    05AC GoerTek Dynaudio Co., Ltd.|INIA|CARMATE MFG.CO.,LTD|OV LOOP, INC.|NewTec GmbH
    05B1 Medallion Instrumentation Systems|CAREL INDUSTRIES S.P.A.|Parabit Systems, Inc.|White Horse Scientific ltd
    05B5 verisilicon|Elecs Industry Co.,Ltd.|Beijing Pinecone Electronics Co.,Ltd.|Ambystoma Labs Inc.
    05B9 Suzhou Pairlink Network Technology|igloohome|Oxford Metrics plc|Leviton Mfg. Co., Inc.|ULC Robotics Inc.
    05BF Real-World-Systems Corporation|Nalu Medical, Inc.|P.I.Engineering|Grote Industries|Runtime, Inc.
    05C4 Codecoup sp. z o.o. sp. k.|SELVE GmbH & Co. KG
    05C7 Lippert Components, INC|SOMFY SAS|TBS Electronics B.V.|MHL Custom Inc|LucentWear LLC|WATTS ELECTRONICS
    05CD RJ Brands LLC|V-ZUG Ltd|Biowatch SA|Anova Applied Electronics|Lindab AB|frogblue TECHNOLOGY GmbH
    05D3 Acurable Limited|LAMPLIGHT Co., Ltd.|TEGAM, Inc.|Zhuhai Jieli technology Co.,Ltd|modum.io AG|Farm Jenny LLC
    05D9 Toyo Electronics Corporation|Applied Neural Research Corp|Avid Identification Systems, Inc.|Petronics Inc.
    05DD essentim GmbH|QT Medical INC.|VIRTUALCLINIC.DIRECT LIMITED|Viper Design LLC|Human, Incorporated
    05E2 stAPPtronics GmbH|Elemental Machines, Inc.|Taiyo Yuden Co., Ltd|INEO ENERGY& SYSTEMS
    05E6 Motion Instruments Inc.|PressurePro|COWBOY|iconmobile GmbH|ACS-Control-System GmbH
    05EB Bayerische Motoren Werke AG|Gycom Svenska AB|Fuji Xerox Co., Ltd
    05EF SIKOM AS|beken|The Linux Foundation|Try and E CO.,LTD.|SeeScan|Clearity, LLC|GS TAG|DPTechnics|TRACMO, INC.
    05F8 Anki Inc.|Hagleitner Hygiene International GmbH|Konami Sports Life Co., Ltd.|Arblet Inc.|Masbando GmbH
    05FD Innoseis|Niko nv|Wellnomics Ltd|iRobot Corporation|Schrader Electronics|Geberit International AG
    0603 Fourth Evolution Inc
    0605 FMW electronic Futterer u. Maier-Wolf OHG|John Deere|Rookery Technology Ltd|KeySafe-Cloud
    0609 BUCHI Labortechnik AG|IQAir AG|Triax Technologies Inc|Vuzix Corporation|TDK Corporation|Blueair AB
    060F Signify Netherlands B.V.|ADH GUARDIAN USA LLC|Beurer GmbH|Playfinity AS|Hans Dinslage GmbH
    0614 OnAsset Intelligence, Inc.|INTER ACTION Corporation|OS42 UG (haftungsbeschraenkt)
    0617 WIZCONNECTED COMPANY LIMITED|Audio-Technica Corporation|Six Guys Labs, s.r.o.|R.W. Beckett Corporation
    061B silex technology, inc.|Univations Limited|SENS Innovation ApS|Diamond Kinetics, Inc.|Phrame Inc.|Forciot Oy
    0621 Noordung d.o.o.|Beam Labs, LLC
    0624 Biovotion AG|Square Panda, Inc.|Amplifico|WEG S.A.|Ensto Oy|PHONEPE PVT LTD
    062B MinebeaMitsumi Inc.|ASPion GmbH|Vossloh-Schwabe Deutschland GmbH|Procept|ONKYO Corporation|Asthrea D.O.O.
    0631 Fortiori Design LLC|Hugo Muller GmbH & Co KG|Wangi Lai PLT|Fanstel Corp|Crookwood
    0636 ELECTRONICA INTEGRAL DE SONIDO S.A.|GiP Innovation Tools GmbH|LX SOLUTIONS PTY LIMITED
    0639 Shenzhen Minew Technologies Co., Ltd.|Prolojik Limited|Kromek Group Plc|Contec Medical Systems Co., Ltd.
    063D Xradio Technology Co.,Ltd.|The Indoor Lab, LLC|LDL TECHNOLOGY|Dish Network LLC
    0641 Revenue Collection Systems FRANCE SAS|Bluetrum Technology Co.,Ltd|makita corporation|Apogee Instruments|BM3
    0646 SGV Group Holding GmbH & Co. KG|MED-EL|Ultune Technologies|Ryeex Technology Co.,Ltd.
    064A Open Research Institute, Inc.|Scale-Tec, Ltd|Zumtobel Group AG|iLOQ Oy
    064E KRUXWorks Technologies Private Limited|Digital Matter Pty Ltd|Coravin, Inc.|Stasis Labs, Inc.
    0652 ITZ Innovations- und Technologiezentrum GmbH|Meggitt SA|Ledlenser GmbH & Co. KG|Renishaw PLC
    0656 ZhuHai AdvanPro Technology Company Limited|Meshtronix Limited|Payex Norge AS|UnSeen Technologies Oy
    065A Marshall Group AB|Sesam Solutions BV|PixArt Imaging Inc.|Panduit Corp.|Alo AB|Ricoh Company Ltd
    0660 RTC Industries, Inc.|Mode Lighting Limited|Particle Industries, Inc.|Advanced Telemetry Systems, Inc.
    0664 RHA TECHNOLOGIES LTD|Pure International Limited|WTO Werkzeug-Einrichtungen GmbH|Spark Technology Labs Inc.
    0668 Bleb Technology srl|Livanova USA, Inc.|Brady Worldwide Inc.|DewertOkin GmbH|Ztove ApS|Venso EcoSolutions AB
    066E Eurotronik Kranj d.o.o.|Hug Technology Ltd|Gema Switzerland GmbH|Buzz Products Ltd.|Kopi
    0673 Innova Ideas Limited|BeSpoon
    0676 Expai Solutions Private Limited|Innovation First, Inc.|SABIK Offshore GmbH|4iiii Innovations Inc.
    067A The Energy Conservatory, Inc.|I.FARM, INC.|Tile, Inc.|Form Athletica Inc.
    067F NETGRID S.N.C. DI BISSOLI MATTEO, CAMPOREALE SIMONE, TOGNETTI FEDERICO|Mannkind Corporation
    0681 Trade FIDES a.s.|Photron Limited|Eltako GmbH|Dermalapps, LLC|Greenwald Industries|inQs Co., Ltd.
    0687 Cherry GmbH|Amsted Digital Solutions Inc.|Tacx b.v.|Raytac Corporation|Jiangsu Teranovo Tech Co., Ltd.
    068E Razer Inc.|JRM Group Limited|Eccrine Systems, Inc.|Curie Point AB|Georg Fischer AG|Hach - Danaher
    0694 T&A Laboratories LLC|Koki Holdings Co., Ltd.|Gunakar Private Limited|Stemco Products Inc
    0698 Wood IT Security, LLC|RandomLab SAS|Adero, Inc.|Dragonchip Limited|Noomi AB
    069E Delta Electronics, Inc.|FlowMotion Technologies AS|OBIQ Location Technology Inc.|Cardo Systems, Ltd
    06A2 Globalworx GmbH|Nymbus, LLC|LIMNO Co. Ltd.|TEKZITEL PTY LTD|Roambee Corporation
    06A7 Chipsea Technologies (ShenZhen) Corp.|GD Midea Air-Conditioning Equipment Co., Ltd.
    06A9 Soundmax Electronics Limited|Produal Oy|HMS Industrial Networks AB|Ingchips Technology Co., Ltd.
    06AD InnovaSea Systems Inc.|SenseQ Inc.|Shoof Technologies|BRK Brands, Inc.|SimpliSafe, Inc.
    06B2 Tussock Innovation 2013 Limited
    06B4 Sencilion Oy|Wabilogic Ltd.|Sociometric Solutions, Inc.|iCOGNIZE GmbH|ShadeCraft, Inc|Beflex Inc.
    06BA Beaconzone Ltd|Leaftronix Analogic Solutions Private Limited|TWS Srl|ABB Oy|HitSeed Oy
    06C0 CAME S.p.A.|Alarm.com Holdings, Inc|Measurlogic Inc.|King I Electronics.Co.,Ltd|Dream Labs GmbH
    06C5 Urban Compass, Inc|Simm Tronic Limited|Somatix Inc|Storz & Bickel GmbH & Co. KG|MYLAPS B.V.
    06CA Shenzhen Zhongguang Infotech Technology Development Co., Ltd|Dyeware, LLC
    06CC Dongguan SmartAction Technology Co.,Ltd.|DIG Corporation|FIOR & GENTZ
    06D0 Etekcity Corporation|Meyer Sound Laboratories, Incorporated|CeoTronics AG
    06D4 DYNAKODE TECHNOLOGY PRIVATE LIMITED|Sensirion AG|JCT Healthcare Pty Ltd|FUBA Automotive Electronics GmbH
    06D8 AW Company|Shanghai Mountain View Silicon Co.,Ltd.|Zliide Technologies ApS|Automatic Labs, Inc.
    06DC Industrial Network Controls, LLC|Intellithings Ltd.|Navcast, Inc.|HLI Solutions Inc.|Avaya Inc.
    06E1 Milestone AV Technologies LLC|Alango Technologies Ltd|Spinlock Ltd|Aluna|OPTEX CO.,LTD.
    06E6 NIHON DENGYO KOUSAKU|VELUX A/S|Almendo Technologies GmbH|Zmartfun Electronics, Inc.|SafeLine Sweden AB
    06EB Houston Radar LLC|Sigur|J Neades Ltd
    06EF ALCARE Co., Ltd.|Chargy Technologies, SL|Shibutani Co., Ltd.|Trapper Data AB|Alfred International Inc.
    06F4 Touché Technology Ltd|Vigil Technologies Inc.|Vitulo Plus BV|WILKA Schliesstechnik GmbH
    06F8 BodyPlus Technology Co.,Ltd|happybrush GmbH|Enequi AB|Sartorius AG|Tom Communication Industrial Co.,Ltd.
    06FD ESS Embedded System Solutions Inc.|Mahr GmbH|Redpine Signals Inc|TraqFreq LLC|PAFERS TECH
    0702 Akciju sabiedriba "SAF TEHNIKA"|Beijing Jingdong Century Trading Co., Ltd.|JBX Designs Inc.|AB Electrolux
    0706 Wernher von Braun Center for ASdvanced Research|Essity Hygiene and Health Aktiebolag
    0708 Be Interactive Co., Ltd|Carewear Corp.|Huf Hülsbeck & Fürst GmbH & Co. KG|Element Products, Inc.
    070C Beijing Winner Microelectronics Co.,Ltd|SmartSnugg Pty Ltd|FiveCo Sarl|California Things Inc.|Audiodo AB
    0711 ABAX AS|Bull Group Company Limited|Respiri Limited|MindPeace Safety LLC|MBARC LABS Inc|Altonics
    0718 IDIBAIX enginneering|COREIOT PTY LTD|REVSMART WEARABLE HK CO LTD|Precor|F5 Sports, Inc|exoTIC Systems
    071E DONGGUAN HELE ELECTRONICS CO., LTD|Dongguan Liesheng Electronic Co.Ltd|Oculeve, Inc.|Clover Network, Inc.
    0722 Xiamen Eholder Electronics Co.Ltd|Ford Motor Company|Guangzhou SuperSound Information Technology Co.,Ltd
    0725 Tedee Sp. z o.o.|PHC Corporation
    0728 Eli Lilly and Company|SwaraLink Technologies|JMR embedded systems GmbH|Bitkey Inc.|GWA Hygiene GmbH
    072D Safera Oy|Open Platform Systems LLC|OnePlus Electronics (Shenzhen) Co., Ltd.|Wildlife Acoustics, Inc.
    0731 ABLIC Inc.|Dairy Tech, LLC|Iguanavation, Inc.|DiUS Computing Pty Ltd|UpRight Technologies LTD
    0736 Luna XIO, Inc.|LLC Navitek|Glass Security Pte Ltd|Jiangsu Qinheng Co., Ltd.|Chandler Systems Inc.
    073B Fantini Cosmi s.p.a.
    073D Beijing Hao Heng Tian Tech Co., Ltd.|Bluepack S.R.L.|Beijing Unisoc Technologies Co., Ltd.
    0741 MAC SRL|DML LLC|Sanofi|SOCOMEC|WIZNOVA, Inc.|Seitec Elektronik GmbH|OR Technologies Pty Ltd
    0748 GuangZhou KuGou Computer Technology Co.Ltd|DIAODIAO (Beijing) Technology Co., Ltd.|Illusory Studios LLC
    074B Sarvavid Software Solutions LLP
    074D Amtech Systems, LLC|EAGLE DETECTION SA|MEDIATECH S.R.L.
    0750 Hamilton Professional Services of Canada Incorporated|Changsha JEMO IC Design Co.,Ltd|Elatec GmbH
    0753 JLG Industries, Inc.|Michael Parkin|Brother Industries, Ltd|Lumens For Less, Inc|ELA Innovation
    0758 umanSense AB|Shanghai InGeek Cyber Security Co., Ltd.|HARMAN CO.,LTD.|Smart Sensor Devices AB
    075C Antitronics Inc.|RHOMBUS SYSTEMS, INC.|Katerra Inc.|Remote Solution Co., LTD.|Vimar SpA|Mantis Tech LLC
    0762 TerOpta Ltd|PIKOLIN S.L.|WWZN Information Technology Company Limited|Voxx International
    0766 ART AND PROGRAM, INC.|NITTO DENKO ASIA TECHNICAL CENTRE PTE. LTD.|Peloton Interactive Inc.
    0769 Force Impact Technologies|Dmac Mobile Developments, LLC|Engineered Medical Technologies
    076C Noodle Technology inc|Graesslin GmbH|WuQi technologies, Inc.|Successful Endeavours Pty Ltd
    0770 InnoCon Medical ApS|Corvex Connected Safety|Thirdwayv Inc.|Echoflex Solutions Inc.|C-MAX Asia Limited
    0775 4eBusiness GmbH|Cyber Transport Control GmbH|Cue|KOAMTAC INC.|Loopshore Oy|Niruha Systems Private Limited
    077C radius co., ltd.|Sensority, s.r.o.|Sparkage Inc.|Glenview Software Corporation|Finch Technologies Ltd.
    0781 Qingping Technology (Beijing) Co., Ltd.|DeviceDrive AS|ESEMBER LIMITED LIABILITY COMPANY
    0784 audifon GmbH & Co. KG|O2 Micro, Inc.|HLP Controls Pty Limited
    0788 BubblyNet, LLC|PCB Piezotronics, Inc.|The Wildflower Foundation|Optikam Tech Inc.|MINIBREW HOLDING B.V
    078D Cybex GmbH|FUJIMIC NIIGATA, INC.|Hanna Instruments, Inc.|KOMPAN A/S|Scosche Industries, Inc.|Cricut, Inc.
    0793 AEV spol. s r.o.|The Coca-Cola Company|GASTEC CORPORATION|StarLeaf Ltd|Water-i.d. GmbH|HoloKit, Inc.
    0799 PlantChoir Inc.|GuangDong Oppo Mobile Telecommunications Corp., Ltd.|CST ELECTRONICS (PROPRIETARY) LIMITED
    079C Sky UK Limited|Digibale Pty Ltd|Smartloxx GmbH|Pune Scientific LLP|Regent Beleuchtungskorper AG
    07A1 Apollo Neuroscience, Inc.|Roku, Inc.
    07A4 Xiamen Mage Information Technology Co., Ltd.|RAB Lighting, Inc.|Musen Connect, Inc.|Zume, Inc.|conbee GmbH
    07A9 Bruel & Kjaer Sound & Vibration|The Kroger Co.|Granite River Solutions, Inc.|LoupeDeck Oy
    07AD New H3C Technologies Co.,Ltd|Aurea Solucoes Tecnologicas Ltda.|Hong Kong Bouffalo Lab Limited
    07B0 GV Concepts Inc.|Thomas Dynamics, LLC|Moeco IOT Inc.|2N TELEKOMUNIKACE a.s.|Hormann KG Antriebstechnik
    07B5 CRONO CHIP, S.L.|Soundbrenner Limited|ETABLISSEMENTS GEORGES RENAULT|iSwip|Epona Biotec Limited
    07BA Battery-Biz Inc.|EPIC S.R.L.|KD CIRCUITS LLC|Genedrive Diagnostics Ltd|Axentia Technologies AB|REGULA Ltd.
    07C0 Biral AG
    07C2 Radinn AB|CIMTechniques, Inc.|Johnson Health Tech NA|June Life, Inc.|Bluenetics GmbH|iaconicDesign Inc.
    07C8 WRLDS Creations AB|Skullcandy, Inc.|Modul-System HH AB|West Pharmaceutical Services, Inc.
    07CC Barnacle Systems Inc.|Smart Wave Technologies Canada Inc|Shanghai Top-Chip Microelectronics Tech. Co., LTD
    07CF NeoSensory, Inc.|Hangzhou Tuya Information Technology Co., Ltd|Shanghai Panchip Microelectronics Co., Ltd
    07D2 React Accessibility Limited|LIVNEX Co.,Ltd.|Kano Computing Limited|hoots classic GmbH|ecobee Inc.
    07D7 Nanjing Qinheng Microelectronics Co., Ltd|SOLUTIONS AMBRA INC.|Micro-Design, Inc.|STARLITE Co., Ltd.
    07DB Remedee Labs|ThingOS GmbH & Co KG|Linear Circuits|Unlimited Engineering SL|Snap-on Incorporated
    07E0 Edifier International Limited|Lucie Labs|Alfred Kaercher SE & Co. KG|Airoha Technology Corp.|Geeksme S.L.
    07E5 Minut, Inc.|Waybeyond Limited|Komfort IQ, Inc.|Packetcraft, Inc.|Häfele GmbH & Co KG|ShapeLog, Inc.
    07EB NOVABASE S.R.L.|Frecce LLC|Joule IQ, INC.|KidzTek LLC|Aktiebolaget Sandvik Coromant|e-moola.com Pty Ltd
    07F1 Zimi Innovations Pty Ltd|SERENE GROUP, INC|DIGISINE ENERGYTECH CO. LTD.
    07F4 MEDIRLAB Orvosbiologiai Fejleszto Korlatolt Felelossegu Tarsasag|Byton North America Corporation
    07F6 Shenzhen TonliScience and Technology Development Co.,Ltd|Cesar Systems Ltd.|quip NYC Inc.
    07F9 Direct Communication Solutions, Inc.|Klipsch Group, Inc.|Access Co., Ltd|Renault SA|JSK CO., LTD.|BIROTA
    07FF maxon motor ltd.
    """#
}
