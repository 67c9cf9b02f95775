import type { ExternalSystem, SystemLevelOption } from '@sluice/contract';
import { describe, expect, it } from 'vitest';
import { en } from '../../platform/i18n/en.ts';
import { changeLevels, usableSystems } from './level-tree.ts';

const option = (id: string, children: SystemLevelOption[] = []): SystemLevelOption => ({
  internalId: id,
  name: id,
  acronym: id,
  uriAcronym: id,
  isProduction: false,
  status: 'ACTIVE',
  children,
});
const system = (options: SystemLevelOption[]): ExternalSystem => ({
  id: 's',
  name: 'S',
  acronym: 'S',
  url: 's',
  systemLevels: ['domain', 'company'].map((name) => ({
    nameSingular: name,
    namePlural: name,
    uriId: name,
  })),
  systemLevelOptions: options,
});
const full = option('full', [option('one'), option('two')]);

describe('levels', () => {
  it('[SYS-13] changing to an option with nothing below it says that no options were found', () => {
    const changed = changeLevels(system([full, option('bare')]), ['bare']);
    expect(changed).toEqual({ problem: 'nav.noOptions' });
    expect(en.nav.noOptions).toBe('No options found for system level value.');
    expect(changeLevels(system([full, option('bare')]), ['full', 'two'])).toMatchObject({
      levels: [{ internalId: 'full' }, { internalId: 'two' }],
    });
  });

  it('[SYS-12] a system shows only where every branch of its tree is as deep as it has levels', () => {
    expect(usableSystems([system([full])])).toHaveLength(1);
    expect(usableSystems([system([full, option('bare')])])).toHaveLength(0);
    expect(usableSystems([system([])])).toHaveLength(0);
  });
});
