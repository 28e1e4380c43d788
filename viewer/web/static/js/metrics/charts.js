// The metrics of a run as charts: gym.* first, then gen_ai.*, then the rest. This module and uPlot load when metrics are looked at.

import { h, put, qty, say, setText } from '../dom.js';
import { clock, count, plural } from '../format.js';
import { ms } from '../clock.js';
import { get, aborted } from '../api.js';
import { failed } from '../nothing.js';
import { line } from '../inert.js';
import * as glyph from '../glyph.js';
import { Plot, colour, dash } from './plot.js';
import { align, lastOf, rows, tableOf } from './lines.js';
import { atLeast, plain, quantity, unitWords } from './quantity.js';

const LINES = 8, ALL = 50;

// sheet loads uPlot's own style sheet, once.
let sheet = null;
function style() {
  sheet ??= new Promise((done) => {
    const el = h('link', { rel: 'stylesheet', href: new URL('../../vendor/uplot/uplot.css', import.meta.url).href, onload: done, onerror: done });
    document.head.append(el);
  });
  return sheet;
}

const idOf = (m) => m.name + '\n' + m.unit + '\n' + m.shows;

export class Charts {
  // o: {run, range: {from, to} or null, setRange(from, to), empty(answer)}; from and to are instants.
  constructor(o) {
    this.o = o;
    this.cards = new Map();
    this.ctl = new AbortController();
    this.el = h('div.charts', { role: 'list', 'aria-label': 'Metrics' });
    this.box = h('div.chartbox.scroll', null, this.el);
    this.seen = new IntersectionObserver((list) => list.forEach((e) => this.show(e.target, e.isIntersecting)), { rootMargin: '200px' });
    this.size = new ResizeObserver(() => this.cards.forEach((c) => c.resize()));
    this.size.observe(this.el);
  }

  async load() {
    await style();
    const d = this.d = await get('/metrics', { run: this.o.run, from: this.o.range && this.o.range.from, to: this.o.range && this.o.range.to }, this.ctl.signal);
    if (this.ctl.signal.aborted) return d;
    this.draw();
    return d;
  }

  // range is what all charts show, in seconds: all there is, or what was chosen.
  get range() {
    if (this.o.range) return [ms(this.o.range.from) / 1000, ms(this.o.range.to) / 1000];
    const d = this.d.rows, from = Math.min(...d.map((m) => ms(m.first))) / 1000, to = Math.max(...d.map((m) => ms(m.last))) / 1000;
    const least = Math.max(to - from, 20), pad = least * .02;
    return [to - least - pad, to + pad];
  }

  draw() {
    const d = this.d;
    if (!d.rows.length) { this.clear(); put(this.el, this.o.empty(d)); return; }
    const wanted = new Set(d.rows.map(idOf)), before = [...this.cards.keys()].join();
    for (const [id, c] of this.cards) if (!wanted.has(id)) { c.close(); this.cards.delete(id); }
    for (const m of d.rows) {
      const c = this.cards.get(idOf(m));
      if (c) c.take(m);
      else this.cards.set(idOf(m), new Card(this, m));
    }
    if (before !== [...wanted].join()) {
      put(this.el, d.rows.map((m) => this.cards.get(idOf(m)).el), this.note(d));
      this.seen.disconnect();
      this.cards.forEach((c) => this.seen.observe(c.el));
    }
  }

  note(d) {
    const left = d.total - d.rows.length + d.more;
    return left || d.problem ? h('p.chartnote.warn', null, left ? plural(left, 'more metric') + ' not shown. ' : '', d.problem) : null;
  }

  clear() {
    this.cards.forEach((c) => c.close());
    this.cards.clear();
    this.seen.disconnect();
  }

  show(el, on) {
    for (const c of this.cards.values()) if (c.el === el) { c.visible = on; if (on) c.load(); }
  }

  themed() { this.cards.forEach((c) => { if (c.plot) c.plot.draw(); }); }

  setRange(range) {
    this.o.range = range;
    this.cards.forEach((c) => { c.stale = true; });
    return this.load();
  }

