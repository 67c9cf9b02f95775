import type { ExternalSystem, SystemLevelOption, SystemRight } from '@sluice/contract';
import { useTranslation } from 'react-i18next';

const EVERY = '*';

/** Which external systems may be used: all, some whole, of others some domains or companies. */
export const SystemsGrid = ({
  systems,
  rights,
  onChange,
  isReadOnly = false,
}: {
  systems: readonly ExternalSystem[];
  rights: readonly SystemRight[];
  onChange: (rights: SystemRight[]) => void;
  isReadOnly?: boolean;
}) => {
  const { t } = useTranslation();
  const hasEvery = rights.some(({ externalSystemId }) => externalSystemId === EVERY);
  const of = (systemId: string): SystemRight | undefined =>
    rights.find(({ externalSystemId }) => externalSystemId === systemId);
  const put = (systemId: string, next: SystemRight | null): void => {
    const rest = rights.filter(({ externalSystemId }) => externalSystemId !== systemId);
    onChange(next ? [...rest, next] : rest);
  };
  return (
    <div className="sg-list">
      <label className="sg-one">
        <input
          type="checkbox"
          className="cbx"
          checked={hasEvery}
          disabled={isReadOnly}
          onChange={(event) =>
            put(EVERY, event.target.checked ? { externalSystemId: EVERY, levelIds: null } : null)
          }
        />
        <span>
          <span className="m">{t('rights.allSystems')}</span>{' '}
          <span className="mut">{t('rights.allSystemsHint')}</span>
        </span>
      </label>
      {systems.length === 0 ? <p className="mut">{t('rights.noSystems')}</p> : null}
      {hasEvery
        ? null
        : systems.map((system) => {
            const right = of(system.id);
            const mode = right === undefined ? 'none' : right.levelIds === null ? 'whole' : 'some';
            return (
              <div key={system.id}>
                <div className="sg-one">
                  <span className="sg-name">{system.name}</span>
                  <span className="fl">
                    <span className="inp sm">
                      <select
                        aria-label={system.name}
                        value={mode}
                        disabled={isReadOnly}
                        onChange={({ target: { value } }) =>
                          put(
                            system.id,
                            value === 'none'
                              ? null
                              : { externalSystemId: system.id, levelIds: value === 'whole' ? null : [] },
                          )
                        }
                      >
                        <option value="none">{t('rights.none')}</option>
                        <option value="whole">{t('rights.whole')}</option>
                        <option value="some">{t('rights.some')}</option>
                      </select>
                    </span>
                  </span>
                </div>
                {right?.levelIds ? (
                  <Levels
                    options={system.systemLevelOptions}
                    chosen={right.levelIds}
                    isReadOnly={isReadOnly}
                    onChange={(levelIds) => put(system.id, { externalSystemId: system.id, levelIds })}
                  />
                ) : null}
              </div>
            );
          })}
    </div>
  );
};

/** Domains, and below each its companies; a domain by itself means all of them. */
const Levels = ({
  options,
  chosen,
  isReadOnly,
  onChange,
}: {
  options: readonly SystemLevelOption[];
  chosen: readonly string[];
  isReadOnly: boolean;
  onChange: (levelIds: string[]) => void;
}) => {
  const toggle = (id: string, isOn: boolean, drops: readonly string[]): void => {
    const rest = chosen.filter((one) => one !== id && !drops.includes(one));
    onChange(isOn ? [...rest, id] : rest);
  };
  return (
    <ul className="sg-levels">
      {options.map((domain) => {
        const companies = domain.children.map(({ internalId }) => internalId);
        const isWhole = chosen.includes(domain.internalId) && !companies.some((id) => chosen.includes(id));
        return (
          <li key={domain.internalId}>
            <label className="sg-one">
              <input
                type="checkbox"
                className="cbx"
                checked={isWhole}
                disabled={isReadOnly}
                onChange={(event) => toggle(domain.internalId, event.target.checked, companies)}
              />
              {domain.name}
            </label>
            <ul>
              {domain.children.map((company) => (
                <li key={company.internalId}>
                  <label className="sg-one">
                    <input
                      type="checkbox"
                      className="cbx"
                      checked={isWhole || chosen.includes(company.internalId)}
                      disabled={isReadOnly || isWhole}
                      onChange={(event) =>
                        toggle(company.internalId, event.target.checked, [domain.internalId])
                      }
                    />
                    {company.name}
                  </label>
                </li>
              ))}
            </ul>
          </li>
        );
      })}
    </ul>
  );
};
