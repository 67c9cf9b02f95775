import type { FnParam, TransformArg, TransformFn } from '@sluice/contract';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../platform/call.ts';
import { Icon } from '../../ui/icons.tsx';
import { useLookupCollections, useLookupFields } from './api.ts';
import { PickButton } from './pick-list.tsx';
import { targetPicks } from './source-input.tsx';
import { useWorkspace } from './workspace.ts';

type Picks = NonNullable<FnParam['picks']>;

const textOf = (arg: TransformArg | undefined): string => (typeof arg === 'string' ? arg : '');

const Wrong = ({ children }: { children: string }) => (
  <p className="err-t">
    <Icon name="danger" size="xs" />
    {children}
  </p>
);

const CollectionArg = ({
  label,
  value,
  system,
  onChange,
}: {
  label: string;
  value: string;
  system: Picks['system'];
  onChange: (id: string) => void;
}) => {
  const { t } = useTranslation();
  const { canEdit, ids } = useWorkspace();
  const { data, error } = useLookupCollections(ids.connectorId, system);
  const chosen = data?.find(({ id }) => id === value);
  const isUnknown = data !== undefined && value !== '' && !chosen;
  return (
    <>
      <PickButton
        label={label}
        hint={t('mapping.pickCollection')}
        shown={value === '' ? null : { text: chosen?.name ?? value }}
        picks={(data ?? []).map(({ id, name }) => ({ value: id, label: name, words: id }))}
        isWrong={isUnknown}
        isDisabled={!canEdit || !data}
        onPick={onChange}
      />
      {isUnknown ? <Wrong>{t('mapping.noSuchCollection', { name: value })}</Wrong> : null}
      {error ? <Wrong>{errorText(error)}</Wrong> : null}
    </>
  );
};

const FieldArg = ({
  label,
  value,
  collection,
  system,
  onChange,
}: {
  label: string;
  value: string;
  collection: string;
  system: Picks['system'];
  onChange: (path: string) => void;
}) => {
  const { t } = useTranslation();
  const { canEdit, ids } = useWorkspace();
  const { data, error } = useLookupFields(ids.connectorId, system, collection);
  const chosen = data?.find(({ path }) => path === value);
  const isUnknown = data !== undefined && value !== '' && !chosen;
  return (
    <>
      <PickButton
        label={label}
        hint={t(collection === '' ? 'mapping.collectionFirst' : 'mapping.pickField')}
        shown={value === '' ? null : { text: chosen?.name ?? value }}
        picks={targetPicks(data ?? [])}
        isWrong={isUnknown}
        isDisabled={!canEdit || !data}
        onPick={onChange}
      />
      {isUnknown ? <Wrong>{t('mapping.noSuchField', { name: value })}</Wrong> : null}
      {error ? <Wrong>{errorText(error)}</Wrong> : null}
    </>
  );
};

/** Names of what a lookup was pointed at; until they are known, and of what is gone, their ids. */
export const usePickNames = (
  system: Picks['system'] | null,
  fn: TransformFn,
): ((what: Picks['what'], id: string) => string) => {
  const { ids } = useWorkspace();
  const { data: collections } = useLookupCollections(ids.connectorId, system);
  const { data: fields } = useLookupFields(
    ids.connectorId,
    system ?? 'target',
    system === null ? '' : textOf(fn.args['collection']),
  );
  return (what, id) =>
    what === 'collection'
      ? (collections?.find((one) => one.id === id)?.name ?? id)
      : (fields?.find(({ path }) => path === id)?.name ?? id);
};

/** An argument that is a collection of a system, or a field of the one chosen before: found in a list, never typed. */
export const LookupArg = ({
  fn,
  param,
  picks,
  onChange,
}: {
  fn: TransformFn;
  param: FnParam;
  picks: Picks;
  onChange: (id: string) => void;
}) => {
  const common = { label: param.name, value: textOf(fn.args[param.id]), system: picks.system, onChange };
  return (
    <div className="arg-k">
      {picks.what === 'collection' ? (
        <CollectionArg {...common} />
      ) : (
        <FieldArg {...common} collection={textOf(fn.args['collection'])} />
      )}
    </div>
  );
};