  // pick is told the stretch that was dragged over, in seconds.
  pick(from, to) { this.o.setRange(String(BigInt(Math.round(from * 1000)) * 1000000n), String(BigInt(Math.round(to * 1000)) * 1000000n)); }

  key(e) {
    const list = [...this.cards.values()], at = list.findIndex((c) => c.el.contains(document.activeElement));
    const go = (i) => { const c = list[Math.max(0, Math.min(list.length - 1, i))]; if (c) c.el.focus(); return true; };
    switch (e.key) {
      case 'j': case 'ArrowDown': return go(at + 1);
      case 'k': case 'ArrowUp': return go(at - 1);
      case 'Home': return go(0);
      case 'End': return go(list.length - 1);
      case '0': if (this.o.range) this.o.setRange(null, null); return true;
      default: return false;
    }
  }

  // tables are the charts as tables, those that were drawn.
  tables() { return [...this.cards.values()].filter((c) => c.plot).map((c) => c.table()); }

  close() {
    this.ctl.abort();
    this.clear();
    this.size.disconnect();
  }
}

// Card is a chart with its head and legend.
class Card {
  constructor(on, m) {
    this.on = on;
    this.m = m;
    this.by = m.shows === 'distribution' && m.series > 1 ? '*' : '';
    this.lines = LINES;
    this.stale = true;
    this.host = h('div.plot', { role: 'img', 'aria-label': m.name });
    this.legend = h('div.plotlegend');
    this.el = h('section.chart', { role: 'listitem', tabindex: -1, 'aria-label': m.name }, this.head(), this.host, this.legend);
  }

  head() {
    const m = this.m, problems = this.mark = h('button.iconbtn.chartwarn', { hidden: true, onclick: () => this.tell() }, glyph.warning('what is odd'));
    return h('header', null, this.name = h('h3.mono.cut', { title: m.name }, line(m.name)), h('span.note', null, line(unitWords(m))), h('span.gap'), problems, this.split());
  }

  // split chooses by what series are joined.
  split() {
    const m = this.m, may = m.shows === 'rate' || m.shows === 'distribution';
    if (!may || m.series < 2 && !m.keys.length) return null;
    const list = [['*', 'together'], ['', 'each'], ...(m.services.length > 1 ? [['service', 'by service']] : []), ...m.keys.map((k) => [k, 'by ' + k.slice(k.lastIndexOf('.') + 1)])];
    return h('label.pick', null, h('select', { 'aria-label': 'Join the series of ' + m.name, onchange: (e) => { this.by = e.target.value; this.lines = LINES; this.load(true); } },
      list.map(([v, name]) => h('option', { value: v, selected: v === this.by }, line(name)))), glyph.chevron());
  }

  // take is told what the list says now.
  take(m) {
    if (m.last === this.m.last && m.points === this.m.points && m.series === this.m.series && !this.stale) { this.move(); return; }
    this.m = m;
    this.stale = true;
    if (this.visible) this.load();
  }

  // move follows the time that the other charts show.
  move() {
    const [from, to] = this.on.range;
    if (this.plot && (this.plot.o.from !== from || this.plot.o.to !== to)) this.plot.set({ from, to });
  }

  async load(again = false) {
    if (!this.stale && !again) return;
    this.stale = false;
    const range = this.on.o.range;
    if (this.ctl) this.ctl.abort();
    this.ctl = new AbortController();
    try {
      const d = await get('/metrics/chart', { run: this.on.d.run || '-', name: this.m.name, unit: this.m.unit, shows: this.m.shows, by: this.by, lines: this.lines, from: range && range.from, to: range && range.to }, this.ctl.signal);
      this.chart = d;
      this.draw();
    } catch (e) {
      if (aborted(e)) return;
      this.stale = true;
      if (!this.plot) put(this.host, failed(e, () => this.load(true)));
    }
  }

