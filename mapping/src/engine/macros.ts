import { filledColumn } from './column.ts';
import type { RunFacts, Value, ValueType } from '@sluice/contract';
import { dateText, dayOf, parseMoment, toZone } from './civil.ts';
import { uuidV5 } from './digest.ts';
import { t } from './functions/define.ts';
import type { Column, RecordBatch, Texts } from './types.ts';

/** One macro. `run` is the same for all records; `record` is asked per record. */
export interface MacroEntry {
  id: string;
  label: Texts;
  help: Texts;
  returnType: ValueType;
  needsField: boolean;
  isForSourceUpdates: boolean;
  /** It tells of the target record: of a new one nothing is known before the push. */
  isOfTarget: boolean;
  column(batch: RecordBatch, facts: RunFacts, field: string): Column;
}

interface Definition {
  needsField?: boolean;
  isForSourceUpdates?: boolean;
  isOfTarget?: boolean;
}

function macro(
  id: string,
  returnType: ValueType,
  label: Texts,
  help: Texts,
  column: MacroEntry['column'],
  { needsField = false, isForSourceUpdates = false, isOfTarget = false }: Definition = {},
): MacroEntry {
  return { id, label, help, returnType, needsField, isForSourceUpdates, isOfTarget, column };
}

const filled = (size: number, value: Value): Column => filledColumn(size, value);

/** The same in all records of the run. */
const ofRun = (
  id: string,
  returnType: ValueType,
  label: Texts,
  help: Texts,
  value: (facts: RunFacts) => Value | undefined,
): MacroEntry => macro(id, returnType, label, help, ({ size }, facts) => filled(size, value(facts) ?? null));

/** Of the record at that place of the batch. */
const ofRecord = (
  id: string,
  returnType: ValueType,
  label: Texts,
  help: Texts,
  value: (batch: RecordBatch, row: number, facts: RunFacts) => Value | undefined,
  definition?: Definition,
): MacroEntry =>
  macro(
    id,
    returnType,
    label,
    help,
    (batch, facts) => Array.from({ length: batch.size }, (_, row) => value(batch, row, facts) ?? null),
    definition,
  );

function dayOfRun(facts: RunFacts): string | null {
  const moment = parseMoment(facts.now);
  return moment ? dateText(dayOf(toZone(moment, facts.zone).day)) : null;
}

const level = (
  levels: RunFacts['sourceLevels'],
  depth: number,
  part: 'name' | 'acronym',
): string | undefined => levels?.at(depth)?.[part];

/** Namespace of the ids that a record's key gives; never change it: the ids would change with it. */
const stableNamespace = '5d1d7a0e-3f0b-5c58-9d0a-0f4e6b6f4a11';

const ofField = (
  values: Readonly<Record<string, readonly (Value | undefined)[]>> | undefined,
  field: string,
  size: number,
): Column => {
  const column = values?.[field];
  return Array.from({ length: size }, (_, row) => column?.[row] ?? null);
};

