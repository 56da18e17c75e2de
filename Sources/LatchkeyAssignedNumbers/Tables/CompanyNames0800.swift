extension NumberTable {
  /// Companies from 0x0800 on (Assigned Numbers 7.1).
  static let secondCompanyText: StaticString = #"""
    0800 Optek|CRONUS ELECTRONICS LTD|NantSound, Inc.|Domintell s.a.|Andon Health Co.,Ltd|Urbanminded Ltd
    0806 TYRI Sweden AB|ECD Electronic Components GmbH Dresden|SISTEMAS KERN, SOCIEDAD ANÓMINA|Trulli Audio
    080A Altaneos|Nanoleaf Canada Limited|Ingy B.V.|Azbil Co.|TATTCOM LLC|Paradox Engineering SA|LECO Corporation
    0811 Becker Antriebe GmbH|Mstream Technologies., Inc.|Flextronics International USA Inc.|Ossur hf.|SKC Inc
    0816 SPICA SYSTEMS LLC|Wangs Alliance Corporation|tatwah SA|Hunter Douglas Inc|Shenzhen Conex|DIM3
    081C Bobrick Washroom Equipment, Inc.|Potrykus Holdings and Development LLC|iNFORM Technology GmbH|eSenseLab LTD
    0820 Brilliant Home Technology, Inc.|INOVA Geophysical, Inc.|adafruit industries|Nexite Ltd|8Power Limited
    0825 CME PTE. LTD.|Hyundai Motor Company|Kickmaker|Shanghai Suisheng Information Technology Co., Ltd.
    0829 HEXAGON METROLOGY DIVISION ROMER|Mitutoyo Corporation|shenzhen fitcare electronics Co.,Ltd
    082C INGICS TECHNOLOGY CO., LTD.|INCUS PERFORMANCE LTD.|ABB S.p.A.|Blippit AB
    0831 Foxble, LLC|Intermotive,Inc.|Conneqtech B.V.|RIKEN KEIKI CO., LTD.,|Canopy Growth Corporation|Bitwards Oy
    0837 vivo Mobile Communication Co., Ltd.|Etymotic Research, Inc.|A puissance 3
    083A BPW Bergische Achsen Kommanditgesellschaft|Piaggio Fast Forward|BeerTech LTD|Tokenize, Inc.|Zorachka LTD
    083F D-Link Corp.|Down Range Systems LLC|General Luminaire (Shanghai) Co., Ltd.
    0842 Tangshan HongJia electronic technology co., LTD.|FRAGRANCE DELIVERY TECHNOLOGIES LTD|Pepperl + Fuchs GmbH
    0845 Dometic Corporation|USound GmbH|DNANUDGE LIMITED|JUJU JOINTS CANADA CORP.|Dopple Technologies B.V.|ARCOM
    084B Biotechware SRL|ORSO Inc.|SafePort|Carol Cole Company|Embedded Fitness B.V.
    0850 Yealink (Xiamen) Network Technology Co.,LTD|Subeca, Inc.|Cognosos, Inc.|Pektron Group Limited
    0854 Tap Sound System|Helios Sports, Inc.|Canopy Growth Corporation|Parsyl Inc|SOUNDBOKS|BlueUp|DAKATECH
    085B Nisshinbo Micro Devices Inc.|ACOS CO.,LTD.|Guilin Zhishen Information Technology Co.,Ltd.|Krog Systems LLC
    0860 Alflex Products B.V.|SmartSensor Labs Ltd|SmartDrive|Yo-tronics Technology Co., Ltd.|Rafaelmicro
    0865 Emergency Lighting Products Limited|LAONZ Co.,Ltd|Western Digital Techologies, Inc.|WIOsense GmbH & Co. KG
    0869 EVVA Sicherheitstechnologie GmbH|Odic Incorporated|Pacific Track, LLC|Revvo Technologies, Inc.
    086D Biometrika d.o.o.|Vorwerk Elektrowerke GmbH & Co. KG|Trackunit A/S|Wyze Labs, Inc|Dension Elektronikai Kft.
    0872 11 Health & Technologies Limited|Innophase Incorporated|Treegreen Limited|Berner International LLC
    0876 SmartResQ ApS|Valtech|The Chamberlain Group, Inc.|MIZUNO Corporation|ZRF, LLC|BYSTAMP|Crosscan GmbH
    087D Konftel AB|1bar.net Limited|Phillips Connect Technologies LLC|imagiLabs AB|Optalert|PSYONIC, Inc.
    0883 Wintersteiger AG|Controlid Industria, Comercio de Hardware e Servicos de Tecnologia Ltda
    0886 Movella Technologies B.V.|Hydro-Gear Limited Partnership|EnPointe Fencing Pty Ltd|XANTHIO|sclak s.r.l.
    088B Tricorder Arraay Technologies LLC|GB Solution co.,Ltd|Soliton Systems K.K.
    088F Tait International Limited|NICHIEI INTEC CO., LTD.|SmartWireless GmbH & Co. KG
    0892 Ingenieurbuero Birnfeld UG (haftungsbeschraenkt)|Maytronics Ltd|EPIFIT|Gimer medical|Nokian Renkaat Oyj
    0897 Current Lighting Solutions LLC|Sensibo, Inc.|SFS unimarket AG|Private limited company "Teltonika"
    089B Saucon Technologies|Embedded Devices Co. Company|J-J.A.D.E. Enterprise LLC|i-SENS, inc.
    089F Witschi Electronic Ltd|Aclara Technologies LLC|EXEO TECH CORPORATION|Epic Systems Co., Ltd.|Hoffmann SE
    08A4 Realme Chongqing Mobile Telecommunications Corp., Ltd.
    08A6 Intelligenceworks Inc.|TGR 1.618 Limited|Shanghai Kfcube Inc|Fraunhofer IIS|SZ DJI TECHNOLOGY CO.,LTD
    08AB Coburn Technology, LLC|Topre Corporation|Kayamatics Limited|Moticon ReGo AG|Polidea Sp. z o.o.
    08B0 Trivedi Advanced Technologies LLC|CORE/vision BV|PF SCHWEISSTECHNOLOGIE GMBH|IONIQ Skincare GmbH & Co. KG
    08B4 Sengled Co., Ltd.|TransferFi|Boehringer Ingelheim Vetmedica GmbH|ABB Inc|Check Technology Solutions LLC
    08B9 U-Shin Ltd.|HYPER ICE, INC.|Tokai-rika co.,ltd.|Prevayl Limited|bf1systems limited|ubisys technologies GmbH
    08BF SIRC Co., Ltd.|Accent Advanced Systems SLU|Rayden.Earth LTD|Lindinvent AB|CHIPOLO d.o.o.
    08C5 J. Wagner GmbH|Integra Optics Inc|Monadnock Systems Ltd.|Liteboxer Technologies Inc.|Noventa AG
    08CA Nubia Technology Co.,Ltd.|JT INNOVATIONS LIMITED|TGM TECHNOLOGY CO., LTD.|ifly|ZIMI CORPORATION
    08CF betternotstealmybike UG (with limited liability)|ESTOM Infotech Kft.|Sensovium Inc.|Virscient Limited
    08D3 Novel Bits, LLC|ADATA Technology Co., LTD.|KEYes
    08D7 Inovonics Corp|WARES|Pointr Labs Limited|Miridia Technology Incorporated|Tertium Technology
    08DC SHENZHEN AUKEY E BUSINESS CO., LTD|code-Q|TE Connectivity Corporation|IRIS OHYAMA CO.,LTD.
    08E0 Philia Technology|KOZO KEIKAKU ENGINEERING Inc.|Shenzhen Simo Technology co. LTD|Republic Wireless, Inc.
    08E4 Rashidov ltd|Crowd Connected Ltd|Eneso Tecnologia de Adaptacion S.L.|Barrot Technology Co.,Ltd.|Naonext
    08E9 Taiwan Intelligent Home Corp.|COWBELL ENGINEERING CO.,LTD.|Beijing Big Moment Technology Co., Ltd.
    08EC Denso Corporation|IMI Hydronic Engineering International SA|Askey Computer Corp.
    08EF Cumulus Digital Systems, Inc|Joovv, Inc.|The L.S. Starrett Company|Microoled
    08F3 PSP - Pauli Services & Products GmbH|Kodimo Technologies Company Limited
    08F5 Tymtix Technologies Private Limited|Dermal Photonics Corporation|MTD Products Inc & Affiliates
    08F8 instagrid GmbH|Spacelabs Medical Inc.|Troo Corporation|Darkglass Electronics Oy|Hill-Rom
    08FD BioIntelliSense, Inc.|Ketronixs Sdn Bhd|Plastimold Products, Inc|Beijing Zizai Technology Co., LTD.|Lucimed
    0902 TSC Auto-ID Technology Co., Ltd.|DATAMARS, Inc.|SUNCORPORATION|Yandex Services AG
    0906 Scope Logistical Solutions|User Hello, LLC|Pinpoint Innovations Limited|70mai Co.,Ltd.
    090A Zhuhai Hoksi Technology CO.,LTD|EMBR labs, INC|Radiawave Technologies Co.,Ltd.|IOT Invent GmbH
    090E OPTIMUSIOT TECH LLP|VC Inc.|ASR Microelectronics (Shanghai) Co., Ltd.|Douglas Lighting Controls Inc.
    0912 Nerbio Medical Software Platforms Inc|Braveheart Wireless, Inc.|INEO-SENSE|Honda Motor Co., Ltd.
    0916 Ambient Sensors LLC|ASR Microelectronics(ShenZhen)Co., Ltd.|Technosphere Labs Pvt. Ltd.|NO SMD LIMITED
    091A Albertronic BV|Luminostics, Inc.|Oblamatik AG|Innokind, Inc.|Melbot Studios, Sociedad Limitada
    091F Myzee Technology
    0921 KAHA PTE. LTD.|Shanghai MXCHIP Information Technology Co., Ltd.|JSB TECH PTE LTD
    0924 Fundacion Tecnalia Research and Innovation|Yukai Engineering Inc.|Gooligum Technologies Pty Ltd|ROOQ GmbH
    0928 AiRISTA|Qingdao Haier Technology Co., Ltd.|Sappl Verwaltungs- und Betriebs GmbH|TekHome|PCI Private Limited
    092D Leggett & Platt, Incorporated|PS GmbH|C.O.B.O. SpA|James Walker RotaBolt Limited|BREATHINGS Co., Ltd.
    0932 BarVision, LLC|SRAM|KiteSpring Inc.|Reconnect, Inc.|Elekon AG|RealThingks GmbH|Henway Technologies, LTD.
    0939 ASTEM Co.,Ltd.|LinkedSemi Microelectronics (Xiamen) Co., Ltd|ENSESO LLC|Xenoma Inc.
    093D Adolf Wuerth GmbH & Co KG|Catalyft Labs, Inc.|JEPICO Corporation|Hero Workout GmbH|Rivian Automotive, LLC
    0942 TRANSSION HOLDINGS LIMITED
    0944 Agitron d.o.o.|Globe (Jiangsu) Co., Ltd|AMC International Alfa Metalcraft Corporation AG
    0947 First Light Technologies Ltd.|Wearable Link Limited|Metronom Health Europe|Zwift, Inc.
    094B Kindeva Drug Delivery L.P.|GimmiSys GmbH|tkLABS INC.|PassiveBolt, Inc.
    094F Limited Liability Company "Mikrotikls"|Capetech|PPRS|Apptricity Corporation|LogiLube, LLC|Julbo
    0955 Breville Group|Kerlink|Ohsung Electronics|ZTE Corporation|HerdDogg, Inc
    095B Lismore Instruments Limited|LogiLube, LLC|Electronic Theatre Controls|BioEchoNet inc.|NUANCE HEARING LTD
    0960 Sena Technologies Inc.|Linkura AB|GL Solutions K.K.|Moonbird BV|Countrymate Technology Limited
    0965 Asahi Kasei Corporation|PointGuard, LLC|Neo Materials and Consulting Inc.|Actev Motors, Inc.
    0969 Woan Technology (Shenzhen) Co., Ltd.|dricos, Inc.|Guide ID B.V.|9374-7319 Quebec inc|Gunwerks, LLC
    096E Band Industries, inc.|Lund Motion Products, Inc.|IBA Dosimetry GmbH|GA
    0972 Closed Joint Stock Company "Zavod Flometr" ("Zavod Flometr" CJSC)|Popit Oy|ABEYE
    0975 BlueIOT(Beijing) Technology Co.,Ltd|Fauna Audio GmbH|TOYOTA motor corporation|ZifferEins GmbH & Co. KG
    0979 BIOTRONIK SE & Co. KG|CORE CORPORATION|CTEK Sweden AB|Thorley Industries, LLC|CLB B.V.|SonicSensory Inc
    097F ISEMAR S.R.L.|DEKRA TESTING AND CERTIFICATION, S.A.U.|Bernard Krone Holding SE & Co.KG|ELPRO-BUCHS AG
    0983 Feedback Sports LLC|TeraTron GmbH|Lumos Health Inc.|Cello Hill, LLC|TSE BRAKES, INC.
    0988 BHM-Tech Produktionsgesellschaft m.b.H|WIKA Alexander Wiegand SE & Co.KG|Biovigil
    098B Mequonic Engineering, S.L.|bGrid B.V.
    098E ADVEEZ|Aktiebolaget Regin|Anton Paar GmbH|Telenor ASA|Big Kaiser Precision Tooling Ltd
    0993 Absolute Audio Labs B.V.|VT42 Pty Ltd|Bronkhorst High-Tech B.V.|C. & E. Fein GmbH|NextMind
    0998 Pixie Dust Technologies, Inc.|eTactica ehf|New Audio LLC|Sendum Wireless Corporation
    099C deister electronic GmbH|YKK AP Inc.|Step One Limited|Koya Medical, Inc.|Proof Diagnostics, Inc.
    09A1 VOS Systems, LLC|ENGAGENOW DATA SCIENCES PRIVATE LIMITED|ARDUINO SA|KUMHO ELECTRICS, INC
    09A5 Security Enhancement Systems, LLC|BEIJING ELECTRIC VEHICLE CO.,LTD|Paybuddy ApS|KHN Solutions LLC
    09A9 Nippon Ceramic Co.,Ltd.|PHOTODYNAMIC INCORPORATED|DashLogic, Inc.|Ambiq|Narhwall Inc.|Pozyx NV
    09AF ifLink Open Community|Deublin Company, LLC|BLINQY|DYPHI|BlueX Microelectronics Corp Ltd.|PentaLock Aps.
    09B5 AUTEC Gesellschaft fuer Automationstechnik mbH|Pegasus Technologies, Inc.|Bout Labs, LLC|PlayerData Limited
    09B9 SAVOY ELECTRONIC LIGHTING|Elimo Engineering Ltd|SkyStream Corporation|Aerosens LLC
    09BD Centre Suisse d'Electronique et de Microtechnique SA|Vessel Ltd.|Span.IO, Inc.|AnotherBrain inc.|Rosewill
    09C2 Universal Audio, Inc.|JAPAN TOBACCO INC.|UVISIO|HungYi Microelectronics Co.,Ltd.|Honor Device Co., Ltd.
    09C7 Combustion, LLC|XUNTONG|CrowdGlow Ltd|Mobitrace|Hx Engineering, LLC|Senso4s d.o.o.
    09CE Julius Blum GmbH|BlueStreak IoT, LLC|Chess Wise B.V.|ABLEPAY TECHNOLOGIES AS
    09D2 Temperature Sensitive Solutions Systems Sweden AB
    09D4 ORBIS Inc.|GEAR RADIO ELECTRONICS CORP.
    09D6 EAR TEKNIK ISITME VE ODIOMETRI CIHAZLARI SANAYI VE TICARET ANONIM SIRKETI|Coyotta
    09D8 Synergy Tecnologia em Sistemas Ltda|VivoSensMedical GmbH|Nagravision SA|Bionic Avionics Inc.|AON2 Ltd.
    09DD Innoware Development AB|JLD Technology Solutions, LLC|Magnus Technology Sdn Bhd
    09E1 Tag-N-Trac Inc|Wuhan Linptech Co.,Ltd.|Friday Home Aps|CPS AS|Mobilogix|Masonite Corporation
    09E7 Kabushikigaisha HANERON|Melange Systems Pvt. Ltd.|LumenRadio AB|Athlos Oy|KEAN ELECTRONICS PTY LTD
    09EC Yukon advanced optics worldwide, UAB|Sibel Inc.|OJMAR SA|Steinel Solutions AG|WatchGas B.V.
    09F1 OM Digital Solutions Corporation|Audeara Pty Ltd|Beijing Zero Zero Infinity Technology Co.,Ltd.
    09F4 Spectrum Technologies, Inc.|OKI Electric Industry Co., Ltd|Mobile Action Technology Inc.|SENSATEC Co., Ltd.
    09F8 R.O. S.R.L.|Hangzhou Yaguan Technology Co. LTD|Listen Technologies Corporation|TOITU CO., LTD.|Confidex
    09FD Keep Technologies, Inc.|Lichtvision Engineering GmbH|AIRSTAR|Ampler Bikes OU|Cleveron AS
    0A02 Ayxon-Dynamics GmbH|donutrobotics Co., Ltd.|Flosonics Medical|Southwire Company, LLC
    0A06 Shanghai wuqi microelectronics Co.,Ltd|Reflow Pty Ltd|Oras Oy
    0A0A Volan Technology Inc.|SIANA Systems|Shanghai Yidian Intelligent Technology Co., Ltd.|Blue Peacock GmbH
    0A0E Roland Corporation|LIXIL Corporation|SUBARU Corporation|Sensolus|Dyson Technology Limited
    0A13 Tec4med LifeScience GmbH|CROXEL, INC.|Syng Inc|RIDE VISION LTD|Plume Design Inc
    0A18 Cambridge Animal Technologies Ltd|Maxell, Ltd.|Link Labs, Inc.|Embrava Pty Ltd|INPEAK S.C.|API-K|CombiQ AB
    0A1F DeVilbiss Healthcare LLC|Jiangxi Innotech Technology Co., Ltd|Apollogic Sp. z o.o.|DAIICHIKOSHO CO., LTD.
    0A23 BIXOLON CO.,LTD|Atmosic Technologies, Inc.|Eran Financial Services LLC|Louis Vuitton
    0A27 AYU DEVICES PRIVATE LIMITED|NanoFlex Power Corporation|Worthcloud Technology Co.,Ltd|Yamaha Corporation
    0A2B PaceBait IVS|Shenzhen H&T Intelligent Control Co., Ltd|Shenzhen Feasycom Technology Co., Ltd.
    0A2F Instamic, Inc.|Air-Weigh|Nevro Corp.|Pinnacle Technology, Inc.|WMF AG|Luxer Corporation|safectory GmbH
    0A36 NGK SPARK PLUG CO., LTD.|2587702 Ontario Inc.|Bouffalo Lab (Nanjing)., Ltd.|BLUETICKETING SRL
    0A3A Incotex Co. Ltd.|Galileo Technology Limited|Siteco GmbH|DELABIE
    0A3F Shenzhen Yopeak Optoelectronics Technology Co., Ltd.
    0A41 OPEX Corporation|Motionalysis, Inc.|Busch Systems International Inc.|Novidan, Inc.
    0A45 3SI Security Systems, Inc|Beijing HC-Infinite Technology Limited|The Wand Company Ltd|JRC Mobility Inc.
    0A49 Venture Research Inc.|Map Large, Inc.|MistyWest Energy and Transport Ltd.
    0A4C SiFli Technologies (shanghai) Inc.|Lockn Technologies Private Limited|Toytec Corporation
    0A4F VANMOOF Global Holding B.V.|Nextscape Inc.|CSIRO|Follow Sense Europe B.V.|KKM COMPANY LIMITED
    0A54 SQL Technologies Corp.|Inugo Systems Limited|ambie|Meizhou Guo Wei Electronics Co., Ltd|Indigo Diabetes
    0A59 TourBuilt, LLC|Sontheim Industrie Elektronik GmbH|LEGIC Identsystems AG|Innovative Design Labs Inc.
    0A5D MG Energy Systems B.V.
    0A5F stryker|DATANG SEMICONDUCTOR TECHNOLOGY CO.,LTD|Smart Parks B.V.|MOKO TECHNOLOGY Ltd
    0A64 Geopal system A/S|Lytx, INC.
    0A67 Beijing SuperHexa Century Technology CO. Ltd|Focus Ingenieria SRL|HAPPIEST BABY, INC.|Scribble Design Inc.
    0A6B Olympic Ophthalmics, Inc.|Pokkels|KUUKANJYOKIN Co.,Ltd.|Pac Sane Limited|Warner Bros.|Ooma|Senquip Pty Ltd
    0A72 Jumo GmbH & Co. KG|Innohome Oy|MICROSON S.A.|Delta Cycle Corporation|Synaptics Incorporated|AXTRO PTE. LTD.
    0A78 Shenzhen Sunricher Technology Limited|Webasto SE|Emlid Limited|UniqAir Oy|WAFERLOCK
    0A7D Freedman Electronics Pty Ltd|KEBA Handover Automation GmbH|Intuity Medical|Cleer Limited
    0A81 Universal Biosensors Pty Ltd|Corsair|Rivata, Inc.|Greennote Inc,|Snowball Technology Co., Ltd.
    0A86 ALIZENT International|Shanghai Smart System Technology Co., Ltd|PSA Peugeot Citroen|VusionGroup
    0A8A HAINBUCH GMBH SPANNENDE TECHNIK|SANlight GmbH|DelpSys, s.r.o.|JCM TECHNOLOGIES S.A.|Perfect Company
    0A8F TOTO LTD.|Shenzhen Grandsun Electronic Co.,Ltd.|Monarch International Inc.|Carestream Dental LLC
    0A93 GiPStech S.r.l.|OOBIK Inc.|Pamex Inc.
    0A97 SensTek|Foil, Inc.|Shanghai high-flying electronics technology Co.,Ltd|TEMKIN ASSOCIATES, LLC|Eello LLC
    0A9C Xi'an Fengyu Information Technology Co., Ltd.|Canon Finetech Nisca Inc.
    0A9F ista International GmbH|Loy Tec electronics GmbH|LINCOGN TECHNOLOGY CO. LIMITED|Care Bloom, LLC
    0AA3 DIC Corporation|FAZEPRO LLC|Shenzhen Uascent Technology Co., Ltd|Realityworks, inc.|Urbanista AB
    0AA8 Zencontrol Pty Ltd|Spintly, Inc.|Computime International Ltd|Anhui Listenai Co|OSM HK Limited
    0AAD Adevo Consulting AB|PS Engineering, Inc.|AIAIAI ApS|Visiontronic s.r.o.|InVue Security Products Inc
    0AB2 TouchTronics, Inc.|INNER RANGE PTY. LTD.|Ellenby Technologies, Inc.|Elstat Electronics Ltd.|Xenter, Inc.
    0AB7 LogTag North America Inc.|Sens.ai Incorporated|STL|Open Bionics Ltd.|R-DAS, s.r.o.
    0ABC KCCS Mobile Engineering Co., Ltd.|Inventas AS|Robkoo Information & Technologies Co., Ltd.|PAUL HARTMANN AG
    0AC0 Omni-ID USA, INC.|Shenzhen Jingxun Technology Co., Ltd.
    0AC2 RealMega Microelectronics technology (Shanghai) Co. Ltd.|Kenzen, Inc.|CODIUM|Flexoptix GmbH
    0AC6 Barnes Group Inc.|Chengdu Aich Technology Co.,Ltd|Keepin Co., Ltd.|Swedlock AB
    0ACA Shenzhen CoolKit Technology Co., Ltd|ise Individuelle Software und Elektronik GmbH|Nuvoton
    0ACD Visuallex Sport International Limited|KOBATA GAUGE MFG. CO., LTD.|CACI Technologies|Nordic Strong ApS
    0AD1 EAGLE KINGDOM TECHNOLOGIES LIMITED|Lautsprecher Teufel GmbH|SSV Software Systems GmbH
    0AD4 Zhuhai Pantum Electronisc Co., Ltd|Streamit B.V.|nymea GmbH|AL-KO Geraete GmbH|Franz Kaldewei GmbH&Co KG
    0AD9 Shenzhen Aimore. Co.,Ltd|Codefabrik GmbH|Reelables, Inc.|Duravit AG|Boss Audio|Vocera Communications, Inc.
    0ADF Douglas Dynamics L.L.C.
    0AE3 GlobalMed|DALI Alliance|unu GmbH|Hexology|Sunplus Technology Co., Ltd.|LEVEL, s.r.o.|FLIR Systems AB
    0AEA Borda Technology|Square, Inc.|FUTEK ADVANCED SENSOR TECHNOLOGY, INC|Saxonar GmbH|Velentium, LLC
    0AEF GLP German Light Products GmbH|Leupold & Stevens, Inc.|CRADERS,CO.,LTD
    0AF2 Shanghai All Link Microelectronics Co.,Ltd|701x Inc.|Radioworks Microelectronics PTY LTD
    0AF5 Unitech Electronic Inc.|AMETEK, Inc.|Irdeto|First Design System Inc.|Unisto AG
    0AFA Chengdu Ambit Technology Co., Ltd.|SMT ELEKTRONIK GmbH|Cerebrum Sensor Technologies Inc.|Weber Sensors, LLC
    0AFE Earda Technologies Co.,Ltd|FUSEAWARE LIMITED|Flaircomm Microelectronics Inc.|RESIDEO TECHNOLOGIES, INC.
    0B02 IORA Technology Development Ltd. Sti.|Precision Triathlon Systems Limited
    0B05 Marquardt GmbH|FAZUA GmbH|Workaround Gmbh|Shenzhen Qianfenyi Intelligent Technology Co., LTD|soonisys
    0B0A Belun Technology Company Limited|Sanistaal A/S|BluPeak|SANYO DENKO Co.,Ltd.|Minebea Access Solutions Inc.
    0B0F B.E.A. S.A.|Alfa Laval Corporate AB|ThermoWorks, Inc.|ToughBuilt Industries LLC|IOTOOLS|Olumee
    0B15 NAOS JAPAN K.K.|Guard RFID Solutions Inc.|SIG SAUER, INC.|DECATHLON SE|WBS PROJECT H PTY LTD
    0B1A Roca Sanitario, S.A.|Enerpac Tool Group Corp.|Nanoleq AG|Accelerated Systems|PB INC.
    0B1F Beijing ESWIN Computing Technology Co., Ltd.|TKH Security B.V.
    0B22 Hygiene IQ, LLC.|iRhythm Technologies, Inc.|BeiJing ZiJie TiaoDong KeJi Co.,Ltd.|NIBROTECH LTD
    0B26 Baracoda Daily Healthtech.|Lumi United Technology Co., Ltd|CHACON|Tech-Venom Entertainment Private Limited
    0B2B MAINBOT|ILLUMAGEAR, Inc.|REDARC ELECTRONICS PTY LTD|MOCA System Inc.|Duke Manufacturing Co|ART SPA
    0B31 Silver Wolf Vehicles Inc.|Hala Systems, Inc.|ARMATURA LLC|CONZUMEX INDUSTRIES PRIVATE LIMITED|BH SENS
    0B36 SINTEF|Omnivoltaic Energy Solutions Limited Company|WISYCOM S.R.L.|Red 100 Lighting Co., ltd.
    0B3A Impact Biosystems, Inc.|AIC semiconductor (Shanghai) Co., Ltd.|Dodge Industrial, Inc.|REALTIMEID AS
    0B3E ISEO Serrature S.p.a.|MindRhythm, Inc.|Havells India Limited|Sentrax GmbH|TSI|INCITAT ENVIRONNEMENT
    0B44 nFore Technology Co., Ltd.|Electronic Sensors, Inc.
    0B47 Gentex Corporation|NIO USA, Inc.|SkyHawke Technologies|Nomono AS|EMS Integrators, LLC|BiosBob.Biz
    0B4D Adam Hall GmbH|ICP Systems B.V.|Breezi.io, Inc.|Mesh Systems LLC|FUN FACTORY GmbH|ZIIP Inc
    0B53 SHENZHEN KAADAS INTELLIGENT TECHNOLOGY CO.,Ltd|Emotion Fitness GmbH & Co. KG
    0B55 H G M Automotive Electronics, Inc.|BORA - Vertriebs GmbH & Co KG|CONVERTRONIX TECHNOLOGIES AND SERVICES LLP
    0B58 TOKAI-DENSHI INC
    0B5B Shenzhen ImagineVision Technology Limited
    0B5D Fujian Newland Auto-ID Tech. Co., Ltd.|CELLCONTROL, INC.|Rivieh, Inc.|RATOC Systems, Inc.|Sentek Pty Ltd
    0B62 NOVEA ENERGIES|Innolux Corporation|NingBo klite Electric Manufacture Co.,LTD|The Apache Software Foundation
    0B66 MITSUBISHI ELECTRIC AUTOMATION (THAILAND) COMPANY LIMITED|CleanSpace Technology Pty Ltd|Quha oy|Addaday
    0B6A Dymo|Samsara Networks, Inc|Sensitech, Inc.|SOLUM CO., LTD|React Mobile
    0B70 JDRF Electromag Engineering Inc|lilbit ODM AS|Geeknet, Inc.|HARADA INDUSTRY CO., LTD.|BQN
    0B75 Triple W Japan Inc.|MAX-co., ltd|Aixlink(Chengdu) Co., Ltd.|FIELD DESIGN INC.|Sankyo Air Tech Co.,Ltd.
    0B7A Shenzhen KTC Technology Co.,Ltd.|Hardcoder Oy|Scangrip A/S|FoundersLane GmbH|Offcode Oy|ICU tech GmbH
    0B80 AXELIFE|SCM Group|Mammut Sports Group AG|Taiga Motors Inc.|Presidio Medical, Inc.|VIMANA TECH PTY LTD
    0B86 Trek Bicycle|Ampetronic Ltd|Muguang (Guangdong) Intelligent Lighting Technology Co., Ltd|Rotronic AG
    0B8A Seiko Instruments Inc.|American Technology Components, Incorporated|MOTREX|Pertech Industries Inc
    0B8E Gentle Energy Corp.|Senscomm Semiconductor Co., Ltd.|Ineos Automotive Limited|Alfen ICU B.V.
    0B92 Citisend Solutions, SL|Hangzhou BroadLink Technology Co., Ltd.|Dreem SAS
    0B96 Telecom Design|SILVER TREE LABS, INC.|Gymstory B.V.|The Goodyear Tire & Rubber Company
    0B9A Beijing Wisepool Infinite Intelligence Technology Co.,Ltd
    0B9C Komatsu Ltd.|Sensoria Holdings LTD|Audio Partnership Plc|Group Lotus Limited|Data Sciences International
    0BA1 Bunn-O-Matic Corporation|TireCheck GmbH|Sonova Consumer Hearing GmbH|Vervent Audio Group
    0BA5 SONICOS ENTERPRISES, LLC|Nissan Motor Co., Ltd.|hearX Group (Pty) Ltd|GLOWFORGE INC.|Allterco Robotics ltd
    0BAA Infinitegra, Inc.|Grandex International Corporation|Machfu Inc.|Roambotics, Inc.|Soma Labs LLC
    0BAF NITTO KOGYO CORPORATION|Ecolab Inc.|Beijing ranxin intelligence technology Co.,LTD|Fjorden Electra AS
    0BB3 Flender GmbH|New Cosmos USA, Inc.|Xirgo Technologies, LLC|Build With Robots Inc.|IONA Tech LLC
    0BB8 INNOVAG PTY. LTD.|SaluStim Group Oy|Huso, INC|SWISSINNO SOLUTIONS AG|T2REALITY SOLUTIONS PRIVATE LIMITED
    0BBE SAAB Aktiebolag|HIMSA II K/S|READY FOR SKY LLP|Miele & Cie. KG|EntWick Co.|MCOT INC.
    0BC4 TECHTICS ENGINEERING B.V.|Aperia Technologies, Inc.|TCL COMMUNICATION EQUIPMENT CO.,LTD.|Signtle Inc.
    0BC8 OTF Distribution, LLC|Neuvatek Inc.|Perimeter Technologies, Inc.|Divesoft s.r.o.|Sylvac sa|Amiko srl
    0BCE Neurosity, Inc.|LL Tec Group LLC|Durag GmbH|Hubei Yuan Times Technology Co., Ltd.|IDEC
    0BD3 Procon Analytics, LLC|ndd Medizintechnik AG|Super B Lithium Power B.V.
    0BD6 Shenzhen Injoinic Technology Co., Ltd.|VINFAST TRADING AND PRODUCTION JOINT STOCK COMPANY|PURA SCENTS, INC.
    0BDA Aardex Ltd.|CHAR-BROIL, LLC|Ledworks S.r.l.|Coroflo Limited|Yale|WINKEY ENTERPRISE (HONG KONG) LIMITED
    0BE0 Koizumi Lighting Technology corp.
    0BE2 OTC engineering|Comtel Systems Ltd.|Deepfield Connect GmbH|ZWILLING J.A. Henckels Aktiengesellschaft
    0BE6 Puratap Pty Ltd|Fresnel Technologies, Inc.|Sensormate AG|Shindengen Electric Manufacturing Co., Ltd.
    0BEA Twenty Five Seven, prodaja in storitve, d.o.o.|Luna Health, Inc.|Miracle-Ear, Inc.|CORAL-TAIYI Co. Ltd.
    0BEE LINKSYS USA, INC.|Safetytest GmbH|KIDO SPORTS CO., LTD.|Site IQ LLC|Angel Medical Systems, Inc.
    0BF3 PONE BIOMETRICS AS
    0BF5 T5 tek, Inc.|greenTEG AG|Wacker Neuson SE|Innovacionnye Resheniya
    0BFA CleanBands Systems Ltd.|Dodam Enersys Co., Ltd|T+A elektroakustik GmbH & Co.KG|Esmé Solutions
    0BFE Media-Cartec GmbH|Ratio Electric BV|MQA Limited|NEOWRK SISTEMAS INTELIGENTES S.A.|Loomanet, Inc.|Puff Corp
    0C04 Happy Health, Inc.|Montage Connect, Inc.|LED Smart Inc.|CONSTRUKTS, INC.|limited liability company "Red"
    0C09 Senic Inc.|Automated Pet Care Products, LLC|aconno GmbH|Mendeltron, Inc.|Mereltron bv|ALEX DENKO CO.,LTD.
    0C0F AETERLINK|Cosmed s.r.l.|Gordon Murray Design Limited|IoSA|Scandinavian Health Limited|Fasetto, Inc.
    0C15 Geva Sol B.V.|TYKEE PTY. LTD.|SomnoMed Limited|CORROHM|Arlo Technologies, Inc.
    0C1A Catapult Group International Ltd|Rockchip Electronics Co., Ltd.|GEMU|OFF Line Japan Co., Ltd.
    0C1E EC sense co., Ltd|LVI Co.|COMELIT GROUP S.P.A.|Foshan Viomi Electrical Technology Co., Ltd|Glamo Inc.
    0C23 KEYTEC,Inc.|SMARTD TECHNOLOGIES INC.|JURA Elektroapparate AG|Performance Electronics, Ltd.|Pal Electronics
    0C28 Embecta Corp.|DENSO AIRCOOL CORPORATION|Caresix Inc.|GigaDevice Semiconductor Inc.
    0C2C Zeku Technology (Shanghai) Corp., Ltd.|OTF Product Sourcing, LLC|Easee AS|BEEHERO, INC.|McIntosh Group Inc
    0C31 KINDOO LLP|Xian Yisuobao Electronic Technology Co., Ltd.|Exeger Operations AB|BYD Company Limited
    0C35 Thermokon-Sensortechnik GmbH
    0C37 SignalQuest, LLC|Noritz Corporation.|TIGER CORPORATION
    0C3B ORB Innovations Ltd|Classified Cycling|Wrmth Corp.|BELLDESIGN Inc.|Stinger Equipment, Inc.|HORIBA, Ltd.
    0C41 Control Solutions LLC|Heath Consultants Inc.|Berlinger & Co. AG|ONCELABS LLC|Brose Verwaltung SE, Bamberg
    0C46 Granwin IoT Technology (Guangzhou) Co.,Ltd|Epsilon Electronics,lnc|VALEO MANAGEMENT SERVICES|twopounds gmbh
    0C4A atSpiro ApS|ADTRAN, Inc.|Orpyx Medical Technologies Inc.|Seekwave Technology Co.,ltd.
    0C4E Tactile Engineering, Inc.|SharkNinja Operating LLC|Imostar Technologies Inc.|INNOVA S.R.L.|ESCEA LIMITED
    0C53 Taco, Inc.|HiViz Lighting, Inc.|Zintouch B.V.|Rheem Sales Company, Inc.|UNEEG medical A/S|Hykso Inc.
    0C59 CYBERDYNE Inc.|Lockswitch Sdn Bhd|Alban Giacomo S.P.A.|MGM WIRELESSS HOLDINGS PTY LTD|StepUp Solutions ApS
    0C5E BlueID GmbH|Wuxi Linkpower Microelectronics Co.,Ltd|KEBA Energy Automation GmbH|NNOXX, Inc
    0C62 Phiaton Corporation|phg Peter Hengstler GmbH + Co. KG|dormakaba Holding AG|WAKO CO,.LTD
    0C67 TRACKTING S.R.L.|Emerja Corporation|BLITZ electric motors. LTD|CONSORCIO TRUST CONTROL - NETTEL|GILSON SAS
    0C6C SNIFF LOGIC LTD|Fidure Corp.|Sensa LLC|Parakey AB|SCARAB SOLUTIONS LTD
    0C71 BitGreen Technolabz (OPC) Private Limited|StreetCar ORV, LLC|Truma Gerätetechnik GmbH & Co. KG|yupiteru
    0C75 Embedded Engineering Solutions LLC
    0C77 TEAC Corporation|CHARGTRON IOT PRIVATE LIMITED|Zhuhai Smartlink Technology Co., Ltd
    0C7A Triductor Technology (Suzhou), Inc.|PT SADAMAYA GRAHA TEKNOLOGI|Mopeka Products LLC|3ALogics, Inc.
    0C7F Rochester Sensors, LLC|CARDIOID - TECHNOLOGIES, LDA|Carrier Corporation|NACON|Watchdog Systems LLC
    0C84 MAXON INDUSTRIES, INC.|Amlogic, Inc.|Qingdao Eastsoft Communication Technology Co.,Ltd
    0C87 Weltek Technologies Company Limited|Nextivity Inc.|AGZZX OPTOELECTRONICS TECHNOLOGY CO., LTD
    0C8A A.GLOBAL co.,Ltd.|Heavys Inc|T-Mobile USA|tonies GmbH|Technocon Engineering Ltd.
    0C8F Radar Automobile Sales(Shandong)Co.,Ltd.|WESCO AG|Yashu Systems|Kesseböhmer Ergonomietechnik GmbH
    0C93 Movesense Oy|Baxter Healthcare Corporation|Gemstone Lights Canada Ltd.|H+B Hightech GmbH|Deako
    0C98 MiX Telematics International (PTY) LTD|Vire Health Oy|ALF Inc.|NTT sonority, Inc.
    0C9C Sunstone-RTLS Ipari Szolgaltato Korlatolt Felelossegu Tarsasag|Ribbiot, INC.|ECCEL CORPORATION SAS
    0C9F Dragonfly Energy Corp.|BIGBEN|YAMAHA MOTOR CO.,LTD.|XSENSE LTD|MAQUET GmbH
    0CA4 MITSUBISHI ELECTRIC LIGHTING CO, LTD|Princess Cruise Lines, Ltd.|Megger Ltd|Verve InfoTec Pty Ltd
    0CA8 Sonas, Inc.|Mievo Technologies Private Limited|Shenzhen Poseidon Network Technology Co., Ltd
    0CAB HERUTU ELECTRONICS CORPORATION|Shenzhen Shokz Co.,Ltd.|Shenzhen Openhearing Tech CO., LTD .
    0CAE Evident Corporation|NEURINNOV|SwipeSense, Inc.|RF Creations|SHINKAWA Sensor Technology, Inc.|janova GmbH
    0CB4 Eberspaecher Climate Control Systems GmbH|Racketry, d. o. o.|THE EELECTRIC MACARON LLC
    0CB7 Cucumber Lighting Controls Limited
    0CB9 seca GmbH & Co. KG|Ameso Tech (OPC) Private Limited|Emlid Tech Kft.|TROX GmbH|Pricer AB
    0CBF Forward Thinking Systems LLC.|Garnet Instruments Ltd.|CLEIO Inc.|Anker Innovations Limited|HMD Global Oy
    0CC4 ABUS August Bremicker Soehne Kommanditgesellschaft|Open Road Solutions, Inc.|Serial Technology Corporation
    0CC7 SB C&S Corp.|TrikThom|Innocent Technology Co., Ltd.|Cyclops Marine Ltd|NOTHING TECHNOLOGY LIMITED
    0CCC Kord Defence Pty Ltd|YanFeng Visteon(Chongqing) Automotive Electronic Co.,Ltd|SENOSPACE LLC
    0CCF Shenzhen CESI Information Technology Co., Ltd.|MooreSilicon Semiconductor Technology (Shanghai) Co., LTD.
    0CD1 Imagine Marketing Limited|EQOM SSC B.V.|TechSwipe|Reoqoo IoT Technology Co., Ltd.|Numa Products, LLC
    0CD6 HHO (Hangzhou) Digital Technology Co., Ltd.|Maztech Industries, LLC|SIA Mesh Group|Minami acoustics Limited
    0CDA Wolf Steel ltd|Circus World Displays Limited|Ypsomed AG|Alif Semiconductor, Inc.
    0CDF SHENZHEN CHENYUN ELECTRONICS CO., LTD|VODALOGIC PTY LTD|Regal Beloit America, Inc.|CORVENT MEDICAL, INC.
    0CE3 Taiwan Fuhsing|Off-Highway Powertrain Services Germany GmbH|Amina Distribution AS
    0CE6 McWong International, Inc.|TAG HEUER SA|Dongguan Yougo Electronics Co.,Ltd.|PEAG, LLC dba JLab Audio
    0CEA HAYWARD INDUSTRIES, INC.|Shenzhen Tingting Technology Co. LTD|Pacific Coast Fishery Services (2003) Inc.
    0CED CV. NURI TEKNIK|MadgeTech, Inc|POGS B.V.|THOTAKA TEKHNOLOGIES INDIA PRIVATE LIMITED|Midmark
    0CF3 Radio Sound|SOLUX PTY LTD|BOS Balance of Storage Systems AG|OJ Electronics A/S|TVS Motor Company Ltd.
    0CF8 core sensing GmbH|Tamblue Oy|Protect Animals With Satellites LLC|Tyromotion GmbH|ElectronX design
    0CFE Thule Group AB|Ergodriven Inc|Sparkpark AS|KEEPEN|Rocky Mountain ATV/MC Jake Wilson|MakuSafe Corp
    0D04 Bartec Auto Id Ltd|Energy Technology and Control Limited|doubleO Co., Ltd.|Datalogic S.r.l.
    0D08 Datalogic USA, Inc.|Leica Geosystems AG|CATEYE Co., Ltd.|Research Products Corporation|Planmeca Oy
    0D0D C.Ed. Schulte GmbH Zylinderschlossfabrik|PetVoice Co., Ltd.|Timebirds Australia Pty Ltd
    0D10 JVC KENWOOD Corporation
    0D12 Spartek Systems Inc.|MERRY ELECTRONICS CO., LTD.|Merry Electronics (S) Pte Ltd|Spark
    0D16 Nations Technologies Inc.|Akix S.r.l.|Bioliberty Ltd|C.G. Air Systemes Inc.|Maturix ApS|RACHIO, INC.
    0D1C LIMBOID LLC|Electronics4All Inc.|FESTINA LOTUS SA|Synkopi, Inc.|SCIENTERRA LIMITED|Cennox Group Limited
    0D22 Cedarware, Corp.|GREE Electric Appliances, Inc. of Zhuhai|Japan Display Inc.
    0D25 System Elite Holdings Group Limited|Burkert Werke GmbH & Co. KG|velocitux|FUJITSU COMPONENT LIMITED
    0D29 MIYAKAWA ELECTRIC WORKS LTD.|PhysioLogic Devices, Inc.|Sensoryx AG|SIL System Integration Laboratory GmbH
    0D2D Cooler Pro, LLC|Advanced Electronic Applications, Inc|Delta Development Team, Inc
    0D30 Laxmi Therapeutic Devices, Inc.|SYNCHRON, INC.|Badger Meter|Micropower Group AB
    0D34 ZILLIOT TECHNOLOGIES PRIVATE LIMITED|Universidad Politecnica de Madrid
    0D36 XIHAO INTELLIGENGT TECHNOLOGY CO., LTD|Zerene Inc.|CycLock|Systemic Games, LLC|Frost Solutions, LLC
    0D3B Lone Star Marine Pty Ltd|SIRONA Dental Systems GmbH|bHaptics Inc.|LUMINOAH, INC.|Vogels Products B.V.
    0D40 SignalFire Telemetry, Inc.|CPAC Systems AB|TEKTRO TECHNOLOGY CORPORATION|Gosuncn Technology Group Co., Ltd.
    0D44 Ex Makhina Inc.|Odeon, Inc.|Thales Simulation & Training AG|Shenzhen DOKE Electronic Co., Ltd|Vemcon GmbH
    0D49 Refrigerated Transport Electronics, Inc.|Rockpile Solutions, LLC|Soundwave Hearing, LLC
    0D4D Optec, LLC|NIKAT SOLUTIONS PRIVATE LIMITED|Movano Inc.|NINGBO FOTILE KITCHENWARE CO., LTD.|Genetus inc.
    0D52 DIVAN TRADING CO., LTD.|Luxottica Group S.p.A|ISEKI FRANCE S.A.S|NO CLIMB PRODUCTS LTD|Wellang.Co,.Ltd
    0D57 Nanjing Xinxiangyuan Microelectronics Co., Ltd.|ifm electronic gmbh|HYUPSUNG MACHINERY ELECTRIC CO., LTD.
    0D5A Gunnebo Aktiebolag|Axis Communications AB
    0D5D Stogger B.V.|Pella Corp|SiChuan Homme Intelligent Technology co.,Ltd.|Smart Products Connection, S.A.
    0D61 F.I.P. FORMATURA INIEZIONE POLIMERI - S.P.A.|MEBSTER s.r.o.|SKF France|Southco|Molnlycke Health Care AB
    0D66 Hendrickson USA , L.L.C|BLACK BOX NETWORK SERVICES INDIA PRIVATE LIMITED|Status Audio LLC
    0D69 AIR AROMA INTERNATIONAL PTY LTD|Helge Kaiser GmbH|Crane Payment Innovations, Inc.|Ambient IoT Pty Ltd
    0D6D DYNAMOX S/A|Look Cycle International|Closed Joint Stock Company NVP BOLID|Kindhome|Kiteras Inc.
    0D72 Earfun Technology (HK) Limited|iota Biosciences, Inc.|ANUME s.r.o.|Indistinguishable From Magic, Inc.
    0D76 i-focus Co.,Ltd|DualNetworks SA|MITACHI CO.,LTD.|VIVIWARE JAPAN, Inc.|Xiamen Intretech Inc.|MindMaze SA
    0D7C BeiJing SmartChip Microelectronics Technology Co.,Ltd|Taiko Audio B.V.|Daihatsu Motor Co., Ltd.|Konova
    0D80 Gravaa B.V.|Beyerdynamic GmbH & Co. KG|VELCO|ATLANTIC SOCIETE FRANCAISE DE DEVELOPPEMENT THERMIQUE
    0D84 Testo SE & Co. KGaA|SEW-EURODRIVE GmbH & Co KG|ROCKWELL AUTOMATION, INC.
    0D87 Quectel Wireless Solutions Co., Ltd.
    0D89 Nanohex Corp|Simply Embedded Inc.|Software Development, LLC|Ultimea Technology (Shenzhen) Limited
    0D8D RF Electronics Limited|Optivolt Labs, Inc.|Canon Electronics Inc.|LAAS ApS|Beamex Oy Ab
    0D92 TACHIKAWA CORPORATION|HagerEnergy GmbH
    0D95 Hunter Industries Incorporated|NEOKOHM SISTEMAS ELETRONICOS LTDA|Zhejiang Huanfu Technology Co., LTD
    0D98 E.F. Johnson Company|Caire Inc.|Yeasound (Xiamen) Hearing Technology Co., Ltd|Boxyz, Inc.
    0D9C Skytech Creations Limited|Cear, Inc.|Impulse Wellness LLC|MML US, Inc|SICK AG|Fen Systems Ltd.|KIWI.KI GmbH
    0DA3 Airgraft Inc.|HP Tuners|PIXELA CORPORATION|Generac Corporation|Novoferm tormatic GmbH|Airwallet ApS
    0DA9 Inventronics GmbH|Shenzhen EBELONG Technology Co., Ltd.|Efento|ITALTRACTOR ITM S.P.A.
    0DAE TITUM AUDIO, INC.|Hexagon Aura Reality AG|Invisalert Solutions, Inc.|TELE System Communications Pte. Ltd.
    0DB2 Whirlpool|SHENZHEN REFLYING ELECTRONIC CO., LTD|Franklin Control Systems|Djup AB|SAFEGUARD EQUIPMENT, INC.
    0DB7 Morningstar Corporation|Shenzhen Chuangyuan Digital Technology Co., Ltd|CompanyDeep Ltd
    0DBA Veo Technologies ApS|Nexis Link Technology Co., Ltd.|Felion Technologies Company Limited|MAATEL
    0DBE HELLA GmbH & Co. KGaA|HWM-Water Limited|Shenzhen Jahport Electronic Technology Co., Ltd.
    0DC1 NACHI-FUJIKOSHI CORP.|Cirrus Research plc|GEARBAC TECHNOLOGIES INC.
    0DC4 Hangzhou NationalChip Science & Technology Co.,Ltd|DHL|Levita|MORNINGSTAR FX PTE. LTD.
    0DC8 ETO GRUPPE TECHNOLOGIES GmbH|farmunited GmbH|Aptener Mechatronics Private Limited|GEOPH, LLC|Trotec GmbH
    0DCD Astra LED AG|NOVAFON - Electromedical devices limited liability company|KUBU SMART LIMITED|ESNAH
    0DD1 OrangeMicro Limited|Fresh n Rebel B.V.|Global Satellite Engineering|KOQOON GmbH & Co.KG|BEEPINGS
    0DD6 MODULAR MEDICAL, INC.|Xiant Technologies, Inc.
    0DD9 SCHELL GmbH & Co. KG|Minebea Intec GmbH|KAGA FEI Co., Ltd.
    0DDC AUTHOR-ALARM, razvoj in prodaja avtomobilskih sistemov proti kraji, d.o.o.|Tozoa LLC
    0DDE SHENZHEN DNS INDUSTRIES CO., LTD.|Shenzhen Lunci Technology Co., Ltd|KNOG PTY. LTD.
    0DE1 Outshiny India Private Limited|TAMADIC Co., Ltd.|Shenzhen MODSEMI Co., Ltd|EMBEINT INC
    0DE5 Ehong Technology Co.,Ltd|DEXATEK Technology LTD|Dendro Technologies, Inc.|Vivint, Inc.|General Laser GmbH
    0DEA Kathrein Solutions GmbH|Fitz Inc.|ATEGENOS PHARMACEUTICALS INC|Flextronic GmbH|Safety Swim LLC
    0DEF SING SUN TECHNOLOGY (INTERNATIONAL) LIMITED|Woncan (Hong Kong) Limited
    0DF1 iFLYTEK (Suzhou) Technology Co., Ltd.|Weber-Stephen Products LLC|hDrop Technologies Inc.|REEKON TOOLS INC.
    0DF5 Delta Faucet Company|Mutrack Co., Ltd|Hangzhou Zhaotong Microelectronics Co., Ltd.
    0DF8 Chengdu CSCT Microelectronics Co., Ltd.|Belusun Technology Ltd.|Shenzhen Matches IoT Technology Co., Ltd.
    0DFB Beidou Intelligent Connected Vehicle Technology Co., Ltd.|SOJI ELECTRONICS JOINT STOCK COMPANY
    0DFD BH Technologies|Haptech, Inc.|WaveRF, Corp.|SHENZHEN SOUNDSOUL INFORMATION TECHNOLOGY CO.,LTD
    0E01 Wuhu Mengbo Technology Co., Ltd.|PROSYS DEV LIMITED|Shenzhen eMeet technology Co.,Ltd|Doro AB
    0E05 SUREPULSE MEDICAL LIMITED|iodyne, LLC|Pinpoint GmbH|Heinrich Kopp GmbH|Evolutive Systems SL
    0E0B Sounding Audio Industrial Ltd.|Yuanfeng Technology Co., Ltd.|FrontAct Co., Ltd.
    0E0F SenseWorks Tecnologia Ltda.|Eko Health, Inc.|Wanzl GmbH & Co. KGaA|CLEVER LOGGER TECHNOLOGIES PTY LIMITED
    0E13 ASYSTOM|Heilongjiang Tianyouwei Electronics Co.,Ltd.|Eastern Partner Limited
    0E16 Xiamen RUI YI Da Electronic Technology Co.,Ltd|Ad Hoc Electronics, llc.
    0E18 Hangzhou Microimage Software Co.,Ltd.|Hive-Zox International SA|Sensovo GmbH|Time Location Systems AS
    0E1C SHENZHEN DIGITECH CO., LTD|Capte B.V.|9512-5837 QUEBEC INC.|Blecon Ltd
    0E20 CFLAB TEKNOLOJI TICARET LIMITED SIRKETI|FOGO|HITO INC|MS kajak7 UG (limited liability)|Avedis Zildjian Co.
    0E25 Hangzhou Hikvision Digital Technology Co., Ltd.|LIHJOEN SPEED METER CO., LTD.|NextSense, Inc.|PatchRx, Inc.
    0E29 Flipper Devices Inc.|Huizhou Foryou General Electronics Co., Ltd.|JE electronic a/s|9313-7263 Quebec inc.
    0E2D ECARX (Hubei) Tech Co.,Ltd.|NIHON KOHDEN CORPORATION|ONWI|Primax Electronics Ltd.|AlphaTheta Corporation
    0E32 PACIFIC INDUSTRIAL CO., LTD.|Crescent NV|Vermis, software solutions llc|SNAPPWISH LLC|Cousins and Sears LLC
    0E37 CESYS Gesellschaft für angewandte Mikroelektronik mbH|SLOC GmbH|IRES Infrarot Energie Systeme GmbH
    0E3A OFIVE LIMITED|Swift IOT Tech (Shenzhen) Co., LTD.|Viselabs|Walmart Inc.|VANBOX|Wiser Devices, LLC
    0E40 WKD Labs Ltd|Asustek Computer Inc.|Z-ONE Technology Co., Ltd.|InnoVision Medical Technologies, LLC
    0E44 QUANTATEC|Filo Srl|SOUNDUCT|Hosiden Besson Limited|KARLUNA MUHENDISLIK SANAYI VE TICARET ANONIM SIRKETI
    0E49 Deone (Shanghai) Communication & Technology Co., Ltd|Nitto Denko Corporation
    0E4B PUDSEY DIAMOND ENGINEERING LIMITED|Luxshare Precision Industry Co., Ltd.|Brooksee, Inc.|QSC, LLC
    0E4F eBet Gaming Sytems Pty Limited|Zhejiang Desman Intelligent Technology Co., Ltd.|Dyaco International Inc.
    0E52 Aquana, LLC|MINIRIG|Relief Technologies AS|New Cosmos Electric Co., Ltd.|INEPRO Metering B.V.|Altina Inc.
    0E58 Urban Armor Gear, LLC|Loewe Technology GmbH|OmniWave Microelectronics Shanghai Co., Ltd
    0E5B Wuhu Hongjing Electronic Co.,Ltd|Rocoto Ltd|L.T.H. Electronics Limited|SHAPER TOOLS, INC.|Ruptela
    0E60 Ant Group Co., Ltd.|Queclink Wireless Solutions Co., Ltd.|GOKI PTY LTD|LAST LOCK INC.
    0E64 HuiTong intelligence Company Limited|Daikin Industries, LTD|Shenzhen Baseus Technology Co., Ltd.
    0E67 NEXT DEVICES LTDA|EarTex Ltd|Megatronix (Beijing) Technology Co., Ltd|Hyena Inc.
    0E6B Shenzhen Goodocom Information Technology Co., Ltd.|RIGH, INC.|FEVOS LIMITED
    0E6F OpConnect, Inc.|Powerstick.com|ENABLEWEAR LLC|TOR.AI LIMITED
    0E73 Adventures of the Persistently Impaired (and other tales) Limited|Rocky Radios LLC
    0E75 Le Touch (Shenzhen) Electronics Co., Ltd.|Guangdong Nanguang Photo&Video Systems Co., Ltd.
    0E77 MOBILE TECH, INC.|HONG KONG COMMUNICATIONS COMPANY LIMITED|Neptune First OU|Vivago Oy|Circular|final Inc.
    0E7D Jiangsu XinTongda Electric Technology Co.,Ltd.|Archon Controls LLC|SZR-Dev UG|IQNEXXT Solutions GmbH
    0E81 Guangdong Hengqin Xingtong Technology Co.,ltd.|CHEVALIER TECH LIMITED|SPRiNTUS GmbH|Tymphany HK Ltd
    0E85 TigerLight, Inc.|Mercury Marine, a division of Brunswick Corporation|OpenTech Alliance, Inc.
    0E88 Skewered Fencing, LLC|Brudden|Tele-Radio i Lysekil AB|Allgon AB|Gopod Group Holding Limited
    0E8D Celebrities Management Private Limited|Nobest Inc|Avetos Design LLC|RainMaker Solutions, Inc.|Identita Inc.
    0E92 Glutz AG|MIV ELECTRONICS, LTD|Tactrix|Viaanix, Inc.|Skeed,co,Ltd.|kokoromil Inc.|Chromatic Inc.
    0E99 Medibound, Inc.|Scanbro OU|Panasonic Automotive Systems Co., Ltd.|Andrews & Arnold Ltd|Audinor ApS
    0E9E Travelxp India Private Limited|Owlet Baby Care Inc.|ENLESS WIRELESS|Culligan International Company
    0EA2 QIKCONNEX LLC|OLIS ELECTRONICS, LLC|BiTECH Automotive (Wuhu) Co.,Ltd|EasyReach Solutions Private Limited
    0EA6 AMG Lab LLC|BrickXter GmbH|Dongguan Trangjan Industrial Co., Ltd|Makichie Co., Ltd.|Hive Soundz inc.
    0EAB STEYR Sport GmbH|Dynetrex Solutions Inc.|OPTRON Co., Ltd.|BHClears Microelectronics (Shanghai) Co., Ltd.
    0EAF Unfolded Circle ApS|FactorySense|WearNex Limited|PRADCO Outdoor Brands|Zucchetti Axess|BLUEFIN DATA, LLC
    0EB5 Preseed Japan Corporation|Server Products, Inc.|Embedded Solutions LLC|PARAGON ID|egojin co,.ltd|THERMY LTD
    0EBB Asahi Denso Co.,Ltd.|GP Acoustics International Limited|Tongfang Health Technology (Beijing) Co., Ltd.
    0EBE Deity Acoustic Technology Co.|Schulte-Schlagbaum AG|WEST inx Ltd.|Crossdoor|High Entropy, LLC
    0EC3 Herschel Infrared Ltd|PACIFIC MARINE BATTERIES PTY. LIMITED|Alibaba (China) Co., Ltd.|AuthGate B.V.
    0EC7 Canyon Bicycles GmbH|Codie LLC|NeuroPace Inc|NexRev LLC
    0ECB Zhong Shan City Richsound Electronic Industrial Ltd.|Shenzhen NEOECO Technology Co., Ltd.|Nature Inc.
    0ECE Guangzhou Honor Microelectronic Co.,Ltd.|GGEC America, Inc.|Gibson, Inc.|VINYL MATT MEDIA LIMITED
    0ED2 SHENZHEN BESTWAY ELECTRONICS CO.,LTD|Lichens Innovation inc.|Goerdyna Group Co., Ltd
    0ED5 Relish Technologies Limited|Quintessential Design, Inc.|CS INSTRUMENTS GmbH & Co.KG|DORAN MFG. LLC
    0ED9 Overhead Door Corporation|Kodira GmbH|ShenZhen BoYiChuangXin|Shenzhen Zoqin Technology Co., Ltd.
    0EDD Ceridwen Limited|Sony Honda Mobility Inc.|Dynaudio A/S|MAERSK CONTAINER INDUSTRY A/S|MA MICRO LIMITED
    0EE2 shenzhen hongever technology Co,. Ltd|TAMRON Co., Ltd.|CAPTEMP, LDA|Ambient Life Inc.|NOCTRIX HEALTH, INC
    0EE7 RICKARD AIR DIFFUSION (PTY) LTD|SG Armaturen AS|PIXEL TI IND. E COM PROD ELETRONICOS|Core Devices LLC
    0EEB Fujita Electric Works, Ltd|Willow Laboratories, Inc.|BBC Bircher AG|ELLEA INGEGNERIA SRL UNIPERSONALE
    0EEF Q42 Internet B.V.|Seaward Electronic|Wuxi Does IOT Co., Ltd|CAPTAIN BLINK|Monil AS
    0EF5 LS ELECTRIC Co., Ltd.|Shenzhen Cyber Innovation Technology Co., Ltd.|Trackonomy Systems, Inc.
    0EF8 IoT Solutions Malta Limited|Aseptico, Inc.|Sensear Pty Ltd|BLUEPROVIDERZ LLC|Jano Life Inc.|PRIMES GmbH
    0EFE Teledyne Instruments, Inc.|Healthcare Technology Limited|TRACERCO LIMITED|HAPPLABS SOFTWARE PRIVATE LIMITED
    0F02 GE HEALTHCARE TECHNOLOGIES INC.|Olibra LLC|Lumen Labs (HK) Ltd|SHENZHEN GWSTAI TECHNOLOGY CO.,LTD
    0F06 SHENZHEN POWEROAK NEWENER CO., LTD|Tech OVN Private Limited|Lezyne USA Inc.|ANC CHINA LIMITED
    0F0A LION GROUP, INC.|Brightway Innovation Intelligent Technology (Suzhou) Co., Ltd.
    0F0C Hitachi Industrial Equipment Systems Co.,Ltd.|Maennl Elektronik GmbH|IDEATRONIK Limited Liability Company
    0F0F caive Inc.|ShenZhen Doctors of Intelligence & Technology Co.,Ltd|Deep and Steep LLC|Endur ID, Inc.
    0F13 Freshape SA|PreEvnt, LLC|Oval Corporation|ADHD Friendly co.Ltd|RORENTECH Co., Ltd.|iKeyless, LLC
    0F19 Shenzhen SuperSound Technology Co.,Ltd|FLO SCIENCES, LLC|PalatiumCare LLC|Edge Semiconductors Inc.
    0F1D ZIMMERMANN PV-Steel Group GmbH & Co. KG|Yolni Inc.|Ninebot (Changzhou) Tech Co., Ltd.
    0F20 Beijing Spring Creation Technology Co., Ltd.|Rokk Limited|ONESPACE TECHNOLOGIES (PTY) LTD
    0F23 Yuquan Semiconductor (Xiamen) Co., Ltd.|Easy Measure Co., Ltd.
    0F25 Sichuan Changhong Neonet Technologies Co.,Ltd.|Centromere Holding B.V.|Global Link Distribution Corp.
    0F28 Amp Fit Israel LTD|Trezor Company s.r.o.|KELLER Druckmesstechnik AG|ElitEngineering LLC|Vision Group Inc.
    0F2D ClipsClips LLC|BRITZ INTERNATIONAL CO.,LTD|ThingCo Limited|Opal Camera, Inc.
    0F31 TECHNOLOGIES FOR FREERIDE s.r.o|FLINTEC UK LIMITED|TETNET|NINGBO SHARKWARD ELECTRONICS CO.,LTD|Audeze LLC
    0F36 NODER Joint Stock Company|Schueco International KG|GILL INSTRUMENTS LIMITED|Seitron Spa
    0F3A Southern Audio Services, Inc|SANWA NEWTEC CO.,LTD.|Mobile Technology Solutions LLC|Vitio Medical S.L.
    0F3E Salyx Medical Inc.|Landig + Lava GmbH & Co. KG|Health Data Insight C.I.C.|BONX INC.
    0F42 LINKEDCHIP TECHNOLOGY INC|12mm Health Technology (Hainan) Co., Ltd.
    0F44 MAVERICK ENERGY SOLUTIONS INTERNATIONAL,INC|Tactica Defense LLC
    0F46 Huizhou Meicanxin Electronics Technology Co.,Ltd|Lodestar Technology Inc.
    0F48 Shenzhen Xinfeiyi Technology Co., Ltd.|IYO INC.|Mitsubishi Motors Corporation|desamisCo.,Ltd.
    0F4C JL WORLD CORPORATION LIMITED|Qulinda AB|Ningbo Dooya Mechanic & Electronic Technology Co., Ltd
    0F4F G-Vision GmbH|Lantern Innovations Incorporated|ebm-papst Mulfingen GmbH & Co. KGaA & Co. KG
    0F52 Shenzhen Yunke Intelligent Co.Ltd|Fledt & Meiton Marin AB|ContiTech Deutschland GmbH|Sensoteq Ltd
    0F56 Astute Access Group Limited|Silverlake Technologies|Shenzhen Guo-link Technology Co.,Ltd.
    0F59 Silicon Vandals PTY LTD|Vibe Energy B.V.|shanghai fudan electronics group company Co. Ltd
    0F5C Micro Technology Services, Inc.|Leapcraft ApS|WUXI WEIDA INTELLIGENT ELECTRONICS CO.,LTD.|ROBSON SRL
    0F60 Quilt Systems, Inc.|HyolimXE Co., Ltd.|Kehwin Technologies Co. Ltd.|WATTER, Inc.|SafeNow GmbH|CZV, Inc
    0F66 BIGREDBEE, LLC|White Eagle Sonic Technologies, Inc.|Navico|Ancoe Industry Corporation|Roam Devices LLC
    0F6B Skywalk Inc.|Biogents AG|MODRETRO, INC.|iSi Wearable Safety GmbH|onanoff limited
    0F70 TECHFLITTER SOLUTIONS PRIVATE LIMITED|PIRITIZ LLC|FLORLINK, INC.|Keycafe Inc.|Sperry Labs LLC
    0F75 Senseonics, Incorporated|simatec ag|CROSS BRAIN CO.,Ltd.|Also, Inc.
    0F79 Walter Mueller Inc. for Industrial Electronics|SHENZHEN GUANG QI GUO CHUANG TECHNOLOGY CO.,LTD
    0F7B SKYROAM, INC.|Polk Audio|eQ-3 AG|shenzhen Holyiot Technology Co.,Ltd|Badass eBikes GmbH
    0F80 Hydro Electronic Devices, Inc.|IN Phase International lTD|Amon Co.Ltd.|Calpeda S.p.A.|KT Micro, Inc.
    0F85 Hangzhou Sciener Smart Technology Co., Ltd.|Lakecrest Pty Ltd|Anacove Inc.|Kohler Ventures, Inc.
    0F89 STOREIO TECHNOLOGIES LTD|Innogando S.L.|A.Y. McDonald Mfg. Co.|ROYAL PARTS CO.,LTD|JUREN CO., LTD.
    0F8E Biceek Inc|SIGNUM INTELLIGENCE LTD|MOBI7 TECNOLOGIA EM MOBILIDADE S.A.|Valostra Digital Ventures LLP
    0F92 Ethos Group, Inc.|Aktiebolaget Ebeco|IDX Company, Ltd.
    0F95 Dongguang Huasoo Automation Technology Company Limited|SEIKOIST, INC|SPX Aids to Navigation Oy|Fitnexa Inc
    0F99 DEZINE GROUP LLC|Eiritsu Electronics Industry Co., Ltd.|Hanshow Technology Co.,Ltd.
    0F9C WePower Technologies LLC|IRTrans GmbH|Hibino Corporation|Seiko Future Creation Inc.|DP IOT
    0FA1 PALRED RETAIL PRIVATE LIMITED|BIA NEUROSCIENCE INC.|B.E.G. Brueck Electronic GmbH|Nice Spa
    0FA5 Avanos Medical, Inc.|Ugreen Group Limited|spheretek japan|Senti Technologies Private Limited
    0FA9 Ranch Systems, Inc.|Suzhou Fanxi Technology Co., Ltd.|Geo Radar AI Private Limited|Flitsmeister B.V.
    0FAD The AI Toy Company|Capacite|Terasite Technologies|General Resistance, LLC|Avivomed Inc.|PLAUD Inc.
    0FB3 Hooked Society Oy Ltd|StoneDevices|Hangzhou Nano IC Technologies Co,. Ltd|TQ-Systems GmbH
    0FB7 Hapn Holdings, LLC|SITERWELL ELECTRONICS CO.,LIMITED|Shenzhen Mutual Technology Co., Ltd
    0FBA Cosonic Intelligent Technologies Co., Ltd.|Rollease Acmeda, Inc.|ATANS TECHNOLOGY INC.|Locus Robotics Corp.
    0FBE TaigaIoT|Tridentify AB|Littlebird Connected Care, Inc.|Air Automotive tracking Inc.|ISSPRO, INC
    0FC3 Shenzhen Jimi loT Co.,Ltd|FulScience Automotive Electronics Co., Ltd.|Hypershell Co., Ltd|ASD Lighting PLC
    0FC7 Pharox B.V.|Eforthink Technology Co., Ltd.|Zirbel Bike GmbH|Legato Audio, Inc.|Biocorp Production
    0FCC Neurotherapeutics Ltd|Wimate Technology Solutions Pvt Ltd|NOJA Power|Nestlab AS|Stark Future SL
    0FD1 Auranova LLC|Domteknika S.A|YDIIT Co., Ltd|QRITAGYA LLP|Telemacy Ltd|LIOTYS|Hondata, Inc.
    0FD8 SIVA Inotec Limited|REMDEVICE S.R.L.|NIVELCO PROCESS CONTROL CO.
    0FDC Beijing Hongsi Electronic Technology Co.,Ltd.
    103A FOSS Analytical A/S
    103D Blahaj Ltd|Nextorage Corporation|infyni|Raspberry Pi|Shenzhen Huasheng Jiaye Technology Co., Ltd
    1042 Namara Water Technologies, Inc|Shanghai Holychip Electronic Co., Ltd.|Rotarex S.A.
    1045 VOTRONIC Elektronik-Systeme GmbH|EXELIO S.R.L.|Yamaha Motor eBike Systems GmbH|Ferrari s.p.a.
    1049 Anhui Ubico Advanced Manufacture Co., Ltd.|Mueller-BBM Rail Technologies GmbH|Yoto Limited
    104C LAUMAS Elettronica S.r.l.|BUND MEDIA PTY. LTD.|LSC Control Systems Pty Ltd|Safety Lighting Research Pty Ltd
    1050 Hangzhou Sneuro Medical Co., Ltd.|UnlimitedIRL LLC|MAXTA TECH INC.|Sensorworx, Inc.
    FFFF Bluetooth SIG Specification Reserved Default Vendor ID for Remote Devices Without Device ID Service Record.
    """#
}
