/** Codes of ISO 3166-1: alpha-2, alpha-3 and number behind each other. */
export const countryCodes = `
ADAND020 AEARE784 AFAFG004 AGATG028 AIAIA660 ALALB008 AMARM051 AOAGO024 AQATA010 ARARG032 ASASM016 ATAUT040
AUAUS036 AWABW533 AXALA248 AZAZE031 BABIH070 BBBRB052 BDBGD050 BEBEL056 BFBFA854 BGBGR100 BHBHR048 BIBDI108
BJBEN204 BLBLM652 BMBMU060 BNBRN096 BOBOL068 BQBES535 BRBRA076 BSBHS044 BTBTN064 BVBVT074 BWBWA072 BYBLR112
BZBLZ084 CACAN124 CCCCK166 CDCOD180 CFCAF140 CGCOG178 CHCHE756 CICIV384 CKCOK184 CLCHL152 CMCMR120 CNCHN156
COCOL170 CRCRI188 CUCUB192 CVCPV132 CWCUW531 CXCXR162 CYCYP196 CZCZE203 DEDEU276 DJDJI262 DKDNK208 DMDMA212
DODOM214 DZDZA012 ECECU218 EEEST233 EGEGY818 EHESH732 ERERI232 ESESP724 ETETH231 FIFIN246 FJFJI242 FKFLK238
FMFSM583 FOFRO234 FRFRA250 GAGAB266 GBGBR826 GDGRD308 GEGEO268 GFGUF254 GGGGY831 GHGHA288 GIGIB292 GLGRL304
GMGMB270 GNGIN324 GPGLP312 GQGNQ226 GRGRC300 GSSGS239 GTGTM320 GUGUM316 GWGNB624 GYGUY328 HKHKG344 HMHMD334
HNHND340 HRHRV191 HTHTI332 HUHUN348 IDIDN360 IEIRL372 ILISR376 IMIMN833 ININD356 IOIOT086 IQIRQ368 IRIRN364
ISISL352 ITITA380 JEJEY832 JMJAM388 JOJOR400 JPJPN392 KEKEN404 KGKGZ417 KHKHM116 KIKIR296 KMCOM174 KNKNA659
KPPRK408 KRKOR410 KWKWT414 KYCYM136 KZKAZ398 LALAO418 LBLBN422 LCLCA662 LILIE438 LKLKA144 LRLBR430 LSLSO426
LTLTU440 LULUX442 LVLVA428 LYLBY434 MAMAR504 MCMCO492 MDMDA498 MEMNE499 MFMAF663 MGMDG450 MHMHL584 MKMKD807
MLMLI466 MMMMR104 MNMNG496 MOMAC446 MPMNP580 MQMTQ474 MRMRT478 MSMSR500 MTMLT470 MUMUS480 MVMDV462 MWMWI454
MXMEX484 MYMYS458 MZMOZ508 NANAM516 NCNCL540 NENER562 NFNFK574 NGNGA566 NINIC558 NLNLD528 NONOR578 NPNPL524
NRNRU520 NUNIU570 NZNZL554 OMOMN512 PAPAN591 PEPER604 PFPYF258 PGPNG598 PHPHL608 PKPAK586 PLPOL616 PMSPM666
PNPCN612 PRPRI630 PSPSE275 PTPRT620 PWPLW585 PYPRY600 QAQAT634 REREU638 ROROU642 RSSRB688 RURUS643 RWRWA646
SASAU682 SBSLB090 SCSYC690 SDSDN729 SESWE752 SGSGP702 SHSHN654 SISVN705 SJSJM744 SKSVK703 SLSLE694 SMSMR674
SNSEN686 SOSOM706 SRSUR740 SSSSD728 STSTP678 SVSLV222 SXSXM534 SYSYR760 SZSWZ748 TCTCA796 TDTCD148 TFATF260
TGTGO768 THTHA764 TJTJK762 TKTKL772 TLTLS626 TMTKM795 TNTUN788 TOTON776 TRTUR792 TTTTO780 TVTUV798 TWTWN158
TZTZA834 UAUKR804 UGUGA800 UMUMI581 USUSA840 UYURY858 UZUZB860 VAVAT336 VCVCT670 VEVEN862 VGVGB092 VIVIR850
VNVNM704 VUVUT548 WFWLF876 WSWSM882 YEYEM887 YTMYT175 ZAZAF710 ZMZMB894 ZWZWE716`;

