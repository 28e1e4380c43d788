// Metrics of a run: the gym.* and gen_ai.* series, and whatever else was sent.

import { Page } from './page.js';
import { h, put, labelled } from '../dom.js';
import { clock, count } from '../format.js';
import { ms } from '../clock.js';
import { line } from '../inert.js';
import * as glyph from '../glyph.js';

export const CHARTS = ['Charts', [['j k ↓ ↑', 'move'], ['Home End', 'first, last'], ['drag', 'show a stretch of time'], ['0', 'all of the time']]];

// MetricsView shows the charts of a run, on the screen of their own and in a tab of the run.
export class MetricsView {
  // o: {page, run: its name or null for the one with the latest points, range, setRange(from, to), loaded(answer)}
  constructor(o) {
    this.o = o;
    this.el = h('div.chartpage');
  }

  // load gets the charts, and what draws them at the first time.
  async load() {
    if (!this.charts) {
      const { Charts } = await import('../metrics/charts.js');
      if (this.closed) return;
      this.charts = new Charts({ run: this.o.run, range: this.o.range, setRange: (a, b) => this.o.setRange(a, b), empty: (d) => this.empty(d) });
      put(this.el, this.charts.box);
    }
    const d = await this.charts.load();
    if (!this.closed && this.o.loaded) this.o.loaded(d);
  }

  setRange(range) {
    this.o.range = range;
    return this.charts ? this.charts.setRange(range).then((d) => { if (this.o.loaded) this.o.loaded(d); }) : null;
  }

  empty(d) {
    if (this.o.range) return h('div.nothing', null, 'No metric has a point in this stretch of time. ', h('button.link', { onclick: () => this.o.setRange(null, null) }, 'Show all of the time'));
    const other = d.runs.find((r) => r.run !== d.run);
    return h('div.nothing', null, h('p', null, d.run == null ? 'No metrics received yet. Lens is listening.' : 'No metrics of this run are stored.'),
      d.problem ? h('p.warn', null, d.problem) : null,
      ...this.how(),
      h('p', null, 'A run’s metrics are those whose resource has nemo.run.id.'),
      other ? h('p', null, h('a.link', { href: '/metrics?run=' + encodeURIComponent(other.run || '-') }, 'Metrics of ' + (other.run || 'programs without a run'))) : null);
  }

  // how says where metrics are taken.
  how() {
    const s = this.o.page.app.now, at = s && s.listening.find((l) => l.what.includes('HTTP'));
    if (!at) return [h('p', null, 'This viewer shows what is stored and receives nothing.')];
    return [h('p', null, 'Send them as you send spans. With an OpenTelemetry SDK:'), h('p.mono', null, 'OTEL_METRICS_EXPORTER=otlp OTEL_EXPORTER_OTLP_ENDPOINT=http://' + at.address.replace(/^https?:\/\//, ''))];
  }

  key(e) { return this.charts ? this.charts.key(e) : false; }

  tables() { return this.charts ? this.charts.tables() : []; }

  themed() { if (this.charts) this.charts.themed(); }

  close() {
    this.closed = true;
    if (this.charts) this.charts.close();
  }
}

// rangeOf reads a stretch of time from an address.
export function rangeOf(params) {
  const from = params.get('from'), to = params.get('to');
  return /^\d{1,19}$/.test(from || '') && /^\d{1,19}$/.test(to || '') ? { from, to } : null;
}

// Counter tells whether something of a signal has come since it was asked last.
export class Counter {
  // more is true when the count of a signal differs from the last time.
  more(d, signal) {
    if (!d.status) return false;
    const n = d.status[signal].stored + '/' + d.status[signal].received, before = this.n;
    this.n = n;
    return n !== before;
  }
}

export class MetricsPage extends Page {
  constructor(app, args, params) {
    super(app);
    this.runName = params.get('run') || '';
    this.range = rangeOf(params);
    this.keys = [CHARTS];
    this.counter = new Counter();
    this.header = h('div.head.metrics');
    this.body = h('div.tablebox');
    this.el.append(this.header, this.body);
  }

  open() {
    this.app.title(['Metrics', this.runName].filter(Boolean));
    this.app.top.show('/metrics', [['Metrics']]);
    put(this.header, h('div.titleline', null, h('h1', null, 'Metrics')));
    this.begin();
  }

  begin() {
    if (this.view) this.view.close();
    this.view = new MetricsView({ page: this, run: this.runName || null, range: this.range, setRange: (a, b) => this.setRange(a, b), loaded: (d) => this.draw(d) });
    put(this.body, this.view.el);
    this.attempt(this.body, () => this.view.load());
  }

  params(p) {
    const run = p.get('run') || '', range = rangeOf(p), moved = JSON.stringify(range) !== JSON.stringify(this.range);
    this.range = range;
    if (run !== this.runName) { this.runName = run; this.begin(); } else if (moved) this.view.setRange(range);
  }

  setRange(from, to) { this.params(this.app.router.set({ from, to }, false)); }

  draw(d) {
    const names = [...new Set([...(d.run == null ? [] : [d.run]), ...d.runs.map((r) => r.run)])];
    const points = d.rows.reduce((n, m) => n + m.points, 0), last = d.rows.reduce((n, m) => (n > m.last ? n : m.last), '');
    put(this.header,
      h('div.titleline', null, h('h1', null, 'Metrics'), names.length ? h('label.pick', null, h('select', { 'aria-label': 'Run', onchange: (e) => this.app.go('/metrics?run=' + encodeURIComponent(e.target.value || '-')) },
        names.map((r) => h('option', { value: r, selected: r === d.run }, line(r || 'programs without a run')))), glyph.chevron()) : null,
      this.range ? h('button.chip.run', { title: 'Show all of the time', onclick: () => this.setRange(null, null) }, clock(ms(this.range.from)) + ' to ' + clock(ms(this.range.to)), h('kbd', null, '0')) : null,
      h('span.gap'), h('button.btn', { onclick: () => this.app.copyLink() }, glyph.copy(), 'Copy link')),
      d.rows.length ? h('div.meta', null, labelled('metrics', count(d.total)), labelled('series', count(d.rows.reduce((n, m) => n + m.series, 0))), labelled('points', count(points)), labelled('last point', clock(ms(last)))) : null);
  }

  update(d) { if (this.counter.more(d, 'metrics')) this.soon(500, () => this.attempt(null, () => this.view.load())); }

  themed() { this.view.themed(); }

  close() { super.close(); this.view.close(); }

  key(e) { return this.view.key(e); }

  above() { return this.runName && this.runName !== '-' ? '/runs/' + encodeURIComponent(this.runName) : '/runs'; }

  tables() { return this.view.tables(); }
}
