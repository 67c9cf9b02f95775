import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type uPlot from 'uplot';
import { numeral } from '../platform/i18n/i18n.ts';
import './bar-plot.css';

const HEIGHT = 160;
const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000,
  1_000_000, 2_000_000, 5_000_000, 10_000_000,
];

export interface PlotSeries {
  label: string;
  /** Of each label, from the ground up. */
  values: readonly number[];
  /** Custom property with the colour. */
  colour: `--${string}`;
  /** Share of the place of a label that its bar takes. */
  width?: number;
}

export interface PlotData {
  /** What stands below each bar. */
  labels: readonly string[];
  /** Drawn one over the other, the first at the back. */
  series: readonly PlotSeries[];
  /** A line across, such as a limit. */
  limit?: number | null;
}

/** Parts of a whole, stacked for drawing: the whole at the back, then the whole without its last part, and so on. */
export const stacked = (parts: readonly PlotSeries[]): PlotSeries[] =>
  parts
    .map((part, i) => ({
      ...part,
      values: part.values.map((_, at) =>
        parts.slice(0, i + 1).reduce((sum, { values }) => sum + (values[at] ?? 0), 0),
      ),
    }))
    .toReversed();

/**
 * The library takes the browser's language for one that there is, and is not there at all otherwise: a Linux without a
 * locale says "en-US@posix".
 */
const nameLanguage = (): void => {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: document.documentElement.lang || 'en' });
  }
};

const draw = async (
  place: HTMLElement,
  { labels, series, limit }: PlotData,
  onPoint: (index: number | null) => void,
): Promise<uPlot> => {
  nameLanguage();
  const [{ default: Plot }] = await Promise.all([import('uplot'), import('uplot/dist/uPlot.min.css')]);
  const style = getComputedStyle(place);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const font = `11px ${style.fontFamily}`;
  const axis = { stroke: colour('--text-3'), font, ticks: { show: false } };
  const across = limit ?? null;
  return new Plot(
    {
      width: place.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, drag: { x: false }, points: { show: false } },
      scales: {
        x: { time: false, range: [-0.6, labels.length - 0.4] },
        y: { range: (_plot, _min, max) => [0, Math.max(4, max * 1.1, (across ?? 0) * 1.1)] },
      },
      axes: [
        {
          ...axis,
          size: 30,
          grid: { show: false },
          splits: labels.map((_, index) => index),
          // As many words as have room.
          values: (plot, splits) => {
            const each = Math.ceil((labels.length * 44) / Math.max(1, plot.width - 80));
            return splits.map((index) => (index % each === 0 ? (labels[index] ?? '') : ''));
          },
        },
        {
          ...axis,
          grid: { stroke: colour('--line'), width: 1 },
          incrs: STEPS,
          values: (_plot, splits) => splits.map(numeral),
          size: 64,
        },
      ],
      series: [
        {},
        ...series.map((one): uPlot.Series => {
          const bars = Plot.paths.bars?.({ size: [one.width ?? 0.6, 40], radius: 0.1 });
          return { fill: colour(one.colour), ...(bars ? { paths: bars } : {}), points: { show: false } };
        }),
        ...(across === null
          ? []
          : [{ stroke: colour('--text-2'), dash: [4, 4], width: 1, points: { show: false } }]),
      ],
      hooks: { setCursor: [(plot) => onPoint(plot.cursor.idx ?? null)] },
    },
    [
      labels.map((_, index) => index),
      ...series.map(({ values }) => [...values]),
      ...(across === null ? [] : [labels.map(() => across)]),
    ],
    place,
  );
};

/** Bars with the pointer's place told to `onPoint`; the library that draws them comes when one is shown. */
export const BarPlot = ({
  data,
  onPoint,
}: {
  /** Kept by the caller between renders: a new one is drawn anew. */
  data: PlotData;
  onPoint: (index: number | null) => void;
}) => {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    let plot: uPlot | null = null;
    let isGone = false;
    let turn = 0;
    const redraw = async (): Promise<void> => {
      turn += 1;
      const mine = turn;
      const next = await draw(element, data, onPoint);
      if (isGone || mine !== turn) next.destroy();
      else {
        plot?.destroy();
        plot = next;
      }
    };
    const draws = (): void => void redraw().catch((error: unknown) => console.error('plot', error));
    draws();
    const resized = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height: HEIGHT }));
    resized.observe(element);
    // Colours are read when it is drawn.
    const themed = new MutationObserver(draws);
    themed.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'class'] });
    return () => {
      isGone = true;
      resized.disconnect();
      themed.disconnect();
      plot?.destroy();
    };
  }, [data, onPoint]);
  return <div ref={place} className="bar-plot" aria-hidden="true" />;
};

/** The same numbers as a table: what assistive technology reads, and anybody who wants them exactly. */
export const PlotTable = ({
  caption,
  heading,
  rows,
  columns,
}: {
  caption: string;
  /** Of the first column. */
  heading: string;
  rows: readonly string[];
  columns: readonly { label: string; values: readonly number[] }[];
}) => {
  const { t } = useTranslation();
  return (
    <details className="plot-table">
      <summary>{t('plot.asTable')}</summary>
      <table className="tbl">
        <caption className="vh">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{heading}</th>
            {columns.map(({ label }) => (
              <th key={label} scope="col" className="num">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={row}>
              <th scope="row">{row}</th>
              {columns.map(({ label, values }) => (
                <td key={label} className="num tn">
                  {numeral(values[at] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
};

export const PlotLegend = ({ series }: { series: readonly PlotSeries[] }) => (
  <ul className="plot-legend" aria-hidden="true">
    {series.map(({ label, colour }) => (
      <li key={label}>
        <i style={{ background: `var(${colour})` }} />
        {label}
      </li>
    ))}
  </ul>
);
