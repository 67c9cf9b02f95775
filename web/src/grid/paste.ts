import { type Change, MAX_CHANGED_CELLS, sendChanges, shownOf } from './actions.ts';
import { parseTsv } from './clipboard.ts';
import type { GridController } from './controller.ts';
import { PastePlan } from './edit-plan.ts';
import { type Places, placesOf, rowIds } from './found-rows.ts';
import { type Range, type Selection, cutRange } from './selection.ts';
import { Slices } from './slices.ts';
import type { TopRow } from './top-rows.ts';
import type { Tracker } from './types.ts';

/** Ids of the rows of the area: null where a record has gone, undefined where none is loaded. */
type Ids = readonly (string | null | undefined)[];

/** Pastes of more cells tell how far they are while they are made ready. */
const LONG_PASTE = 10_000;
const untold: Tracker = { isStopped: false, update: () => undefined, end: () => undefined };

/**
 * Lays pasted text over the selection. What is in sight shows at once and the rest is made ready in slices, whatever
 * else is under way; it is sent when it is its turn.
 */
export const paste = async (grid: GridController, text: string): Promise<void> => {
  const work = layDown(grid, text);
  if (!work) return;
  const ready = work.prepare();
  await grid.steps.run(null, async () => {
    if (await ready) await work.send();
  });
};

const targetOf = (grid: GridController): Range => {
  const last = grid.selection.ranges.at(-1);
  const { row, col } = grid.selection.active;
  const cut = last ? cutRange(last, grid.extent) : null;
  return cut ?? { kind: 'cells', top: row, bottom: row, left: col, right: col };
};

const layDown = (grid: GridController, text: string): Paste | null => {
  const block = parseTsv(text);
  if (block.length === 0) return null;
  const plan = new PastePlan(block, targetOf(grid), {
    columns: grid.layout.columns,
    rowCount: grid.store.rowCount,
    canAddRows: grid.canInsert && grid.store.total !== null,
    settings: grid.settings,
    canWrite: (column) => !column.isReadOnly || column.field.isReadOnlyOnUpdate,
  });
  if (plan.height * plan.width > MAX_CHANGED_CELLS) {
    grid.announce(grid.translate('tooLargeToPaste', { count: MAX_CHANGED_CELLS }), 'warning');
    return null;
  }
  return new Paste(grid, plan);
};

/** One paste on its way: shown, checked, completed and sent; or taken back as if it had not been. */
class Paste {
  private readonly grid: GridController;
  private readonly plan: PastePlan;
  /** Rows of the area that the table has; the others become new records. */
  private readonly kept: number;
  private readonly columns: readonly (GridController['columns'][number] | null)[];
  private readonly slices = new Slices();
  private readonly takeBacks: (() => void)[] = [];
  private readonly changes: Change[] = [];
  private readonly revisions = new Map<string, number>();
  private skipped: number;
  private readonly since: number;
  private readonly places: Places;
  private readonly selectedBefore: Selection;

  constructor(grid: GridController, plan: PastePlan) {
    this.grid = grid;
    this.plan = plan;
    this.kept = plan.height - plan.extraRows;
    this.columns = Array.from({ length: plan.width }, (_, c) => grid.columnAt(plan.left + c));
    this.skipped = plan.readOnlyColumns * plan.height;
    this.places = placesOf(grid);
    this.since = grid.store.changesSoFar;
    this.selectedBefore = grid.selection;
  }

  /** False when nothing is to be sent: then nothing has changed, and the user knows why. */
  async prepare(): Promise<boolean> {
    const { grid, plan, slices } = this;
    // Places are those of this moment: rows may come and go while the rest is made ready.
    const ids: Ids = Array.from({ length: this.kept }, (_, r) => grid.store.idAt(plan.top + r));
    const inSight = this.showInSight(ids);
    const selection = grid.selection;
    const cells = this.kept * plan.width;
    const tracker = cells > LONG_PASTE ? grid.commands.track('prepare', cells) : untold;
    try {
      // Painted before anything else is made ready.
      if (cells > LONG_PASTE) await slices.pause();
      for (let r = 0; r < plan.blockHeight; r++) {
        plan.read(r);
        if (slices.isOver) await slices.pause();
      }
      if (plan.invalidColumns.length > 0) {
        this.takeBack(selection);
        const columns = plan.invalidColumns.join(', ');
        grid.announce(grid.translate('invalidDataTypes', { columns }), 'error');
        return false;
      }
      await this.takeLoaded(ids, inSight, tracker);
      await this.takeMissing(ids, tracker);
    } catch (error) {
      this.takeBack(selection);
      grid.announce(`${grid.translate('notSaved')}: ${grid.commands.describeError(error)}`, 'error');
      return false;
    } finally {
      tracker.end();
    }
    if (tracker.isStopped) {
      this.takeBack(selection);
      grid.announce(grid.translate('stopped', { count: plan.height }), 'warning');
      return false;
    }
    this.addDrafts();
    if (this.skipped > 0) grid.announce(grid.translate('readOnlySkipped', { count: this.skipped }), 'info');
    grid.announce(grid.translate('pasted', { count: this.changes.length }));
    return true;
  }

