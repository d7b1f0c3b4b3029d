import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import { timeLabels } from './numbers.js';
import 'uplot/dist/uPlot.min.css';

interface Props {
  /** A description for screen readers, in a sentence. */
  readonly label: string;
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly series: readonly {
    readonly name: string;
    readonly values: readonly (number | null)[];
    readonly color: string;
  }[];
  readonly unit?: string;
  /** Bars for counts within a span, a line for measured values. */
  readonly kind?: 'line' | 'bars';
}
const HEIGHT = 220;
/** Pixels from one time to the next: `12:21:30 PM` and a gap. */
const TIME_SPACE = 90;
/** Half of the last time stands beyond the last value. */
const PADDING: UPlot.Padding = [null, 36, null, null];
const COLORS = { light: { text: '#5a6661', grid: '#e3e7e4' }, dark: { text: '#a3aea9', grid: '#333a37' } };

/** Values over time. */
export function Curve({ label, times, series, unit = '', kind = 'line' }: Props) {
  const { ref, width } = useElementSize();
  const container = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    if (container.current === null || width === 0) return;
    const { text, grid } = COLORS[scheme];
    const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
    const paths = kind === 'bars' ? UPlot.paths.bars!({ size: [0.8, 24] }) : UPlot.paths.linear!();
    const options: UPlot.Options = {
      width,
      height: HEIGHT,
      padding: PADDING,
      legend: { show: series.length > 1, live: false },
      cursor: { drag: { x: false, y: false } },
      scales: { y: { range: (_, _min, max) => [0, Math.max(1, max * 1.1)] } },
      axes: [
        { ...axis, space: TIME_SPACE, values: (_, splits, _axis, _space, step) => timeLabels(splits, step) },
        { ...axis, size: 68, values: (_, splits) => splits.map((value) => `${value.toLocaleString()}${unit}`) },
      ],
      series: [
        {},
        ...series.map(({ name, color }) => ({
          label: name,
          stroke: color,
          ...(kind === 'bars' ? { fill: color } : { width: 2 }),
          points: { show: times.length < 40 && kind === 'line' },
          paths,
        })),
      ],
    };
    const plot = new UPlot(options, [[...times], ...series.map(({ values }) => [...values])], container.current);
    return () => plot.destroy();
  }, [width, scheme, times, series, unit, kind]);
  return (
    <div ref={ref} role="img" aria-label={label} className="curve">
      <div ref={container} />
    </div>
  );
}
