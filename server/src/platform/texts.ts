import type { Locale } from '@sluice/contract';

/** A text of the catalogue, put into words in the language of whoever reads it. */
export interface StoredText {
  key: string;
  params?: Params;
}

/** A value in a text: itself a text of the catalogue, or words that come from elsewhere, in each language. */
type Param = string | number | StoredText | Record<Locale, string>;
export type Params = Record<string, Param>;

const en = {
  'error.VALIDATION': 'Some values are not accepted. See the fields.',
  'error.MALFORMED': 'The request cannot be read: {reason}.',
  'error.TOO_LARGE':
    'The request is too large. Split it into smaller parts (at most 16 MB and 10,000 records each).',
  'error.UNAUTHENTICATED': 'You are not logged in. Log in and try again.',
  'error.INVALID_CREDENTIALS': 'Invalid username or password.',
  'error.NOT_AUTHORIZED_FOR_APPLICATION':
    'You are not authorized to use this application. Please contact your administrator.',
  'error.CSRF': 'The security token is missing or old. Reload the page and try again.',
  'error.FORBIDDEN': 'You do not have the right to do this. Ask your administrator.',
  'error.NOT_FOUND': 'This does not exist, or not any more.',
  'error.METHOD_NOT_ALLOWED': 'This address does not support that method.',
  'error.TOO_MANY_REQUESTS': 'Too many attempts. Try again in {minutes} minutes.',
  'error.REVISION_CONFLICT': 'Somebody else changed this value meanwhile. See both values and decide.',
  'export.tooManyRows': 'A spreadsheet holds {most} records at most. Filter, or export as CSV.',
  'export.tooLongText':
    '{field} of record {record} has {length} characters; a cell of a spreadsheet holds {most}. Export as CSV, which holds all of it, or leave that column out.',
  'error.BEING_PUSHED': 'These records are being pushed. Wait until the push is done.',
  'error.SNAPSHOT_GONE':
    'The list that this was chosen in is out of date. Look at it again and choose once more.',
  'error.IN_USE': 'This is still in use: {reason}.',
  'error.NOTHING_CACHED_YET':
    'The server is not finished caching this domain yet, try again in a few minutes',
  'error.DOMAIN_PAUSED': 'This domain is paused: {reason}.',
  'error.DOMAIN_INACTIVE': 'This domain is switched off. Its data can be read, but not changed.',
  'error.UNAUTHORIZED_FOR_EXTERNAL_ENDPOINT':
    'Sluice has no access to this part of the external system. Contact your administrator.',
  'error.UNAUTHORIZED_FOR_EXTERNAL_SYSTEM':
    'Sluice could not get access to the external system. Check the credentials of the domain.',
  'error.EXTERNAL_SYSTEM': 'The external system did not do what was asked: {reason}',
  'error.ACTIONS_WOULD_BE_DISCARDED':
    '{count} actions with their mappings and triggers would be discarded. Confirm to go on.',
  'error.RUN_ACTIVE': 'A run of this action is still under way. Wait for it, or cancel it.',
  'error.MAPPINGS_NOT_SET_UP': 'Not all mandatory fields are mapped: {fields}. Map them first.',
  'error.NOT_READY': 'The server is starting. Try again in a moment.',
  'connector.actionNotFound': 'action not found',
  'connector.notFound': 'connector not found',
  'connector.missing': '{problem}',
  'connector.missingSystem': 'The system {id} does not exist any more, or you may not use it.',
  'connector.missingLevel': 'The level {id} of {system} does not exist any more, or you may not use it.',
  'connector.missingOption': 'The table {id} does not exist any more in {system}.',
  'connector.oneTarget': 'Please select one target',
  'connector.oneSource': 'Please select at least one source',
  'connector.badCron': 'This is not a cron expression: {reason}',
  'connector.runsActive': '{count} runs are under way',
  'connector.noTargetRight': 'An active action writes to {table}, which you may not do yourself.',
  'connector.copyName': '{name} (copy)',
  'job.refreshed': '{count} records read',
  'job.refreshFailed': 'The data could not be refreshed: {reason}',
  'job.failed': '{count} records failed',
  'job.formerUser': 'former user',
  'job.browserError': 'The page met an error: {error}',
  'run.notification.title': 'Run of {action}',
  'run.notification.running': 'Records are being read for {source}',
  'run.notification.done':
    '{inserted} new, {updated} changed, {deleted} to be deleted, {unchanged} unchanged, {failed} failed, {conflicts} left alone.',
  'run.notification.cancelled':
    'Cancelled. {inserted} new, {updated} changed and {deleted} to be deleted stay pending.',
  'run.notification.stopped': 'Stopped: {reason}',
  'alert.failed': 'A run of {action} ended badly: {reason}',
  'alert.stuck': 'A run of {action} has not moved since {since}',
  'alert.missed': '{action} should have run at {since} and did not',
  'alert.writeBack': '{count} source updates of {action} failed: {reason}',
  'run.message.plain': '{reason}',
  'run.message.failed': '{count} records failed',
  'run.message.drift':
    'The mappings do not fit the tables any more, so nothing was read or written. {problems}',
  'run.message.noReason': 'the external system gave no reason',
  'writeBack.noAnswer': 'The source system did not answer',
  'writeBack.mapping': '{field}: {reason}',
  'run.message.safetyStop':
    '{count} records are gone from the source, more than a fifth of all that are linked. Nothing was deleted: look at the source, and run by hand if it is right.',
  'run.error.AMBIGUOUS': 'More than one record has these values of {fields}',
  'run.error.BEING_PUSHED': 'The record is being pushed; the next run looks at it again',
  'run.error.PENDING_DELETE': 'The record is marked to be deleted',
  'run.error.PENDING_OF_PERSON': 'Somebody has a pending change of the same field. Push or discard it first.',
  'run.error.TARGET_GONE': 'The target record does not exist any more in the external system',
  'run.error.UNREADABLE': 'The source system cannot give this record: {reason}',
  'menu.connectors': 'connectors',
  'error.INTERNAL': 'Something went wrong in Sluice itself. It has been logged under number {requestId}.',

  'field.unknown': 'There is no field {field}',
  'field.readOnly': 'This field cannot be changed',
  'field.wrongType': "'{x}' is not a value of type {type}",
  'field.outOfRange': 'Out of range',
  'record.notFound': 'There is no record {id} in this table',
  'record.pendingDelete': 'This record is marked to be deleted. Undo that first.',
  'record.gone': 'This record does not exist any more in the external system',
  'record.changedExternally': 'Changed in the external system: was {old}, now {theirs}',

  'validation.4001': 'A value is required',
  'validation.4002': "Required because '{field}' is true",
  'validation.4003': "Required because '{field}' is '{value}'",
  'validation.4101': 'Use at least {min} characters',
  'validation.4102': 'Use at most {max} characters',
  'validation.4105': 'The URL is invalid',
  'validation.4200': 'The value must be at most {max}',
  'validation.4201': 'The value must be at least {min}',
  'validation.4300': 'The time must be {min} or later',
  'validation.4301': "The time must be equal to or later than '{field}'",
  'validation.4400': 'Choose one of the options',
  'validation.4401': "Choose one of the options that go with '{field}' = '{value}'",
  'validation.4900': 'This value is already in use',
  'validation.other': "'{x}' is invalid",

  'inUse.pending': '{count} changes are pending',

  'error.SECOND_FACTOR_NEEDED': 'Fill in the code of your authenticator app.',
  'error.LINK_EXPIRED': 'This link does not work any more. Ask for another one.',
  'signIn.failed': 'Signing in with the provider did not succeed: {reason}.',
  'password.wrong': 'This is not your password',
  'password.holdsName': 'A password with the username in it must be longer',
  'secondFactor.wrongCode': 'This code is not right. Take the one that the app shows now.',
  'secondFactor.isOn': 'the second factor is switched on already',
  'users.escalation':
    'You cannot do this: this person may do more than you, or you would give a right that you lack.',
  'users.self': 'You cannot delete or deactivate yourself.',
  'users.lastSuperuser': 'This is the last superuser. Make somebody else superuser first.',
  'users.no.invitation':
    'This person cannot be invited: he has come in already, is not active or has no username.',
  'users.no.reset':
    'This person cannot get a link: he has not come in yet, is not active or has no username.',
  'roles.escalation': 'You cannot give a right, or a system, that you do not have yourself.',
  'roles.inUse': 'This role is in use by {names}.',
  'endpoint.connectors': 'Connectors',
  'endpoint.connectorRuns': 'Runs of connectors',
  'endpoint.domains': 'External systems and domains',
  'endpoint.companies': 'Companies of a domain',
  'endpoint.users': 'Users',
  'endpoint.roles': 'Roles',
  'endpoint.documentation': 'Notes on tables',
  'endpoint.jobsOfOthers': 'Jobs of others',
  'endpoint.audit': 'Audit log',
  'endpoint.allTables': 'All tables of all systems',
  'endpoint.allTablesOf': 'All tables of {system}',
  'mail.invitation.subject': 'You are invited to Sluice',
  'mail.invitation.text':
    'Hello {name},\n\nYou can use Sluice with the username {username}. Choose a password here:\n\n{url}\n\nThe link works once, within 7 days.\n',
  'mail.reset.subject': 'Another password for Sluice',
  'mail.reset.text':
    'Hello {name},\n\nChoose another password for the username {username} here:\n\n{url}\n\nThe link works once, within an hour. If you did not ask for it, you need do nothing.\n',

  'menu.dashboard': 'dashboard',
  'menu.data': 'data',
  'menu.manage': 'manage',
  'menu.domains': 'domains of {system}',
  'menu.systems': 'external systems',
  'menu.users': 'users',
  'menu.roles': 'roles',
  'menu.audit': 'audit log',

  'push.notification.title': 'Push to {table}',
  'push.notification.running': '{count} records are on their way to {system}',
  'push.notification.done': '{count} changes pushed to {system}',
  'push.notification.done_one': '{count} change pushed to {system}',
  'push.notification.partial': '{succeeded} pushed, {failed} rejected',
  'push.notification.failed': 'All {count} changes were rejected by {system}',
  'push.notification.failed_one': '{count} change was rejected by {system}',
  'push.notification.unknown': '{unknown} with an unknown outcome: check them in the external system.',
  'push.notification.cancelled': 'Cancelled: {succeeded} pushed, the rest is still pending',
  'push.notification.stopped': 'Stopped: {reason}. The rest is still pending.',
  'push.notification.waiting': 'Waiting for the external system: {reason}',
  'push.unknownOutcome': 'Outcome unknown, check the external system',
  'push.changedExternally': 'Changed in the external system since you saw it: {fields}',
  'push.gone': 'This record does not exist any more in the external system',
  'push.dropped': 'The external system did not take over: {fields}',

  'domain.notification.SYNC_PAUSED': '{domain}: reading waits. {reason}',
  'domain.notification.INVALID_CREDENTIALS_OR_URL':
    '{domain}: the external system refuses access. Check address, username and password. {reason}',
  'domain.notification.ERROR_OTHER': '{domain}: reading failed several times in a row. {reason}',
  'discard.notification.title': 'Changes discarded',
  'discard.notification.message': '{user} discarded {count} of your pending changes in {table}',

  'undo.gone': 'This record does not exist any more',
  'undo.beingPushed': 'This record is being pushed',
  'undo.pushed': 'This record has been pushed already',
  'undo.deleted': 'This record is marked to be deleted',
  'undo.changedSince': 'This value has been changed since',
  'undo.changedByOther': 'Somebody else has changed this since',

  'cache.failed': 'Reading {table} failed: {reason}',
  'cache.poisoned': '{count} records could not be read',

  'bulk.incompatibleReplacement': 'Replacement could not be applied because the data type is not compatible.',
  'bulk.notNumeric': 'Only number fields can be calculated with',
  'bulk.noValues': 'The values of {field} are lists: they cannot be compared',

  'connection.ok': 'Connected to {name}: {count} companies found',
} as const;

