/** Texts of plots, and of what a domain is doing; part of the source catalogue. */
export const domainsEn = {
  plot: { asTable: 'Show as a table', day: 'Day', hour: 'Hour', period: 'Period' },
  dashboardBad: { pushed: 'Rejected', jobs: 'With errors' },
  domainState: {
    title: 'State',
    since: 'since {{time}}',
    lastRead: 'Last read',
    calls: 'API calls today',
    callsOf: '{{used}} of {{limit}}',
    reading: 'Reading',
    readingNow_one: '{{count}} table to go: {{names}}',
    readingNow_other: '{{count}} tables to go: {{names}}',
    waiting: 'its turn comes',
    progress: '{{loaded}} of {{expected}} records',
    progressUnknown: '{{loaded}} records',
    upToDate_one: '{{count}} table, all read',
    upToDate_other: '{{count}} tables, all read',
    noTables: 'No tables yet: switch on a company first.',
    noneOpened: 'No table has been opened yet.',
    failed_one: '{{count}} table could not be read',
    failed_other: '{{count}} tables could not be read',
    manageCompanies: 'Choose companies',
    nextOK: 'The connection works. Switch on a company, so that there is something to read.',
    nextToOpen:
      'The connection works. A table is read when it is first opened; connectors read it by themselves.',
    nextACTIVE: 'Records are read and can be changed.',
    nextINACTIVE:
      'Nothing is read or pushed; what was read can be looked at. Switch “In use” on below to go on.',
    nextSYNC_PAUSED:
      'Nothing is read for now; changes can still be pushed. It goes on when you resume it, or tomorrow when the calls of today are used up.',
    nextNEVER_SYNCED: 'The first read is still to come.',
    nextINVALID_CREDENTIALS_OR_URL: 'Correct address or credentials below, test the connection and save.',
    nextERROR_OTHER:
      'Reading failed several times. It is tried again by itself; read everything anew to try now.',
  },
  domainCalls: {
    title: 'API Calls',
    today: 'Today',
    days: '14 days',
    inHour: 'In this hour',
    soFar: 'Up to then',
    perDay: 'Calls',
    limit: 'The line is the limit of {{limit}} a day.',
    noLimit: 'No limit is set.',
    pointHour: '{{hour}}: {{calls}}, up to then {{sum}}',
    pointDay: '{{day}}: {{calls}}',
  },
  domainHistory: {
    title: 'History of the Status',
    empty: 'The status has not changed yet.',
    when: 'When',
    why: 'Why',
    who: 'By',
    itself: 'Sluice itself',
  },
  companies: {
    records: 'Kept here',
    contents: '{{records}} records in {{tables}} tables',
    pending: 'Pending changes',
    nothing: 'nothing yet',
    confirmTitle: 'Stop Using {{names}}',
    confirmText:
      'Their tables disappear from the menu for everybody and are no longer read. Nothing changes in the external system.',
    confirmPending_one:
      '{{count}} pending change stays, and cannot be pushed until the company is switched on again.',
    confirmPending_other:
      '{{count}} pending changes stay, and cannot be pushed until the company is switched on again.',
    confirmYes: 'Stop using',
  },
  runPlot: {
    title: 'Records by Runs per Day',
    inserted: 'Inserted',
    updated: 'Updated',
    deleted: 'Deleted',
    failed: 'Failed',
    point: '{{day}}: {{inserted}} inserted, {{updated}} updated, {{deleted}} deleted, {{failed}} failed',
  },
};
