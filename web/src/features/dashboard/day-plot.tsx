import type { Dashboard } from '@sluice/contract';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type uPlot from 'uplot';
import { currentLanguage, numeral } from '../../platform/i18n/i18n.ts';

const HEIGHT = 160;
const MEASURES = ['pushed', 'jobs'] as const;
type Measure = (typeof MEASURES)[number];
/** The part of each measure that went wrong. */
const BAD = { pushed: 'rejected', jobs: 'errors' } as const;

const dayName = (date: string): string =>
  new Intl.DateTimeFormat(currentLanguage().toLowerCase(), {
    weekday: 'short',
    day: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(`${date}T00:00:00Z`));

/** Bars of the last two weeks: all of a day, and in front of them what went wrong. */
const draw = async (
  place: HTMLElement,
  days: Dashboard['days'],
  measure: Measure,
  onPoint: (index: number | null) => void,
): Promise<uPlot> => {
  const [{ default: Plot }] = await Promise.all([import('uplot'), import('uplot/dist/uPlot.min.css')]);
  const style = getComputedStyle(place);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const font = `11px ${style.fontFamily}`;
  const bars = Plot.paths.bars?.({ size: [0.6, 40], radius: 0.1 });
  const bad = Plot.paths.bars?.({ size: [0.3, 20] });
  const axis = { stroke: colour('--text-3'), font, ticks: { show: false } };
  return new Plot(
    {
      width: place.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, drag: { x: false }, points: { show: false } },
      scales: {
        x: { time: false, range: [-0.6, days.length - 0.4] },
        y: { range: (_plot, _min, max) => [0, Math.max(4, max * 1.1)] },
      },
      axes: [
        {
          ...axis,
          size: 30,
          grid: { show: false },
          splits: days.map((_, index) => index),
          values: (_plot, splits) =>
            splits.map((index) => {
              const day = days[index];
              return day ? dayName(day.date) : '';
            }),
        },
        {
          ...axis,
          grid: { stroke: colour('--line'), width: 1 },
          incrs: [
            1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 1_000_000,
          ],
          values: (_plot, splits) => splits.map(numeral),
          size: 64,
        },
      ],
      series: [
        {},
        { fill: colour('--brand'), ...(bars ? { paths: bars } : {}), points: { show: false } },
        { fill: colour('--rejected'), ...(bad ? { paths: bad } : {}), points: { show: false } },
      ],
      hooks: { setCursor: [(plot) => onPoint(plot.cursor.idx ?? null)] },
    },
    [
      days.map((_, index) => index),
      days.map((day) => day[measure] + (measure === 'pushed' ? day.rejected : 0)),
      days.map((day) => day[BAD[measure]]),
    ],
    place,
  );
};

export const DayPlot = ({ days }: { days: Dashboard['days'] }) => {
  const { t, i18n } = useTranslation();
  const place = useRef<HTMLDivElement>(null);
  const [measure, setMeasure] = useState<Measure>('pushed');
  const [pointed, setPointed] = useState<number | null>(null);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    let plot: uPlot | null = null;
    let isGone = false;
    let turn = 0;
    const redraw = async (): Promise<void> => {
      turn += 1;
      const mine = turn;
      const next = await draw(element, days, measure, setPointed);
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
  }, [days, measure, i18n.language]);
  const day = days[pointed ?? days.length - 1];
  const words = day
    ? t(`dashboardDay.${measure}`, {
        day: dayName(day.date),
        count: day[measure],
        bad: day[BAD[measure]],
      })
    : '';
  return (
    <section className="card">
      <h2>
        {t(`dashboardPerDay.${measure}`)}
        <span className="n">{words}</span>
        <span className="sp" />
        <fieldset className="seg" aria-label={t('dashboard.plot')}>
          {MEASURES.map((name) => (
            <button
              key={name}
              type="button"
              className={measure === name ? 'on' : ''}
              aria-pressed={measure === name}
              onClick={() => setMeasure(name)}
            >
              {t(`dashboardMeasure.${name}`)}
            </button>
          ))}
        </fieldset>
      </h2>
      <div ref={place} className="db-plot" aria-hidden="true" />
    </section>
  );
};