type TextKey = keyof typeof en;

const nl = {
  'error.VALIDATION': 'Sommige waarden worden niet aanvaard. Kijk bij de velden.',
  'error.MALFORMED': 'De aanvraag is niet te lezen: {reason}.',
  'error.TOO_LARGE':
    'De aanvraag is te groot. Verdeel hem in kleinere delen (hoogstens 16 MB en 10.000 records per keer).',
  'error.UNAUTHENTICATED': 'Je bent niet ingelogd. Log in en probeer het opnieuw.',
  'error.INVALID_CREDENTIALS': 'Ongeldige gebruikersnaam of ongeldig wachtwoord.',
  'error.NOT_AUTHORIZED_FOR_APPLICATION':
    'Je hebt geen toegang tot deze applicatie. Neem contact op met je beheerder.',
  'error.CSRF':
    'Het beveiligingstoken ontbreekt of is verouderd. Laad de pagina opnieuw en probeer het nog eens.',
  'error.FORBIDDEN': 'Je hebt hier geen recht op. Vraag het je beheerder.',
  'error.NOT_FOUND': 'Dit bestaat niet, of niet meer.',
  'error.METHOD_NOT_ALLOWED': 'Dit adres kent die methode niet.',
  'error.TOO_MANY_REQUESTS': 'Te veel pogingen. Probeer het over {minutes} minuten opnieuw.',
  'error.REVISION_CONFLICT':
    'Iemand anders heeft deze waarde intussen gewijzigd. Bekijk beide waarden en kies.',
  'export.tooManyRows': 'Een spreadsheet bevat hooguit {most} records. Filter, of exporteer als CSV.',
  'export.tooLongText':
    '{field} van record {record} telt {length} tekens; een cel van een spreadsheet bevat er hooguit {most}. Exporteer als CSV, waar alles in past, of laat die kolom weg.',
  'error.BEING_PUSHED': 'Deze records worden op dit moment gepusht. Wacht tot dat klaar is.',
  'error.SNAPSHOT_GONE': 'De lijst waarin dit gekozen is, is verouderd. Bekijk hem opnieuw en kies nog eens.',
  'error.IN_USE': 'Dit is nog in gebruik: {reason}.',
  'error.NOTHING_CACHED_YET':
    'De server is nog niet klaar met het inlezen van dit domein, probeer het over een paar minuten opnieuw',
  'error.DOMAIN_PAUSED': 'Dit domein staat op pauze: {reason}.',
  'error.DOMAIN_INACTIVE': 'Dit domein is uitgeschakeld. De gegevens zijn te lezen, maar niet te wijzigen.',
  'error.UNAUTHORIZED_FOR_EXTERNAL_ENDPOINT':
    'Sluice heeft geen toegang tot dit deel van het externe systeem. Neem contact op met je beheerder.',
  'error.UNAUTHORIZED_FOR_EXTERNAL_SYSTEM':
    'Sluice kreeg geen toegang tot het externe systeem. Controleer de inloggegevens van het domein.',
  'error.EXTERNAL_SYSTEM': 'Het externe systeem deed niet wat gevraagd werd: {reason}',
  'error.ACTIONS_WOULD_BE_DISCARDED':
    '{count} acties met hun koppelingen van velden en triggers zouden vervallen. Bevestig om door te gaan.',
  'error.RUN_ACTIVE': 'Er loopt nog een run van deze actie. Wacht tot die klaar is, of breek hem af.',
  'error.MAPPINGS_NOT_SET_UP': 'Nog niet alle verplichte velden zijn gekoppeld: {fields}. Koppel die eerst.',
  'error.NOT_READY': 'De server is aan het opstarten. Probeer het zo nog eens.',
  'connector.actionNotFound': 'actie niet gevonden',
  'connector.notFound': 'connector niet gevonden',
  'connector.missing': '{problem}',
  'connector.missingSystem': 'Het systeem {id} bestaat niet meer, of u mag het niet gebruiken.',
  'connector.missingLevel': 'Het niveau {id} van {system} bestaat niet meer, of u mag het niet gebruiken.',
  'connector.missingOption': 'De tabel {id} bestaat niet meer in {system}.',
  'connector.oneTarget': 'Kies één doel',
  'connector.oneSource': 'Kies minstens één bron',
  'connector.badCron': 'Dit is geen cron-expressie: {reason}',
  'connector.runsActive': '{count} runs zijn bezig',
  'connector.noTargetRight': 'Een actieve actie schrijft naar {table}, wat u zelf niet mag.',
  'connector.copyName': '{name} (kopie)',
  'job.refreshed': '{count} records gelezen',
  'job.refreshFailed': 'De gegevens konden niet worden vernieuwd: {reason}',
  'job.failed': '{count} records mislukt',
  'job.formerUser': 'voormalige gebruiker',
  'job.browserError': 'De pagina liep tegen een fout aan: {error}',
  'run.notification.title': 'Run van {action}',
  'run.notification.running': 'Records worden gelezen voor {source}',
  'run.notification.done':
    '{inserted} nieuw, {updated} gewijzigd, {deleted} te verwijderen, {unchanged} ongewijzigd, {failed} mislukt, {conflicts} met rust gelaten.',
  'run.notification.cancelled':
    'Afgebroken. {inserted} nieuwe, {updated} gewijzigde en {deleted} te verwijderen records blijven openstaan.',
  'run.notification.stopped': 'Gestopt: {reason}',
  'alert.failed': 'Een run van {action} is slecht geëindigd: {reason}',
  'alert.stuck': 'Een run van {action} staat stil sinds {since}',
  'alert.missed': '{action} had om {since} moeten lopen, maar dat is niet gebeurd',
  'alert.writeBack': '{count} bronupdates van {action} zijn mislukt: {reason}',
  'run.message.plain': '{reason}',
  'run.message.failed': '{count} records zijn mislukt',
  'run.message.drift':
    'De mappings passen niet meer bij de tabellen; er is daarom niets gelezen of geschreven. {problems}',
  'run.message.noReason': 'het externe systeem gaf geen reden',
  'writeBack.noAnswer': 'Het bronsysteem heeft niet geantwoord',
  'writeBack.mapping': '{field}: {reason}',
  'run.message.safetyStop':
    '{count} records zijn verdwenen uit de bron, meer dan een vijfde van alles wat gekoppeld is. Er is niets verwijderd: bekijk de bron, en start de run zelf als het klopt.',
  'run.error.AMBIGUOUS': 'Meer dan één record heeft deze waarden van {fields}',
  'run.error.BEING_PUSHED': 'Het record wordt gepusht; de volgende run kijkt er weer naar',
  'run.error.PENDING_DELETE': 'Het record is gemarkeerd om verwijderd te worden',
  'run.error.PENDING_OF_PERSON':
    'Iemand heeft een openstaande wijziging van hetzelfde veld. Push die eerst, of maak hem ongedaan.',
  'run.error.TARGET_GONE': 'Het doelrecord bestaat niet meer in het externe systeem',
  'run.error.UNREADABLE': 'Het bronsysteem kan dit record niet geven: {reason}',
  'menu.connectors': 'connectors',
  'error.INTERNAL': 'Er ging iets mis in Sluice zelf. Het is vastgelegd onder nummer {requestId}.',

  'field.unknown': 'Er is geen veld {field}',
  'field.readOnly': 'Dit veld kan niet gewijzigd worden',
  'field.wrongType': "'{x}' is geen waarde van het type {type}",
  'field.outOfRange': 'Buiten bereik',
  'record.notFound': 'Er is geen record {id} in deze tabel',
  'record.pendingDelete': 'Dit record staat klaar om verwijderd te worden. Maak dat eerst ongedaan.',
  'record.gone': 'Dit record bestaat niet meer in het externe systeem',
  'record.changedExternally': 'Gewijzigd in het externe systeem: was {old}, nu {theirs}',

  'validation.4001': 'Een waarde is verplicht',
  'validation.4002': "Verplicht omdat '{field}' waar is",
  'validation.4003': "Verplicht omdat '{field}' gelijk is aan '{value}'",
  'validation.4101': 'Gebruik minstens {min} tekens',
  'validation.4102': 'Gebruik hoogstens {max} tekens',
  'validation.4105': 'De URL is ongeldig',
  'validation.4200': 'De waarde mag hoogstens {max} zijn',
  'validation.4201': 'De waarde moet minstens {min} zijn',
  'validation.4300': 'De tijd moet {min} of later zijn',
  'validation.4301': "De tijd moet gelijk zijn aan of later dan '{field}'",
  'validation.4400': 'Kies een van de opties',
  'validation.4401': "Kies een van de opties die horen bij '{field}' = '{value}'",
  'validation.4900': 'Deze waarde is al in gebruik',
  'validation.other': "'{x}' is ongeldig",

  'inUse.pending': '{count} wijzigingen staan nog open',

  'error.SECOND_FACTOR_NEEDED': 'Vul de code van je authenticator-app in.',
  'error.LINK_EXPIRED': 'Deze link werkt niet meer. Vraag een nieuwe aan.',
  'signIn.failed': 'Inloggen bij de provider is niet gelukt: {reason}.',
  'password.wrong': 'Dit is niet je wachtwoord',
  'password.holdsName': 'Een wachtwoord met de gebruikersnaam erin moet langer zijn',
  'secondFactor.wrongCode': 'Deze code klopt niet. Neem de code die de app nu toont.',
  'secondFactor.isOn': 'de tweede factor staat al aan',
  'users.escalation':
    'Dit kun je niet doen: deze persoon mag meer dan jij, of je zou een recht geven dat je zelf niet hebt.',
  'users.self': 'Je kunt jezelf niet verwijderen of op inactief zetten.',
  'users.lastSuperuser': 'Dit is de laatste superuser. Maak eerst iemand anders superuser.',
  'users.no.invitation':
    'Deze persoon is niet uit te nodigen: hij is al binnen, is niet actief of heeft geen gebruikersnaam.',
  'users.no.reset':
    'Deze persoon kan geen link krijgen: hij is nog niet binnen, is niet actief of heeft geen gebruikersnaam.',
  'roles.escalation': 'Je kunt geen recht of systeem geven dat je zelf niet hebt.',
  'roles.inUse': 'Deze rol is in gebruik bij {names}.',
  'endpoint.connectors': 'Connectors',
  'endpoint.connectorRuns': 'Runs van connectors',
  'endpoint.domains': 'Externe systemen en domeinen',
  'endpoint.companies': 'Administraties van een domein',
  'endpoint.users': 'Gebruikers',
  'endpoint.roles': 'Rollen',
  'endpoint.documentation': 'Notities bij tabellen',
  'endpoint.jobsOfOthers': 'Taken van anderen',
  'endpoint.audit': 'Auditlogboek',
  'endpoint.allTables': 'Alle tabellen van alle systemen',
  'endpoint.allTablesOf': 'Alle tabellen van {system}',
  'mail.invitation.subject': 'Je bent uitgenodigd voor Sluice',
  'mail.invitation.text':
    'Hallo {name},\n\nJe kunt Sluice gebruiken met de gebruikersnaam {username}. Kies hier een wachtwoord:\n\n{url}\n\nDe link werkt één keer, binnen 7 dagen.\n',
  'mail.reset.subject': 'Een nieuw wachtwoord voor Sluice',
  'mail.reset.text':
    'Hallo {name},\n\nKies hier een nieuw wachtwoord voor de gebruikersnaam {username}:\n\n{url}\n\nDe link werkt één keer, binnen een uur. Heb je er niet om gevraagd, dan hoef je niets te doen.\n',

  'menu.dashboard': 'dashboard',
  'menu.data': 'gegevens',
  'menu.manage': 'beheer',
  'menu.domains': 'domeinen van {system}',
  'menu.systems': 'externe systemen',
  'menu.users': 'gebruikers',
  'menu.roles': 'rollen',
  'menu.audit': 'auditlogboek',

  'push.notification.title': 'Push naar {table}',
  'push.notification.running': '{count} records zijn onderweg naar {system}',
  'push.notification.done': '{count} wijzigingen naar {system} gepusht',
  'push.notification.done_one': '{count} wijziging naar {system} gepusht',
  'push.notification.partial': '{succeeded} gepusht, {failed} geweigerd',
  'push.notification.failed': 'Alle {count} wijzigingen zijn door {system} geweigerd',
  'push.notification.failed_one': '{count} wijziging is door {system} geweigerd',
  'push.notification.unknown': '{unknown} met onbekende afloop: controleer ze in het externe systeem.',
  'push.notification.cancelled': 'Geannuleerd: {succeeded} gepusht, de rest staat nog klaar',
  'push.notification.stopped': 'Gestopt: {reason}. De rest staat nog klaar.',
  'push.notification.waiting': 'Wachten op het externe systeem: {reason}',
  'push.unknownOutcome': 'Afloop onbekend, controleer het externe systeem',
  'push.changedExternally': 'In het externe systeem gewijzigd sinds je het zag: {fields}',
  'push.gone': 'Dit record bestaat niet meer in het externe systeem',
  'push.dropped': 'Het externe systeem nam niet over: {fields}',

  'domain.notification.SYNC_PAUSED': '{domain}: het lezen wacht. {reason}',
  'domain.notification.INVALID_CREDENTIALS_OR_URL':
    '{domain}: het externe systeem weigert toegang. Controleer adres, gebruikersnaam en wachtwoord. {reason}',
  'domain.notification.ERROR_OTHER': '{domain}: het lezen is een paar keer achter elkaar mislukt. {reason}',
  'discard.notification.title': 'Wijzigingen verworpen',
  'discard.notification.message': '{user} heeft {count} van uw openstaande wijzigingen in {table} verworpen',

  'undo.gone': 'Dit record bestaat niet meer',
  'undo.beingPushed': 'Dit record wordt op dit moment gepusht',
  'undo.pushed': 'Dit record is al gepusht',
  'undo.deleted': 'Dit record staat klaar om verwijderd te worden',
  'undo.changedSince': 'Deze waarde is sindsdien gewijzigd',
  'undo.changedByOther': 'Iemand anders heeft dit sindsdien gewijzigd',

  'cache.failed': 'Inlezen van {table} is mislukt: {reason}',
  'cache.poisoned': '{count} records konden niet gelezen worden',

  'bulk.incompatibleReplacement': 'De vervanging kon niet worden toegepast omdat het gegevenstype niet past.',
  'bulk.notNumeric': 'Alleen met getalvelden kan gerekend worden',
  'bulk.noValues': 'De waarden van {field} zijn lijsten: die zijn niet te vergelijken',

  'connection.ok': 'Verbonden met {name}: {count} administraties gevonden',
} as const satisfies Record<TextKey, string>;

const catalogues: Record<Locale, Record<string, string>> = { EN: en, NL: nl };

const numerals = { EN: new Intl.NumberFormat('en'), NL: new Intl.NumberFormat('nl') };

/**
 * The text in that language with `{name}` filled in; of a `count` of one the text `{key}_one` where there is one. A key
 * that is not in the catalogue comes back as it is.
 */
export function text(locale: Locale, key: string, params: Params = {}): string {
  const own = catalogues[locale];
  const template =
    (params['count'] === 1 ? own[`${key}_one`] : undefined) ?? own[key] ?? catalogues.EN[key] ?? key;
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => shown(locale, params[name] ?? whole));
}

function shown(locale: Locale, param: Param): string {
  if (typeof param === 'number') return numerals[locale].format(param);
  if (typeof param !== 'object') return param;
  return 'key' in param ? text(locale, param.key, param.params) : param[locale];
}

/** EN or NL out of an Accept-Language header; EN when neither is asked for. */
export function localeOf(header: string | undefined): Locale {
  const first = (header ?? '').trim().slice(0, 2).toUpperCase();
  return first === 'NL' ? 'NL' : 'EN';
}
