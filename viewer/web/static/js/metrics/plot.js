// One chart, drawn by uPlot. All charts of a page share the cursor and the stretch of time.

import uPlot from '../../vendor/uplot/uplot.js';
import { grid } from './lines.js';
import { axisWords } from './quantity.js';
import { clock } from '../format.js';

const HEIGHT = 160, DASHES = [[], [6, 3], [2, 3]];

// colour is that of a row: by line, or by column where there is one line only.
export function colour(row, lines) { return 'var(--c' + ((lines > 1 ? row.line : [1, 2, 4][row.column] ?? row.column) % 8 + 1) + ')'; }

// dash tells columns apart without colour.
export function dash(row) { return DASHES[row.column % DASHES.length]; }

function css(name) { return getComputedStyle(document.documentElement).getPropertyValue(name.replace(/^var\((.*)\)$/, '$1')).trim(); }

// axisTime is a time at an axis: seconds only where they tell something.
function axisTime(s, step) { const t = clock(s * 1000); return step >= 60 ? t.slice(0, 5) : t; }

export class Plot {
  // o: {width, chart, rows, aligned, from, to (seconds), cursor(index), pick(from, to)}
  constructor(host, o) {
    this.host = host;
    this.o = o;
    this.draw();
  }

  // banded tells of which rows the least and the greatest values are drawn.
  banded(i) { return this.o.aligned.low[i] && this.o.chart.lines.length <= 3; }

  // data is the points as uPlot takes them: times, then each row, then the ends of each band.
  data() {
    const { rows, aligned } = this.o, data = [aligned.x, ...aligned.y];
    rows.forEach((r, i) => { if (this.banded(i)) data.push(aligned.high[i], aligned.low[i]); });
    let min = Infinity, max = -Infinity;
    for (const list of data.slice(1)) for (const v of list) if (v != null) { if (v < min) min = v; if (v > max) max = v; }
    this.y = min > max ? grid(0, 1) : grid(min, max);
    return data;
  }

  // kind changes where another set of lines is drawn.
  kind() { return this.o.rows.map((r, i) => r.line + '.' + r.column + (this.banded(i) ? 'b' : '')).join(); }

  draw() {
    this.destroy();
    const { chart, rows } = this.o, m = chart.metric, lines = chart.lines.length, data = this.data();
    const series = [{}], bands = [], ends = { scale: 'y', width: 0, points: { show: false } };
    rows.forEach((r, i) => series.push({ scale: 'y', stroke: css(colour(r, lines)), width: 1.5, dash: dash(r), spanGaps: false, points: { show: () => sparse(this.o.rows[i]), size: 4, width: 0, fill: css(colour(r, lines)) } }));
    rows.forEach((r, i) => {
      if (!this.banded(i)) return;
      bands.push({ series: [series.length, series.length + 1], fill: css(colour(r, lines)) + '26' });
      series.push(ends, { ...ends });
    });
    const axis = { stroke: css('--ink3'), font: '10px ' + css('--sans'), ticks: { show: false } };
    this.drawn = this.kind();
    this.plot = new uPlot({
      width: this.o.width, height: HEIGHT, padding: [8, 8, 0, 0], legend: { show: false }, series, bands,
      scales: { x: { time: true, range: () => [this.o.from, this.o.to] }, y: { range: () => [this.y.from, this.y.to] } },
      axes: [
        { ...axis, grid: { show: false }, border: { show: true, stroke: css('--line2'), width: 1 }, size: 22, gap: 4, space: 80, values: (u, at) => at.map((t) => axisTime(t, at.length > 1 ? at[1] - at[0] : 60)) },
        { ...axis, grid: { stroke: css('--line'), width: 1 }, size: 64, gap: 6, splits: () => [0, ...this.y.lines], values: (u, at) => at.map((v) => axisWords(v, m.unit, m.shows === 'rate')) },
      ],
      cursor: { y: false, sync: { key: 'metrics', setSeries: false }, points: { size: 6 }, drag: { x: true, y: false, setScale: false } },
      hooks: {
        setCursor: [() => this.o.cursor(this.index)],
        setSelect: [(u) => { if (u.select.width > 4) this.o.pick(u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x')); u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false); }],
      },
    }, data, this.host);
  }

  // index is the place of the cursor, null when it is elsewhere.
  get index() { const c = this.plot && this.plot.cursor; return c && c.left >= 0 && c.idx != null ? c.idx : null; }

  // set takes newer points. The cursor stays where it is.
  set(o) {
    Object.assign(this.o, o);
    if (this.kind() !== this.drawn) this.draw();
    else this.plot.setData(this.data());
  }

  resize(width) {
    if (width === this.o.width) return;
    this.o.width = width;
    this.plot.setSize({ width, height: HEIGHT });
  }

  destroy() { if (this.plot) this.plot.destroy(); this.plot = null; }
}

// sparse rows need points: a line would not show them.
function sparse(r) { return r.values.some((v, i) => v != null && r.values[i - 1] == null && r.values[i + 1] == null); }
