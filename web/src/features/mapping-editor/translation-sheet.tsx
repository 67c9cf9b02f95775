import { type ClipboardEvent, type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/icons.tsx';
import type { RowFault, TextRow } from './translation-rows.ts';

const ROW_PX = 34;
const OVERSCAN = 12;

/** Rows of two cells: arrows and Enter walk, Tab goes on, ten thousand of them are no more than what is in sight. */
export const TranslationSheet = ({
  rows,
  faults,
  canEdit,
  onChange,
  onRemove,
  onPaste,
}: {
  rows: readonly TextRow[];
  faults: ReadonlyMap<number, RowFault>;
  canEdit: boolean;
  onChange: (at: number, row: TextRow) => void;
  onRemove: (at: number) => void;
  onPaste: (event: ClipboardEvent, at: number) => void;
}) => {
  const { t } = useTranslation();
  const frame = useRef<HTMLDivElement>(null);
  const [sight, setSight] = useState({ top: 0, height: 400 });
  /** A cell that gets the focus once it is drawn. */
  const [wanted, setWanted] = useState<{ at: number; side: number } | null>(null);
  useLayoutEffect(() => {
    const node = frame.current;
    if (!node) return undefined;
    const look = (): void => setSight({ top: node.scrollTop, height: node.clientHeight });
    const size = new ResizeObserver(look);
    size.observe(node);
    node.addEventListener('scroll', look, { passive: true });
    return () => {
      size.disconnect();
      node.removeEventListener('scroll', look);
    };
  }, []);
  useLayoutEffect(() => {
    if (!wanted) return;
    const node = frame.current;
    const cell = node?.querySelector<HTMLInputElement>(`[data-cell="${wanted.at}.${wanted.side}"]`);
    if (cell) {
      cell.focus();
      cell.select();
      setWanted(null);
    } else if (node) node.scrollTop = wanted.at * ROW_PX - node.clientHeight / 2;
  }, [wanted, sight]);
  const handleKey = (event: KeyboardEvent<HTMLInputElement>, at: number, side: number): void => {
    const page = Math.max(1, Math.floor(sight.height / ROW_PX) - 1);
    const steps: Record<string, number> = {
      Enter: event.shiftKey ? -1 : 1,
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
    };
    const step = steps[event.key];
    const input = event.currentTarget;
    const isAtEnd = input.selectionStart === input.value.length;
    const isAtStart = input.selectionEnd === 0;
    if (step !== undefined) {
      const to = Math.max(0, Math.min(rows.length - 1, at + step));
      if (to !== at) setWanted({ at: to, side });
    } else if (event.key === 'ArrowRight' && side === 0 && isAtEnd && !event.shiftKey) {
      setWanted({ at, side: 1 });
    } else if (event.key === 'ArrowLeft' && side === 1 && isAtStart && !event.shiftKey) {
      setWanted({ at, side: 0 });
    } else return;
    event.preventDefault();
  };
  const first = Math.max(0, Math.floor(sight.top / ROW_PX) - OVERSCAN);
  const last = Math.min(rows.length, Math.ceil((sight.top + sight.height) / ROW_PX) + OVERSCAN);
  const faultText = (fault: RowFault | undefined): string | null =>
    fault === undefined ? null : t(`mapping.fault_${fault}`);
  return (
    <div className="sheet" ref={frame}>
      <table aria-label={t('mapping.tableTitle')} aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            <th scope="col" className="num">
              #
            </th>
            <th scope="col">{t('mapping.tableIn')}</th>
            <th scope="col">{t('mapping.tableOut')}</th>
            <th scope="col">
              <span className="vh">{t('common.remove')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {first > 0 ? <tr style={{ height: first * ROW_PX }} aria-hidden="true" /> : null}
          {rows.slice(first, last).map((row, index) => {
            const at = first + index;
            const fault = faults.get(at);
            const isBlankEnd = canEdit && at === rows.length - 1 && row.key === '' && row.value === '';
            const cell = (side: 0 | 1) => {
              const isWrong = fault !== undefined && (side === 1) === (fault === 'invalidValue');
              const name = side === 0 ? t('mapping.tableIn') : t('mapping.tableOut');
              return (
                <td>
                  <input
                    data-cell={`${at}.${side}`}
                    aria-label={`${name} ${at + 1}`}
                    aria-invalid={isWrong}
                    title={isWrong ? (faultText(fault) ?? undefined) : undefined}
                    className={isWrong ? 'bad' : ''}
                    readOnly={!canEdit}
                    value={side === 0 ? row.key : row.value}
                    onChange={(event) =>
                      onChange(
                        at,
                        side === 0
                          ? { ...row, key: event.target.value }
                          : { ...row, value: event.target.value },
                      )
                    }
                    onKeyDown={(event) => handleKey(event, at, side)}
                    onPaste={(event) => onPaste(event, at)}
                  />
                </td>
              );
            };
            return (
              <tr key={at} aria-rowindex={at + 2}>
                <th scope="row" className="num mut">
                  {fault ? (
                    <span className="err-i" title={faultText(fault) ?? undefined}>
                      <Icon name="danger" size="s" />
                      <span className="vh">{faultText(fault)}</span>
                    </span>
                  ) : isBlankEnd ? (
                    '+'
                  ) : (
                    at + 1
                  )}
                </th>
                {cell(0)}
                {cell(1)}
                <td>
                  {canEdit && !isBlankEnd ? (
                    <button
                      type="button"
                      className="iconbtn"
                      tabIndex={-1}
                      aria-label={t('mapping.removeRow', { row: at + 1 })}
                      onClick={() => onRemove(at)}
                    >
                      <Icon name="close" size="s" />
                    </button>
                  ) : null}
                </td>
              </tr>
            );
          })}
          {last < rows.length ? (
            <tr style={{ height: (rows.length - last) * ROW_PX }} aria-hidden="true" />
          ) : null}
        </tbody>
      </table>
    </div>
  );
};
