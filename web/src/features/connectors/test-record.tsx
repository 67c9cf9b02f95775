import type { EndMetadata, FieldResult, TestRunResult, Trigger, Value } from '@sluice/contract';
import { useTranslation } from 'react-i18next';
import { Icon, type IconName } from '../../ui/icons.tsx';
import { conditionWords, fieldName, valueWords } from './mapping-words.ts';

type TestedRecord = TestRunResult['results'][number];
type Resource = TestedRecord['sourceRecord'];

const LOOKS = {
  add: { look: 'success', icon: 'plus', key: 'runs.actionAdd' },
  update: { look: 'info', icon: 'edit', key: 'runs.actionUpdate' },
  delete: { look: 'danger', icon: 'trash', key: 'runs.actionDelete' },
  none: { look: 'grey', icon: 'check', key: 'runs.actionNone' },
} as const satisfies Record<TestedRecord['action'], { look: string; icon: IconName; key: string }>;

/** The value at a path of a nested record. */
const at = (record: Resource, path: string): Value => {
  let value: unknown = Object.hasOwn(record, path) ? record[path] : record;
  if (!Object.hasOwn(record, path))
    for (const part of path.split('.'))
      value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[part] : null;
  return (value ?? null) as Value;
};

const Values = ({ record, end }: { record: Resource; end: EndMetadata | null }) => {
  const fields = end?.fields.length
    ? end.fields.map(({ path, name }) => ({ path, name }))
    : Object.keys(record).map((path) => ({ path, name: path }));
  const filled = fields.filter(({ path }) => at(record, path) !== null && path !== 'internalId');
  return (
    <dl>
      {filled.map(({ path, name }) => (
        <div key={path} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{valueWords(at(record, path))}</dd>
        </div>
      ))}
    </dl>
  );
};

const isSame = (field: FieldResult): boolean => valueWords(field.value) === valueWords(field.oldValue);

const Step = ({
  field,
  target,
  isNew,
}: {
  field: FieldResult;
  target: EndMetadata | null;
  isNew: boolean;
}) => {
  const { t } = useTranslation();
  // What only passes a value on says nothing.
  const steps = field.steps.filter(
    ({ fnId, value }, index) =>
      !['convert', 'default'].includes(fnId) ||
      valueWords(value) !== valueWords(field.steps[index - 1]?.value),
  );
  return (
    <div className="cn-step">
      <span className="m">{fieldName(target, field.targetField)}</span>{' '}
      {field.error ? (
        <>
          <span className="val">{valueWords(field.error.input)}</span>{' '}
          <span className="e">{field.error.message}</span>
        </>
      ) : field.isLeft ? (
        <span className="mut">{t('runs.left')}</span>
      ) : (
        <>
          {isNew || isSame(field) ? null : (
            <>
              <del className="mut">{valueWords(field.oldValue)}</del>{' '}
              <Icon name="arrowRight" size="xs" />{' '}
            </>
          )}
          <b className="b">{valueWords(field.value)}</b>
          {steps.length > 1 ? (
            <div className="mut">
              {steps.map(({ fnId, value, path }, index) => (
                <span key={`${path} ${fnId} ${index}`}>
                  {index > 0 ? ' → ' : ''}
                  {fnId === 'source' ? '' : `${fnId}: `}
                  <span className="val">{valueWords(value)}</span>
                </span>
              ))}
            </div>
          ) : null}
        </>
      )}
    </div>
  );
};

/** One tried record: source | steps | target, with what a run would do and which conditions held. */
export const TestRecord = ({
  record,
  source,
  target,
  trigger,
}: {
  record: TestedRecord;
  source: EndMetadata | null;
  target: EndMetadata | null;
  trigger: Trigger | null;
}) => {
  const { t } = useTranslation();
  const isFailed = record.fieldResults.some(({ error }) => error !== null);
  const { look, icon, key } = LOOKS[record.action];
  const isNew = record.targetRecord === null;
  return (
    <article className="cn-test" aria-label={record.sourceRecord.internalId}>
      <header>
        <b className="b tn">{record.sourceRecord.internalId}</b>
        <span className={`badge ${isFailed ? 'danger' : look}`}>
          <Icon name={isFailed ? 'danger' : icon} size="s" />
          {t(isFailed ? 'runs.failed' : key)}
        </span>
        {record.isTriggered ? null : <span className="mut">{t('runs.notTriggered')}</span>}
        {trigger?.conditions.map((condition, index) => (
          <span key={`${condition.field} ${condition.operator} ${index}`} className="sec">
            <Icon name={record.conditionResults[index] ? 'check' : 'close'} size="xs" />{' '}
            {conditionWords(condition, source)}:{' '}
            {t(record.conditionResults[index] ? 'runs.conditionHeld' : 'runs.conditionFailed')}
          </span>
        ))}
      </header>
      {record.warnings.map((warning) => (
        <p key={warning} className="note-line warn" style={{ borderRadius: 0 }}>
          <Icon name="warning" />
          {warning}
        </p>
      ))}
      <div className="cn-three">
        <div>
          <h4>{t('runs.sourceRecord')}</h4>
          <Values record={record.sourceRecord} end={source} />
        </div>
        <div>
          <h4>{t('runs.steps')}</h4>
          {record.fieldResults.map((field) => (
            <Step key={field.targetField} field={field} target={target} isNew={isNew} />
          ))}
        </div>
        <div>
          <h4>{t('runs.targetRecord')}</h4>
          {record.targetRecord === null ? (
            <p className="mut">{t('runs.noTarget')}</p>
          ) : (
            <Values record={record.targetRecord} end={target} />
          )}
        </div>
      </div>
    </article>
  );
};