/** Codes of ISO 4217: letters and number behind each other. */
export const currencyCodes = `
AED784 AFN971 ALL008 AMD051 ANG532 AOA973 ARS032 AUD036 AWG533 AZN944 BAM977 BBD052 BDT050 BGN975 BHD048
BIF108 BMD060 BND096 BOB068 BOV984 BRL986 BSD044 BTN064 BWP072 BYN933 BZD084 CAD124 CDF976 CHE947 CHF756
CHW948 CLF990 CLP152 CNY156 COP170 COU970 CRC188 CUC931 CUP192 CVE132 CZK203 DJF262 DKK208 DOP214 DZD012
EGP818 ERN232 ETB230 EUR978 FJD242 FKP238 GBP826 GEL981 GHS936 GIP292 GMD270 GNF324 GTQ320 GYD328 HKD344
HNL340 HRK191 HTG332 HUF348 IDR360 ILS376 INR356 IQD368 IRR364 ISK352 JMD388 JOD400 JPY392 KES404 KGS417
KHR116 KMF174 KPW408 KRW410 KWD414 KYD136 KZT398 LAK418 LBP422 LKR144 LRD430 LSL426 LYD434 MAD504 MDL498
MGA969 MKD807 MMK104 MNT496 MOP446 MRU929 MUR480 MVR462 MWK454 MXN484 MXV979 MYR458 MZN943 NAD516 NGN566
NIO558 NOK578 NPR524 NZD554 OMR512 PAB590 PEN604 PGK598 PHP608 PKR586 PLN985 PYG600 QAR634 RON946 RSD941
RUB643 RWF646 SAR682 SBD090 SCR690 SDG938 SEK752 SGD702 SHP654 SLE925 SLL694 SOS706 SRD968 SSP728 STN930
SVC222 SYP760 SZL748 THB764 TJS972 TMT934 TND788 TOP776 TRY949 TTD780 TWD901 TZS834 UAH980 UGX800 USD840
USN997 UYI940 UYU858 UYW927 UZS860 VED926 VES928 VND704 VUV548 WST882 XAF950 XAG961 XAU959 XBA955 XBB956
XBC957 XBD958 XCD951 XDR960 XOF952 XPD964 XPF953 XPT962 XSU994 XTS963 XUA965 XXX999 YER886 ZAR710 ZMW967
ZWL932`;

/**
 * Names in English and, where it differs, in Dutch. Of our own, because those of the platform differ from browser to
 * server.
 */
