import type { Domain, DomainActivity } from '@sluice/contract';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { numeral } from '../../platform/i18n/i18n.ts';
import { dayName, hourNow } from '../../platform/time.ts';
import { BarPlot, type PlotData, PlotLegend, PlotTable } from '../../ui/bar-plot.tsx';

const PERIODS = ['today', 'days'] as const;

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);
const hourName = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

/** API calls against the limit: the hours of today, adding up to it, and two weeks of days. */
export const DomainCalls = ({ domain, calls }: { domain: Domain; calls: DomainActivity['calls'] }) => {
  const { t, i18n } = useTranslation();
  const [period, setPeriod] = useState<(typeof PERIODS)[number]>('today');
  const [pointed, setPointed] = useState<number | null>(null);
  const { language } = i18n;
  const limit = domain.maxApiCalls;
  const data = useMemo<PlotData>(() => {
    if (period === 'days')
      return {
        labels: calls.days.map(({ date }) => dayName(date, language)),
        series: [
          { label: t('domainCalls.perDay'), values: calls.days.map((day) => day.calls), colour: '--brand' },
        ],
        limit,
      };
    // Hours to come have none yet.
    const now = hourNow();
    return {
      labels: calls.hours.map((_, hour) => hourName(hour)),
      series: [
        {
          label: t('domainCalls.soFar'),
          values: calls.hours.map((_, hour) => (hour > now ? 0 : sumOf(calls.hours.slice(0, hour + 1)))),
          colour: '--brand-tint-2',
        },
        { label: t('domainCalls.inHour'), values: calls.hours, colour: '--brand' },
      ],
      limit,
    };
  }, [period, calls, limit, language, t]);
  const last = period === 'days' ? calls.days.length - 1 : calls.hours.findLastIndex((own) => own > 0);
  const at = pointed ?? Math.max(0, last);
  const valueOf = (series: number): number => data.series[series]?.values[at] ?? 0;
  const label = data.labels[at] ?? '';
  return (
    <section className="card">
      <h2>
        {t('domainCalls.title')}
        <span className="n">
          {period === 'days'
            ? t('domainCalls.pointDay', { day: label, calls: valueOf(0) })
            : t('domainCalls.pointHour', { hour: label, calls: valueOf(1), sum: valueOf(0) })}
        </span>
        <span className="sp" />
        <fieldset className="seg" aria-label={t('plot.period')}>
          {PERIODS.map((name) => (
            <button
              key={name}
              type="button"
              className={period === name ? 'on' : ''}
              aria-pressed={period === name}
              onClick={() => {
                setPeriod(name);
                setPointed(null);
              }}
            >
              {t(`domainCalls.${name}`)}
            </button>
          ))}
        </fieldset>
      </h2>
      <BarPlot data={data} onPoint={setPointed} />
      {data.series.length > 1 ? <PlotLegend series={data.series} /> : null}
      <p className="dm-why mut">
        {limit === null ? t('domainCalls.noLimit') : t('domainCalls.limit', { limit: numeral(limit) })}
      </p>
      <PlotTable
        caption={t('domainCalls.title')}
        heading={t(period === 'days' ? 'plot.day' : 'plot.hour')}
        rows={data.labels}
        columns={data.series}
      />
    </section>
  );
};
