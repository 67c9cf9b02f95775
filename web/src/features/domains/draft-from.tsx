import type { AdapterKind } from '@sluice/contract';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, errorText } from '../../platform/call.ts';
import { AreaField } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';

interface Draft {
  problem: string | null;
  notes: readonly string[];
}

/** Fills an input of the form from another document, and says what that leaves open. */
export const DraftFrom = ({
  systemId,
  draft,
  onDraft,
}: {
  systemId: string;
  draft: NonNullable<AdapterKind['draft']>;
  onDraft: (value: string) => void;
}) => {
  const { t } = useTranslation();
  const [source, setSource] = useState<string | null>(null);
  const [made, setMade] = useState<Draft | null>(null);
  const [isBusy, setBusy] = useState(false);
  const make = async (): Promise<void> => {
    setBusy(true);
    try {
      const answer = await call('draftSetting', { params: { systemId }, body: { source: source ?? '' } });
      if ('problem' in answer) setMade({ problem: answer.problem, notes: [] });
      else {
        onDraft(answer.value);
        setSource(null);
        setMade({ problem: null, notes: answer.notes });
      }
    } catch (error) {
      setMade({ problem: errorText(error), notes: [] });
    } finally {
      setBusy(false);
    }
  };
  return (
    <div style={{ gridColumn: '1 / -1', display: 'grid', gap: 8 }}>
      {source === null ? (
        <span>
          <button type="button" className="btn" onClick={() => setSource('')}>
            {t('manage.draftFrom', { document: draft.label })}
          </button>
        </span>
      ) : (
        <>
          <AreaField
            label={draft.label}
            hint={draft.hint}
            value={source}
            error={made?.problem}
            onChange={setSource}
          />
          <span style={{ display: 'flex', gap: 8 }}>
            <button
              type="button"
              className="btn"
              disabled={isBusy || source.trim() === ''}
              onClick={() => void make()}
            >
              {isBusy ? <Icon name="spinner" size="spin" /> : null}
              {t('manage.draftMake')}
            </button>
            <button type="button" className="btn" onClick={() => setSource(null)}>
              {t('common.cancel')}
            </button>
          </span>
        </>
      )}
      {source === null && made && made.notes.length > 0 ? (
        <output className="mut" style={{ fontSize: 12 }}>
          <ul style={{ margin: 0, paddingLeft: 18, display: 'grid', gap: 2 }}>
            {made.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </output>
      ) : null}
    </div>
  );
};
