import type { FieldError, Value } from '@sluice/contract';
import { checkValue } from '@sluice/mapping';
import { AppError } from '../../platform/errors.ts';
import { type CollectionModel, type Column, textOfValue } from '../cache/model.ts';

/** Column number -> text for PostgreSQL (null = empty). */
export type CellTexts = Map<number, string | null>;

type Fault = Omit<FieldError, 'message'>;

/**
 * Turns field values of the wire into column texts. Structural faults (unknown field, read-only field, wrong type)
 * are collected with their place; broken rules are not faults: they are stored and marked (decisions Q-PEND-09).
 */
export function textsOfChanges(
  model: CollectionModel,
  changes: Record<string, Value>,
  options: { place: string; isNew: boolean; id?: string },
  faults: Fault[],
): CellTexts {
  const texts: CellTexts = new Map();
  for (const [path, value] of isFlat(model, changes) ? Object.entries(changes) : flatten(model, changes)) {
    const place = `${options.place}${path}`;
    const fault = (params: Fault['params']): void => {
      faults.push({
        field: place,
        code: null,
        params,
        ...(options.id === undefined ? {} : { id: options.id }),
      });
    };
    const column = model.byPath.get(path);
    if (!column) {
      fault({ key: 'field.unknown', field: path });
      continue;
    }
    if (isReadOnly(column, options.isNew)) {
      fault({ key: 'field.readOnly', field: path });
      continue;
    }
    const checked = checkValue(column.field, value);
    if (!checked.isOk) {
      const shown = typeof value === 'string' ? value : JSON.stringify(value);
      fault(
        checked.reason === 'outOfRange'
          ? { key: 'field.outOfRange', x: shown }
          : {
              key: 'field.wrongType',
              x: shown.slice(0, 100),
              type: column.field.dataType ?? column.field.kind,
            },
      );
      continue;
    }
    texts.set(column.fno, textOfValue(column.pgType, checked.value));
  }
  return texts;
}

export function isReadOnly({ field }: Column, isNew: boolean): boolean {
  return field.isReadOnly || field.dataType === 'unknown' || (!isNew && field.isReadOnlyOnUpdate);
}

function isFlat(model: CollectionModel, changes: Record<string, Value>): boolean {
  for (const path in changes) if (!model.byPath.has(path)) return false;
  return true;
}

/** Nested objects may be given as objects or as paths with dots. */
function* flatten(
  model: CollectionModel,
  changes: Record<string, Value>,
  prefix = '',
): Generator<[string, Value]> {
  for (const [name, value] of Object.entries(changes)) {
    if (prefix === '' && name === 'internalId') continue;
    const path = prefix + name;
    const isNested =
      typeof value === 'object' && value !== null && !Array.isArray(value) && !model.byPath.has(path);
    const isKnownParent = isNested && model.columns.some((column) => column.path.startsWith(`${path}.`));
    if (isKnownParent) yield* flatten(model, value, `${path}.`);
    else yield [path, value];
  }
}

export function throwFaults(faults: readonly Fault[]): void {
  // A thousand faults of the same paste help nobody more than the first hundred.
  if (faults.length > 0) throw new AppError('VALIDATION', { fields: faults.slice(0, 100) });
}
