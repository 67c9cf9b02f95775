import type { FnParam, Scalar, TransformArg, TransformFn, TransformFnDescriptor } from '@sluice/contract';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/icons.tsx';
import { ConstantInput } from './constant-input.tsx';
import { LookupArg, usePickNames } from './lookup-arg.tsx';
import { PickButton } from './pick-list.tsx';
import { useSourcePicks } from './source-input.tsx';
import { fieldNameIn, useWorkspace } from './workspace.ts';

const isScalar = (arg: TransformArg | undefined): arg is Scalar => arg === null || typeof arg !== 'object';
const isField = (arg: TransformArg | undefined): arg is Extract<TransformArg, { source: unknown }> =>
  typeof arg === 'object' && arg !== null && !Array.isArray(arg);

const fieldOf = (arg: TransformArg | undefined): string =>
  isField(arg) && arg.source.type === 'sourceValue' ? arg.source.field : '';

/** One value: a constant, or where it may be that, a field of the same record. */
const OneArg = ({
  param,
  label,
  arg,
  onChange,
}: {
  param: FnParam;
  label: string;
  arg: TransformArg | undefined;
  onChange: (arg: TransformArg) => void;
}) => {
  const { t } = useTranslation();
  const { canEdit, source } = useWorkspace();
  const picks = useSourcePicks();
  const field = fieldOf(arg);
  const isFilled = !Array.isArray(param.defaultValue) && param.defaultValue !== null;
  return (
    <span className="arg1">
      {isField(arg) ? (
        <PickButton
          label={t('mapping.chooseSourceField')}
          shown={field === '' ? null : { text: fieldNameIn(source.fields, field) }}
          picks={picks}
          isDisabled={!canEdit}
          onPick={(path) => onChange({ source: { type: 'sourceValue', field: path } })}
        />
      ) : (
        <ConstantInput
          label={label}
          type={param.dataType}
          options={param.options}
          value={isScalar(arg) ? (arg ?? null) : null}
          placeholder={isFilled ? String(param.defaultValue) : undefined}
          isDisabled={!canEdit}
          onChange={onChange}
        />
      )}
      {param.canBeField ? (
        <button
          type="button"
          className={`btn sq ${isField(arg) ? 'on' : ''}`}
          aria-pressed={isField(arg)}
          aria-label={t('mapping.useField', { name: label })}
          title={t('mapping.useField', { name: label })}
          disabled={!canEdit}
          onClick={() => onChange(isField(arg) ? null : { source: { type: 'sourceValue', field: '' } })}
        >
          <Icon name="columns" size="s" />
        </button>
      ) : null}
    </span>
  );
};

/** A list of values, or of pairs, one a line. */
const ListArg = ({
  param,
  arg,
  onChange,
}: {
  param: FnParam;
  arg: TransformArg | undefined;
  onChange: (arg: TransformArg) => void;
}) => {
  const { t } = useTranslation();
  const { canEdit } = useWorkspace();
  const items = Array.isArray(arg) ? arg : [];
  const isPairs = param.list === 'pairs';
  const set = (index: number, item: TransformArg): void =>
    onChange(items.map((one, at) => (at === index ? item : one)));
  return (
    <span className="args-l">
      {items.map((item, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- lines of a list have nothing else to be known by
        <span className="arg-i" key={index}>
          {isPairs ? (
            [0, 1].map((side) => {
              const pair = Array.isArray(item) ? item : [null, null];
              const label = `${param.name} ${index + 1}.${side + 1}`;
              const change = (value: TransformArg): void =>
                set(index, side === 0 ? [value, pair[1] ?? null] : [pair[0] ?? null, value]);
              return (
                <OneArg
                  key={side}
                  param={{ ...param, canBeField: false }}
                  label={label}
                  arg={pair[side]}
                  onChange={change}
                />
              );
            })
          ) : (
            <OneArg
              param={param}
              label={`${param.name} ${index + 1}`}
              arg={item}
              onChange={(value) => set(index, value)}
            />
          )}
          <button
            type="button"
            className="iconbtn"
            aria-label={t('mapping.removeItem', { name: `${param.name} ${index + 1}` })}
            disabled={!canEdit}
            onClick={() => onChange(items.filter((_, at) => at !== index))}
          >
            <Icon name="close" size="s" />
          </button>
        </span>
      ))}
      {canEdit ? (
        <button
          type="button"
          className="link"
          onClick={() => onChange([...items, isPairs ? [null, null] : null])}
        >
          {t('mapping.addItem')}
        </button>
      ) : null}
    </span>
  );
};

/** The arguments of a step, by their types. */
export const FnArgs = ({
  fn,
  descriptor,
  onChange,
}: {
  fn: TransformFn;
  descriptor: TransformFnDescriptor;
  onChange: (fn: TransformFn, param: string) => void;
}) => (
  <div className="fnargs">
    {descriptor.params.map((param) => {
      const set = (arg: TransformArg): void => {
        const args = { ...fn.args };
        delete args[param.id];
        // Fields of another collection say nothing about this one.
        if (param.picks?.what === 'collection')
          for (const { id, picks } of descriptor.params) if (picks?.what === 'field') delete args[id];
        onChange({ ...fn, args: arg === null ? args : { ...args, [param.id]: arg } }, param.id);
      };
      return (
        <div className="fnarg" key={param.id}>
          <span className="fnarg-n" title={param.description}>
            {param.name}
            {param.isMandatory ? <span aria-hidden="true"> *</span> : null}
          </span>
          {param.picks ? (
            <LookupArg fn={fn} param={param} picks={param.picks} onChange={set} />
          ) : param.list ? (
            <ListArg param={param} arg={fn.args[param.id]} onChange={set} />
          ) : (
            <OneArg param={param} label={param.name} arg={fn.args[param.id]} onChange={set} />
          )}
        </div>
      );
    })}
  </div>
);

/** Arguments in a few words, in the order in which they are asked for. */
const argsSummary = (
  fn: TransformFn,
  { params }: TransformFnDescriptor,
  fieldName: (path: string) => string,
  pickName: (what: 'collection' | 'field', id: string) => string,
): string =>
  params
    .filter(({ id }) => id in fn.args)
    .map(({ id, name, options, picks }) => {
      const text = (one: TransformArg | undefined): string =>
        isField(one)
          ? fieldName(fieldOf(one))
          : Array.isArray(one)
            ? one.map(text).join(', ')
            : picks
              ? pickName(picks.what, String(one ?? ''))
              : (options?.find(({ value }) => value === one)?.description ?? String(one ?? ''));
      return params.length > 1 ? `${name} ${text(fn.args[id])}` : text(fn.args[id]);
    })
    .join(', ');

/** The arguments of a step that is closed, by the names that people know. */
export const ClosedArgs = ({ fn, descriptor }: { fn: TransformFn; descriptor: TransformFnDescriptor }) => {
  const { source } = useWorkspace();
  const system = descriptor.params.find(({ picks }) => picks)?.picks?.system ?? null;
  const pickName = usePickNames(system, fn);
  const fieldName = (field: string): string => fieldNameIn(source.fields, field);
  return <span className="arg trunc">{argsSummary(fn, descriptor, fieldName, pickName)}</span>;
};