  draw() {
    const chart = this.chart, list = this.rows = rows(chart), aligned = this.aligned = align(chart, list), [from, to] = this.on.range;
    const o = { chart, rows: list, aligned, from, to, width: this.width(), cursor: (i) => this.at(i), pick: (a, b) => this.on.pick(a, b) };
    if (!aligned.x.length) { this.nothing(); return; }
    if (this.plot) this.plot.set(o);
    else { put(this.host); this.plot = new Plot(this.host, o); }
    this.mark.hidden = !chart.metric.problems.length;
    say(this.mark, 'title', chart.metric.problems.join('\n'));
    say(this.name, 'title', [this.m.name, this.m.description, ...chart.metric.problems, ...chart.metric.notes].filter(Boolean).join('\n'));
    say(this.host, 'aria-label', this.words());
    this.drawLegend();
  }

  // nothing stands where the lines would be.
  nothing() {
    if (this.plot) this.plot.destroy();
    this.plot = null;
    this.cells = null;
    put(this.host, h('p.dim', null, 'No point in this stretch of time.'));
    put(this.legend);
  }

  width() { return Math.max(240, Math.floor(this.host.clientWidth)); }

  resize() { if (this.plot) this.plot.resize(this.width()); }

  value(v, r) {
    const m = this.chart.metric;
    return m.shows === 'distribution' ? atLeast(v, this.chart.top, m.unit) : quantity(v, m.unit, m.shows === 'rate');
  }

  drawLegend() {
    const n = this.chart.lines.length, more = this.chart.total - n, hidden = this.m.more;
    this.cells = this.rows.map(() => h('span.v'));
    put(this.legend, this.when = h('span.dim.when'), this.rows.map((r, i) => h('span.key', { title: r.label }, swatch(r, n), r.label ? h('span.cut', null, line(r.label)) : null, this.cells[i])),
      more > 0 ? (this.lines < ALL ? h('button.link', { onclick: () => { this.lines = ALL; this.load(true); } }, count(more) + ' more series') : h('span.dim', null, count(more) + ' more series')) : null,
      hidden ? h('span.warn', null, count(hidden) + (hidden === 1 ? ' series is' : ' series are') + ' not kept') : null);
    this.at(this.plot ? this.plot.index : null);
  }

  // at shows the values at an index, or the last ones.
  at(i) {
    if (!this.cells) return;
    this.rows.forEach((r, k) => {
      const v = i == null ? lastOf(r.values) : this.aligned.y[k][i];
      put(this.cells[k], v == null ? (i == null ? h('span.dim', null, 'unknown') : '') : qty(this.value(v, r)));
    });
    setText(this.when, i == null || this.aligned.x[i] == null ? '' : clock(this.aligned.x[i] * 1000));
  }

  words() { return this.m.name + ', ' + unitWords(this.m) + '. Last: ' + this.rows.map((r) => (r.label + ' ' + (lastOf(r.values) == null ? 'unknown' : plain(this.value(lastOf(r.values), r)))).trim()).join(', '); }

  table() {
    const m = this.chart.metric;
    return { title: m.name + (unitWords(m) ? ', ' + unitWords(m) : ''), head: ['time', ...this.rows.map((r) => line(r.label) || 'value')], rows: tableOf(this.rows, this.aligned, clock, (v, r) => (v == null ? '' : plain(this.value(v, r)))) };
  }

  // tell puts the sentences about odd points below the chart, or takes them away.
  tell() {
    if (this.said) { this.said.remove(); this.said = null; return; }
    this.said = h('ul.chartodd', null, [...this.chart.metric.problems, ...this.chart.metric.notes].map((p) => h('li', null, p)));
    this.legend.after(this.said);
  }

  close() {
    if (this.ctl) this.ctl.abort();
    if (this.plot) this.plot.destroy();
  }
}

// swatch is a piece of the line as it is drawn.
function swatch(r, lines) {
  const d = dash(r);
  return h('i.lineswatch' + (d.length ? (d[0] > 2 ? '.dashed' : '.dotted') : ''), { 'aria-hidden': 'true', style: { 'border-top-color': colour(r, lines) } });
}