  async send(): Promise<void> {
    await sendChanges(this.grid, this.changes, 'paste', this.revisions);
  }

  /** What the user looks at, within one frame; answers which rows of the area that were. */
  private showInSight(ids: Ids): { from: number; to: number } {
    const { grid, plan } = this;
    const { first, last } = grid.store.sight;
    const from = Math.max(0, first - plan.top);
    const to = Math.min(this.kept - 1, last - plan.top);
    for (let r = from; r <= to; r++) {
      plan.read(r % plan.blockHeight);
      const id = ids[r];
      if (id) this.take(r, id);
    }
    if (plan.invalidColumns.length === 0) {
      this.takeBacks.push(grid.store.setLocal(this.changes, this.since));
      const area = { top: plan.top, bottom: plan.top + Math.max(0, this.kept - 1) };
      const at = { row: plan.top, col: plan.left };
      grid.select({
        ranges: [{ kind: 'cells', ...area, left: plan.left, right: plan.left + plan.width - 1 }],
        anchor: at,
        active: at,
      });
      grid.emit('block');
    }
    return { from, to };
  }

  private async takeLoaded(ids: Ids, inSight: { from: number; to: number }, tracker: Tracker): Promise<void> {
    const { grid, slices } = this;
    let shown = this.changes.length;
    const show = (): void => {
      const next = shownOf(grid, this.changes.slice(shown));
      this.takeBacks.push(grid.store.setLocal(next, this.since));
      shown = this.changes.length;
    };
    for (let r = 0; r < this.kept && !tracker.isStopped; r++) {
      const id = ids[r];
      if (!id || (r >= inSight.from && r <= inSight.to)) continue;
      this.take(r, id);
      if (!slices.isOver) continue;
      show();
      tracker.update(this.changes.length);
      await slices.pause();
    }
    show();
  }

  /** Rows that are not loaded are asked for their ids and revisions. */
  private async takeMissing(ids: Ids, tracker: Tracker): Promise<void> {
    const { grid, plan, slices } = this;
    const rows = Array.from({ length: this.kept }, (_, r) => r).filter((r) => ids[r] === undefined);
    const [from, to] = [rows[0], rows.at(-1)];
    if (from === undefined || to === undefined || tracker.isStopped) return;
    const before = from * plan.width;
    const tell = (count: number): boolean => {
      tracker.update(before + count * plan.width);
      return !tracker.isStopped;
    };
    const found = await rowIds(grid, plan.top + from, plan.top + to, tell, this.places);
    for (const r of rows) {
      const row = found.get(plan.top + r);
      if (!row) continue;
      this.revisions.set(row.id, row.revision);
      this.take(r, row.id);
      if (slices.isOver) await slices.pause();
    }
  }

  /** Rows beyond the end have no place in the snapshot; they join the other new records at the top. */
  private addDrafts(): void {
    const { grid, plan } = this;
    if (plan.extraRows === 0) return;
    const drafts: TopRow[] = Array.from({ length: plan.extraRows }, () => ({
      id: grid.commands.newId(),
      revision: 0,
      isDraft: true,
      values: grid.columns.map((column) => column.field.defaultValue ?? null),
    }));
    grid.store.addTop(drafts, 'end');
    const first = this.changes.length;
    drafts.forEach(({ id }, i) => this.take(this.kept + i, id));
    grid.store.setLocal(this.changes.slice(first));
  }

  private take(r: number, id: string): void {
    const { grid, plan, columns } = this;
    const place = grid.store.positionOf(id);
    const view = place === null ? null : grid.store.rowAt(place);
    for (let c = 0; c < columns.length; c++) {
      const column = columns[c];
      const value = plan.valueAt(r, c);
      if (!column || value === undefined) continue;
      if (view && grid.whyReadOnly(view, column)) this.skipped++;
      else {
        this.changes.push({ rowId: id, fieldId: column.id, value });
        const seen = grid.store.seenRevision(id, column.id);
        if (seen !== null) this.revisions.set(id, Math.min(seen, this.revisions.get(id) ?? seen));
      }
    }
  }

  private takeBack(selection: Selection): void {
    for (const takeBack of this.takeBacks) takeBack();
    // Unless the user has gone elsewhere meanwhile.
    if (this.grid.selection === selection) this.grid.select(this.selectedBefore);
  }
}
