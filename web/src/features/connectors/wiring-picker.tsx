import type { WiringOption } from '@sluice/contract';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/icons.tsx';

/** Collections to wire, with a search: exactly one for the target, one or more for the sources. */
export const WiringPicker = ({
  title,
  hint,
  options,
  chosen,
  isSingle,
  error,
  onChange,
}: {
  title: string;
  hint: string;
  options: readonly WiringOption[];
  chosen: readonly string[];
  isSingle: boolean;
  error: string | undefined;
  onChange: (chosen: string[]) => void;
}) => {
  const { t } = useTranslation();
  const [search, setSearch] = useState('');
  const name = useId();
  const wanted = search.trim().toLocaleLowerCase();
  // The system's own word too: "party" finds Parties.
  const shown = options.filter((option) =>
    [option.name, option.resourceTypeUriId].some((word) => word.toLocaleLowerCase().includes(wanted)),
  );
  const gone = chosen.filter((id) => !options.some((option) => option.id === id));
  const toggle = (id: string): void =>
    onChange(isSingle ? [id] : chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <fieldset className="fs fl cn-wiring" aria-describedby={`${name}-d`}>
      <legend className="m" style={{ fontSize: 13, padding: 0, marginBottom: 4 }}>
        {title}
        {chosen.length > 0 ? (
          <span className="mut">
            {' '}
            {chosen.map((id) => options.find((option) => option.id === id)?.name ?? id).join(', ')}
          </span>
        ) : null}
      </legend>
      <div className={`cn-pick ${error ? 'bad' : ''}`}>
        <label className="field find">
          <Icon name="search" />
          <input
            type="search"
            aria-label={`${t('actions.pickSearch')}: ${title}`}
            placeholder={t('actions.pickSearch')}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </label>
        <ul>
          {gone.map((id) => (
            <li key={id}>
              <label>
                <input type="checkbox" className="cbx" checked onChange={() => toggle(id)} />
                <span className="err-t">{id}</span>
              </label>
            </li>
          ))}
          {shown.map((option) => (
            <li key={option.id}>
              <label>
                <input
                  type={isSingle ? 'radio' : 'checkbox'}
                  className={isSingle ? '' : 'cbx'}
                  name={name}
                  checked={chosen.includes(option.id)}
                  onChange={() => toggle(option.id)}
                />
                {option.name}
              </label>
            </li>
          ))}
          {shown.length === 0 ? (
            <li className="mut" style={{ padding: 8, fontSize: 13 }}>
              {t('actions.pickNone')}
            </li>
          ) : null}
        </ul>
      </div>
      <p className={error ? 'err' : 'hint'} id={`${name}-d`} role={error ? 'alert' : undefined}>
        {error ?? hint}
      </p>
    </fieldset>
  );
};