export const macros: readonly MacroEntry[] = [
  ofRun(
    'now',
    'datetime',
    t('Now', 'Nu'),
    t(
      'Start of the run; in source updates the moment of writing back.',
      'Begin van de run; in bronupdates het moment van terugschrijven.',
    ),
    (facts) => facts.now,
  ),
  ofRun(
    'today',
    'date',
    t('Today', 'Vandaag'),
    t("The day of the run in the connector's zone.", 'De dag van de run in de zone van de connector.'),
    dayOfRun,
  ),
  ofRun(
    'startOfMonth',
    'date',
    t('Start of this month', 'Begin van deze maand'),
    t('The first day of the month of the run.', 'De eerste dag van de maand van de run.'),
    (facts) => dayOfRun(facts)?.replace(/..$/, '01'),
  ),
  ofRun(
    'runStartedAt',
    'datetime',
    t('Start of the run', 'Begin van de run'),
    t(
      'Also in source updates, which may come days later.',
      'Ook in bronupdates, die dagen later kunnen komen.',
    ),
    (facts) => facts.runStartedAt,
  ),
  ofRun(
    'runId',
    'string',
    t('Id of the run', 'Id van de run'),
    t('Empty in a test run.', 'Leeg in een testrun.'),
    (facts) => facts.runId,
  ),
  ofRun(
    'runNumber',
    'uint',
    t('Number of the run', 'Nummer van de run'),
    t('Counts the runs of the action.', 'Telt de runs van de actie.'),
    (facts) => facts.runNumber,
  ),
  ofRun(
    'runKind',
    'string',
    t('Kind of run', 'Soort run'),
    t('test, manual, scheduled or retry.', 'test, manual, scheduled of retry.'),
    (facts) => facts.runKind,
  ),
  ofRun(
    'startedBy',
    'string',
    t('Started by', 'Gestart door'),
    t('Name of the user; empty for scheduled runs.', 'Naam van de gebruiker; leeg bij geplande runs.'),
    (facts) => facts.startedBy,
  ),
  ofRun(
    'startedByEmail',
    'string',
    t('E-mail of the starter', 'E-mail van de starter'),
    t('Of the user who started the run.', 'Van de gebruiker die de run startte.'),
    (facts) => facts.startedByEmail,
  ),
  ofRun(
    'connectorId',
    'string',
    t('Id of the connector', 'Id van de connector'),
    t('The id of the connector.', 'De id van de connector.'),
    (facts) => facts.connectorId,
  ),
  ofRun(
    'connectorName',
    'string',
    t('Name of the connector', 'Naam van de connector'),
    t('As it stands in the list.', 'Zoals hij in de lijst staat.'),
    (facts) => facts.connectorName,
  ),
  ofRun(
    'actionId',
    'string',
    t('Id of the action', 'Id van de actie'),
    t('The id of the action.', 'De id van de actie.'),
    (facts) => facts.actionId,
  ),
  ofRun(
    'actionName',
    'string',
    t('Name of the action', 'Naam van de actie'),
    t('As it stands in the list.', 'Zoals hij in de lijst staat.'),
    (facts) => facts.actionName,
  ),
  ofRun(
    'sourceSystem',
    'string',
    t('Source system', 'Bronsysteem'),
    t('Its name with its levels.', 'De naam ervan met de niveaus.'),
    (facts) => facts.sourceSystem,
  ),
  ofRun(
    'sourceSystemAcronym',
    'string',
    t('Source system, short', 'Bronsysteem, kort'),
    t('Its acronym.', 'De afkorting ervan.'),
    (facts) => facts.sourceSystemAcronym,
  ),
  ofRun(
    'sourceCollection',
    'string',
    t('Source collection', 'Broncollectie'),
    t('Its name.', 'De naam ervan.'),
    (facts) => facts.sourceCollection,
  ),
  ofRun(
    'sourceLevelAcronym',
    'string',
    t('Source level, short', 'Bronniveau, kort'),
    t('Acronym of the innermost level of the source.', 'Afkorting van het binnenste niveau van de bron.'),
    (facts) => level(facts.sourceLevels, -1, 'acronym'),
  ),
  ofRun(
    'targetSystem',
    'string',
    t('Target system', 'Doelsysteem'),
    t('Its name with its levels.', 'De naam ervan met de niveaus.'),
    (facts) => facts.targetSystem,
  ),
  ofRun(
    'targetCollection',
    'string',
    t('Target collection', 'Doelcollectie'),
    t('Its name.', 'De naam ervan.'),
    (facts) => facts.targetCollection,
  ),
  ofRun(
    'targetLevelAcronym',
    'string',
    t('Target level, short', 'Doelniveau, kort'),
    t('Acronym of the innermost level of the target.', 'Afkorting van het binnenste niveau van het doel.'),
    (facts) => level(facts.targetLevels, -1, 'acronym'),
  ),
  ofRun(
    'domain',
    'string',
    t('Domain', 'Domein'),
    t('The first level of the target.', 'Het eerste niveau van het doel.'),
    (facts) => level(facts.targetLevels, 0, 'name'),
  ),
  ofRun(
    'company',
    'string',
    t('Company', 'Bedrijf'),
    t('The second level of the target.', 'Het tweede niveau van het doel.'),
    (facts) => level(facts.targetLevels, 1, 'name'),
  ),
  ofRun(
    'companyAcronym',
    'string',
    t('Company, short', 'Bedrijf, kort'),
    t('Acronym of the second level of the target.', 'Afkorting van het tweede niveau van het doel.'),
    (facts) => level(facts.targetLevels, 1, 'acronym'),
  ),
  ofRun(
    'environment',
    'string',
    t('Environment', 'Omgeving'),
    t('production or test.', 'production of test.'),
    (facts) => facts.environment,
  ),
  ofRun(
    'previousRunAt',
    'datetime',
    t('Previous run', 'Vorige run'),
    t('When the last run that succeeded began.', 'Wanneer de laatste geslaagde run begon.'),
    (facts) => facts.previousRunAt,
  ),
  ofRun('language', 'string', t('Language', 'Taal'), t('EN or NL.', 'EN of NL.'), (facts) => facts.language),
  ofRun('emptyValue', 'any', t('Empty', 'Leeg'), t('No value.', 'Geen waarde.'), () => null),
  ofRecord(
    'sourceKey',
    'string',
    t('Key of the source record', 'Sleutel van het bronrecord'),
    t('As text.', 'Als tekst.'),
    (batch, row) => batch.keys[row],
  ),
  ofRecord(
    'sourceRowNumber',
    'uint',
    t('Row number', 'Rijnummer'),
    t(
      'Of the source record; the first is 1. Empty in source updates.',
      'Van het bronrecord; het eerste is 1. Leeg in bronupdates.',
    ),
    (batch, row) => batch.rowNumbers?.[row],
  ),
  ofRecord(
    'indexInBatch',
    'uint',
    t('Place in the batch', 'Plaats in de batch'),
    t('The first is 1.', 'De eerste is 1.'),
    (_, row) => row + 1,
  ),
  ofRecord(
    'recordOperation',
    'string',
    t('Operation', 'Bewerking'),
    t('insert, update or delete.', 'insert, update of delete.'),
    (batch, row) => batch.operations?.[row],
  ),
  ofRecord(
    'targetKey',
    'string',
    t('Key of the target record', 'Sleutel van het doelrecord'),
    t('Empty for a new one.', 'Leeg bij een nieuw record.'),
    (batch, row) => batch.targetKeys?.[row],
    { isOfTarget: true },
  ),
  ofRecord(
    'stableUuid',
    'uuid',
    t('UUID of the record', 'UUID van het record'),
    t(
      'The same in every run, made of connector and source key.',
      'In elke run dezelfde, gemaakt van connector en bronsleutel.',
    ),
    (batch, row, facts) => uuidV5(stableNamespace, `${facts.connectorId ?? ''}\n${batch.keys[row] ?? ''}`),
  ),
  macro(
    'targetValue',
    'any',
    t('Current value', 'Huidige waarde'),
    t('Of a field of the target record.', 'Van een veld van het doelrecord.'),
    ({ targets, size }, _, field) => ofField(targets, field, size),
    { needsField: true, isOfTarget: true },
  ),
  ofRecord(
    'pushStatus',
    'string',
    t('Outcome of the push', 'Uitkomst van de push'),
    t('Only in source updates.', 'Alleen in bronupdates.'),
    (batch, row) => batch.outcomes?.[row]?.status,
    { isForSourceUpdates: true },
  ),
  ofRecord(
    'pushErrorCode',
    'string',
    t('Error code of the push', 'Foutcode van de push'),
    t('Only in source updates.', 'Alleen in bronupdates.'),
    (batch, row) => batch.outcomes?.[row]?.errorCode,
    { isForSourceUpdates: true },
  ),
  ofRecord(
    'pushErrorText',
    'string',
    t('Error text of the push', 'Foutmelding van de push'),
    t('Only in source updates.', 'Alleen in bronupdates.'),
    (batch, row) => batch.outcomes?.[row]?.errorText,
    { isForSourceUpdates: true },
  ),
  ofRecord(
    'targetKeyCreated',
    'string',
    t('New key', 'Nieuwe sleutel'),
    t('The key that the target gave the new record.', 'De sleutel die het doel het nieuwe record gaf.'),
    (batch, row) => batch.outcomes?.[row]?.createdKey,
    { isForSourceUpdates: true, isOfTarget: true },
  ),
];

const byId = new Map(macros.map((entry) => [entry.id, entry]));

export const macroOf = (id: string): MacroEntry | undefined => byId.get(id);
