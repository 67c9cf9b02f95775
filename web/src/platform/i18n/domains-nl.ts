/** Teksten van grafieken, en van wat een domein doet. */
export const domainsNl = {
  plot: { asTable: 'Als tabel tonen', day: 'Dag', hour: 'Uur', period: 'Periode' },
  dashboardBad: { pushed: 'Geweigerd', jobs: 'Met fouten' },
  domainState: {
    title: 'Toestand',
    since: 'sinds {{time}}',
    lastRead: 'Laatst gelezen',
    calls: 'API-aanroepen vandaag',
    callsOf: '{{used}} van {{limit}}',
    reading: 'Lezen',
    readingNow_one: 'nog {{count}} tabel te gaan: {{names}}',
    readingNow_other: 'nog {{count}} tabellen te gaan: {{names}}',
    waiting: 'komt zo aan de beurt',
    progress: '{{loaded}} van {{expected}} records',
    progressUnknown: '{{loaded}} records',
    upToDate_one: '{{count}} tabel, helemaal gelezen',
    upToDate_other: '{{count}} tabellen, allemaal gelezen',
    noTables: 'Nog geen tabellen: zet eerst een bedrijf aan.',
    noneOpened: 'Er is nog geen tabel geopend.',
    failed_one: '{{count}} tabel kon niet worden gelezen',
    failed_other: '{{count}} tabellen konden niet worden gelezen',
    manageCompanies: 'Bedrijven kiezen',
    nextOK: 'De verbinding werkt. Zet een bedrijf aan, zodat er iets te lezen is.',
    nextToOpen:
      'De verbinding werkt. Een tabel wordt gelezen als die voor het eerst wordt geopend; connectors lezen zelf.',
    nextACTIVE: 'Records worden gelezen en kunnen worden gewijzigd.',
    nextINACTIVE:
      'Er wordt niets gelezen of gepusht; wat al gelezen was blijft te bekijken. Zet hieronder “In gebruik” aan om verder te gaan.',
    nextSYNC_PAUSED:
      'Er wordt nu niets gelezen; wijzigingen pushen kan nog wel. Het gaat verder als je het hervat, of morgen als de aanroepen van vandaag op zijn.',
    nextNEVER_SYNCED: 'De eerste lezing moet nog komen.',
    nextINVALID_CREDENTIALS_OR_URL:
      'Verbeter hieronder het adres of de inloggegevens, test de verbinding en sla op.',
    nextERROR_OTHER:
      'Lezen is meermaals mislukt. Het wordt vanzelf opnieuw geprobeerd; lees alles opnieuw om het nu te proberen.',
  },
  domainCalls: {
    title: 'API-aanroepen',
    today: 'Vandaag',
    days: '14 dagen',
    inHour: 'In dit uur',
    soFar: 'Tot dan toe',
    perDay: 'Aanroepen',
    limit: 'De lijn is de limiet van {{limit}} per dag.',
    noLimit: 'Er is geen limiet ingesteld.',
    pointHour: '{{hour}}: {{calls}}, tot dan toe {{sum}}',
    pointDay: '{{day}}: {{calls}}',
  },
  domainHistory: {
    title: 'Geschiedenis van de status',
    empty: 'De status is nog niet veranderd.',
    when: 'Wanneer',
    why: 'Waarom',
    who: 'Door',
    itself: 'Sluice zelf',
  },
  companies: {
    records: 'Hier bewaard',
    contents: '{{records}} records in {{tables}} tabellen',
    pending: 'Openstaande wijzigingen',
    nothing: 'nog niets',
    confirmTitle: '{{names}} niet meer gebruiken',
    confirmText:
      'De tabellen ervan verdwijnen voor iedereen uit het menu en worden niet meer gelezen. In het externe systeem verandert niets.',
    confirmPending_one:
      '{{count}} openstaande wijziging blijft bewaard, maar kan pas weer worden gepusht als het bedrijf weer aan staat.',
    confirmPending_other:
      '{{count}} openstaande wijzigingen blijven bewaard, maar kunnen pas weer worden gepusht als het bedrijf weer aan staat.',
    confirmYes: 'Niet meer gebruiken',
  },
  runPlot: {
    title: 'Records per dag door runs',
    inserted: 'Toegevoegd',
    updated: 'Gewijzigd',
    deleted: 'Verwijderd',
    failed: 'Mislukt',
    point:
      '{{day}}: {{inserted}} toegevoegd, {{updated}} gewijzigd, {{deleted}} verwijderd, {{failed}} mislukt',
  },
};