export const countryNames = `
AD=Andorra;AE=United Arab Emirates|Verenigde Arabische Emiraten;AF=Afghanistan;
AG=Antigua & Barbuda|Antigua en Barbuda;AI=Anguilla;AL=Albania|Albanië;AM=Armenia|Armenië;AO=Angola;
AQ=Antarctica;AR=Argentina|Argentinië;AS=American Samoa|Amerikaans-Samoa;AT=Austria|Oostenrijk;
AU=Australia|Australië;AW=Aruba;AX=Åland Islands|Åland;AZ=Azerbaijan|Azerbeidzjan;
BA=Bosnia & Herzegovina|Bosnië en Herzegovina;BB=Barbados;BD=Bangladesh;BE=Belgium|België;BF=Burkina Faso;
BG=Bulgaria|Bulgarije;BH=Bahrain|Bahrein;BI=Burundi;BJ=Benin;BL=St. Barthélemy|Saint-Barthélemy;
BM=Bermuda;BN=Brunei;BO=Bolivia;BQ=Caribbean Netherlands|Caribisch Nederland;BR=Brazil|Brazilië;
BS=Bahamas|Bahama’s;BT=Bhutan;BV=Bouvet Island|Bouveteiland;BW=Botswana;BY=Belarus;BZ=Belize;CA=Canada;
CC=Cocos (Keeling) Islands|Cocoseilanden;CD=Congo - Kinshasa|Congo-Kinshasa;
CF=Central African Republic|Centraal-Afrikaanse Republiek;CG=Congo - Brazzaville|Congo-Brazzaville;
CH=Switzerland|Zwitserland;CI=Côte d’Ivoire|Ivoorkust;CK=Cook Islands|Cookeilanden;CL=Chile|Chili;
CM=Cameroon|Kameroen;CN=China;CO=Colombia;CR=Costa Rica;CU=Cuba;CV=Cape Verde|Kaapverdië;CW=Curaçao;
CX=Christmas Island|Christmaseiland;CY=Cyprus;CZ=Czechia|Tsjechië;DE=Germany|Duitsland;DJ=Djibouti;
DK=Denmark|Denemarken;DM=Dominica;DO=Dominican Republic|Dominicaanse Republiek;DZ=Algeria|Algerije;
EC=Ecuador;EE=Estonia|Estland;EG=Egypt|Egypte;EH=Western Sahara|Westelijke Sahara;ER=Eritrea;
ES=Spain|Spanje;ET=Ethiopia|Ethiopië;FI=Finland;FJ=Fiji;FK=Falkland Islands|Falklandeilanden;
FM=Micronesia;FO=Faroe Islands|Faeröer;FR=France|Frankrijk;GA=Gabon;GB=United Kingdom|Verenigd Koninkrijk;
GD=Grenada;GE=Georgia|Georgië;GF=French Guiana|Frans-Guyana;GG=Guernsey;GH=Ghana;GI=Gibraltar;
GL=Greenland|Groenland;GM=Gambia;GN=Guinea|Guinee;GP=Guadeloupe;GQ=Equatorial Guinea|Equatoriaal-Guinea;
GR=Greece|Griekenland;
GS=South Georgia & South Sandwich Islands|Zuid-Georgia en Zuidelijke Sandwicheilanden;GT=Guatemala;
GU=Guam;GW=Guinea-Bissau|Guinee-Bissau;GY=Guyana;HK=Hong Kong SAR China|Hongkong SAR van China;
HM=Heard & McDonald Islands|Heard en McDonaldeilanden;HN=Honduras;HR=Croatia|Kroatië;HT=Haiti|Haïti;
HU=Hungary|Hongarije;ID=Indonesia|Indonesië;IE=Ireland|Ierland;IL=Israel|Israël;IM=Isle of Man;IN=India;
IO=British Indian Ocean Territory|Brits Indische Oceaanterritorium;IQ=Iraq|Irak;IR=Iran;
IS=Iceland|IJsland;IT=Italy|Italië;JE=Jersey;JM=Jamaica;JO=Jordan|Jordanië;JP=Japan;KE=Kenya|Kenia;
KG=Kyrgyzstan|Kirgizië;KH=Cambodia|Cambodja;KI=Kiribati;KM=Comoros|Comoren;
KN=St. Kitts & Nevis|Saint Kitts en Nevis;KP=North Korea|Noord-Korea;KR=South Korea|Zuid-Korea;
KW=Kuwait|Koeweit;KY=Cayman Islands|Kaaimaneilanden;KZ=Kazakhstan|Kazachstan;LA=Laos;LB=Lebanon|Libanon;
LC=St. Lucia|Saint Lucia;LI=Liechtenstein;LK=Sri Lanka;LR=Liberia;LS=Lesotho;LT=Lithuania|Litouwen;
LU=Luxembourg|Luxemburg;LV=Latvia|Letland;LY=Libya|Libië;MA=Morocco|Marokko;MC=Monaco;MD=Moldova|Moldavië;
ME=Montenegro;MF=St. Martin|Saint-Martin;MG=Madagascar|Madagaskar;MH=Marshall Islands|Marshalleilanden;
MK=North Macedonia|Noord-Macedonië;ML=Mali;MM=Myanmar (Burma)|Myanmar (Birma);MN=Mongolia|Mongolië;
MO=Macao SAR China|Macau SAR van China;MP=Northern Mariana Islands|Noordelijke Marianen;MQ=Martinique;
MR=Mauritania|Mauritanië;MS=Montserrat;MT=Malta;MU=Mauritius;MV=Maldives|Maldiven;MW=Malawi;MX=Mexico;
MY=Malaysia|Maleisië;MZ=Mozambique;NA=Namibia|Namibië;NC=New Caledonia|Nieuw-Caledonië;NE=Niger;
NF=Norfolk Island|Norfolk;NG=Nigeria;NI=Nicaragua;NL=Netherlands|Nederland;NO=Norway|Noorwegen;NP=Nepal;
NR=Nauru;NU=Niue;NZ=New Zealand|Nieuw-Zeeland;OM=Oman;PA=Panama;PE=Peru;
PF=French Polynesia|Frans-Polynesië;PG=Papua New Guinea|Papoea-Nieuw-Guinea;PH=Philippines|Filipijnen;
PK=Pakistan;PL=Poland|Polen;PM=St. Pierre & Miquelon|Saint-Pierre en Miquelon;
PN=Pitcairn Islands|Pitcairneilanden;PR=Puerto Rico;PS=Palestinian Territories|Palestijnse gebieden;
PT=Portugal;PW=Palau;PY=Paraguay;QA=Qatar;RE=Réunion;RO=Romania|Roemenië;RS=Serbia|Servië;
RU=Russia|Rusland;RW=Rwanda;SA=Saudi Arabia|Saoedi-Arabië;SB=Solomon Islands|Salomonseilanden;
SC=Seychelles|Seychellen;SD=Sudan|Soedan;SE=Sweden|Zweden;SG=Singapore;SH=St. Helena|Sint-Helena;
SI=Slovenia|Slovenië;SJ=Svalbard & Jan Mayen|Spitsbergen en Jan Mayen;SK=Slovakia|Slowakije;
SL=Sierra Leone;SM=San Marino;SN=Senegal;SO=Somalia|Somalië;SR=Suriname;SS=South Sudan|Zuid-Soedan;
ST=São Tomé & Príncipe|Sao Tomé en Principe;SV=El Salvador;SX=Sint Maarten|Sint-Maarten;SY=Syria|Syrië;
SZ=Eswatini;TC=Turks & Caicos Islands|Turks- en Caicoseilanden;TD=Chad|Tsjaad;
TF=French Southern Territories|Franse Gebieden in de zuidelijke Indische Oceaan;TG=Togo;TH=Thailand;
TJ=Tajikistan|Tadzjikistan;TK=Tokelau;TL=Timor-Leste|Oost-Timor;TM=Turkmenistan;TN=Tunisia|Tunesië;
TO=Tonga;TR=Türkiye|Turkije;TT=Trinidad & Tobago|Trinidad en Tobago;TV=Tuvalu;TW=Taiwan;TZ=Tanzania;
UA=Ukraine|Oekraïne;UG=Uganda|Oeganda;
UM=U.S. Outlying Islands|Kleine afgelegen eilanden van de Verenigde Staten;
US=United States|Verenigde Staten;UY=Uruguay;UZ=Uzbekistan|Oezbekistan;VA=Vatican City|Vaticaanstad;
VC=St. Vincent & Grenadines|Saint Vincent en de Grenadines;VE=Venezuela;
VG=British Virgin Islands|Britse Maagdeneilanden;VI=U.S. Virgin Islands|Amerikaanse Maagdeneilanden;
VN=Vietnam;VU=Vanuatu;WF=Wallis & Futuna|Wallis en Futuna;WS=Samoa;YE=Yemen|Jemen;YT=Mayotte;
ZA=South Africa|Zuid-Afrika;ZM=Zambia;ZW=Zimbabwe;`;
