import { AppError } from '../../platform/errors.ts';
import type { CollectionModel, Column } from '../cache/model.ts';

/** The column of a field; `place`: where the request names it. */
export function columnAt(model: CollectionModel, path: string, place: string): Column {
  const column = model.byPath.get(path);
  if (!column) {
    throw new AppError('MALFORMED', {
      text: { key: 'error.MALFORMED', params: { reason: `${place}: there is no field ${path}` } },
      fields: [{ field: place, code: null, params: { key: 'field.unknown', field: path } }],
    });
  }
  return column;
}
