// Groups: what does each group emit, what could go?

import { Page } from './page.js';
import { h, put, qty, labelled } from '../dom.js';
import { bytes, count, duration, percent, rate } from '../format.js';
import { spark } from '../charts.js';
import { line } from '../inert.js';
import * as glyph from '../glyph.js';
import { copyTable } from '../copying.js';
import { LISTS, command } from '../help.js';
import { quote } from '../query.js';

// ORDER gives groups their colours; others follow by their place.
const ORDER = ['job', 'server', 'http_client', 'rollout', 'startup', 'agent', 'model_call', 'verify'];

function groupColour(name, at = 0) {
  const i = ORDER.indexOf(name);
  return 'var(--c' + (i >= 0 ? i + 1 : at % 8 + 1) + ')';
}

const title = (g) => (g.group === '' ? 'no group' : line(g.group));
const HEADS = [['Group', ''], ['Namespace', ''], ['Spans', 'r'], ['Share', 'r'], ['Over time', ''], ['Last 10 s', 'r'], ['Bytes', 'r'], ['Share of bytes', ''], ['p50', 'r'], ['p95', 'r'], ['p99', 'r'], ['Errors', 'r'], ['Names', 'r']];

// GroupsTable is the table of groups, each opening into its names.
export class GroupsTable {
  constructor(page, run) {
    this.page = page;
    this.run = run;
    this.open = new Set();
    this.names = new Map();
    this.at = 0;
    this.el = h('div.table.gtable', { role: 'treegrid', tabindex: 0, 'aria-label': 'Groups' });
    this.el.addEventListener('click', (e) => { const r = e.target.closest('.row'); if (r && r.dataset.i) { this.at = Number(r.dataset.i); this.toggle(); } });
  }

  async load() {
    this.d = await this.page.get('/groups', { run: this.run });
    this.draw();
  }

  async toggle() {
    const g = this.lines[this.at];
    if (!g || g.name) return;
    if (!this.open.delete(g.group)) {
      this.open.add(g.group);
      if (!this.names.has(g.group)) this.names.set(g.group, (await this.page.get('/names', { run: this.run, group: g.group || '""', limit: 50 })).rows);
    }
    this.draw();
  }

  draw() {
    const d = this.d, top = Math.max(...d.rows.map((g) => g.byte_share), 1e-9);
    this.lines = [];
    const rows = [];
    d.rows.forEach((g, k) => {
      rows.push(this.row(g, g, top, false, [k + 1, d.rows.length + 1]));
      const names = this.open.has(g.group) && this.names.get(g.group) || [];
      names.forEach((n, m) => rows.push(this.row(n, g, top, true, [m + 1, names.length])));
    });
    put(this.el, h('div.thead', { role: 'row' }, HEADS.map(([t, r]) => h('span.th' + (r ? '.r' : '') + (t === 'Share of bytes' ? '.on' : ''), { role: 'columnheader' }, t, t === 'Share of bytes' ? h('span.arrow', null, '↓') : null))),
      h('div.tbody', null, rows, d.rows.length ? this.total(d) : h('div.nothing', null, 'No spans of this run are stored.')));
  }

  row(x, g, top, isName, [pos, size]) {
    const i = this.lines.push(x) - 1, open = this.open.has(g.group);
    const t = (v) => (v == null ? (isName || g.spans === 0 ? null : h('span.dim', null, 'open')) : qty(duration(v)));
    const cells = isName
      ? [h('span.name.sub.mono.cut', { title: x.name }, line(x.name)), '', count(x.spans), qty(percent(x.span_share)), '', '', qty(bytes(x.bytes)), share(x, top, true), t(x.p50_ns), t(x.p95_ns), t(x.p99_ns), errors(x.errors), '']
      : [h('span.name.mono', null, h('span.chev' + (open ? '.open' : ''), { 'aria-hidden': 'true' }, glyph.chevron()), title(g)), line(g.namespace || ''), count(g.spans), qty(percent(g.span_share)), spark(g.over_time.counts, 94), g.per_s ? qty(rate(g.per_s, '/s')) : h('span.dim', null, '0'), qty(bytes(g.bytes)), share(g, top, false), t(g.p50_ns), t(g.p95_ns), t(g.p99_ns), errors(g.errors), count(g.names)];
    return h('div.row', { role: 'row', 'aria-level': isName ? 2 : 1, 'aria-posinset': pos, 'aria-setsize': size, 'aria-expanded': isName ? null : String(open), 'aria-selected': String(i === this.at), data: { i } }, cells.map((c, k) => h('span.td' + (HEADS[k][1] ? '.r' : ''), { role: 'gridcell' }, c)));
  }

  total(d) {
    const cells = [h('b.name', null, count(d.rows.length) + ' groups'), '', count(d.total.spans), qty([['100.0', '%']]), '', d.total.per_s ? qty(rate(d.total.per_s, '/s')) : h('span.dim', null, '0'), qty(bytes(d.total.bytes)), h('span.share', null, h('span'), qty([['100.0', '%']])), '', '', '', errors(d.total.errors), count(d.total.names)];
    return h('div.row.sum', { role: 'row', 'aria-level': 1, 'aria-posinset': d.rows.length + 1, 'aria-setsize': d.rows.length + 1 }, cells.map((c, k) => h('span.td' + (HEADS[k][1] ? '.r' : ''), { role: 'gridcell' }, c)));
  }

  key(e) {
    const go = (i) => { this.at = Math.max(0, Math.min(this.lines.length - 1, i)); this.draw(); this.el.querySelector('[aria-selected="true"]').scrollIntoView({ block: 'nearest' }); return true; };
    if (!this.lines) return false;
    switch (e.key) {
      case 'j': case 'ArrowDown': return go(this.at + 1);
      case 'k': case 'ArrowUp': return go(this.at - 1);
      case 'Home': return go(0);
      case 'End': return go(this.lines.length - 1);
      case 'Enter': case 'l': case 'h': this.toggle(); return true;
      case 'Y': copyTable(this.data()); return true;
      default: return false;
    }
  }

  data() { return { heads: ['group', 'name', 'spans', 'bytes', 'p50_ns', 'p95_ns', 'p99_ns', 'errors'], rows: this.lines.map((r) => [r.group, r.name, r.spans, r.bytes, r.p50_ns, r.p95_ns, r.p99_ns, r.errors]) }; }
}

function share(x, top, sub) { return h('span.share', null, h('span.track', null, h('i', { class: sub ? 'sub' : '', style: { width: Math.max(.6, x.byte_share / top * 100) + '%' } })), qty(percent(x.byte_share))); }

function errors(n) { return h('span', { class: n ? 'err' : 'dim' }, count(n)); }

export class GroupsPage extends Page {
  constructor(app, args, params) {
    super(app);
    this.runName = params.get('run') || '';
    this.keys = [LISTS];
    this.header = h('div.head.groups');
    this.table = new GroupsTable(this, this.runName || null);
    this.box = h('div.tablebox.scroll', null, this.table.el);
    this.el.append(this.header, this.box);
  }

  open() {
    this.app.title(['Groups', this.runName].filter(Boolean));
    this.app.top.show('/groups', [['Groups']]);
    put(this.header, h('div.titleline', null, h('h1', null, 'Groups')));
    this.attempt(this.box, async () => { await this.table.load(); this.draw(); if (!this.table.el.isConnected) put(this.box, this.table.el); });
    this.get('/runs', { limit: 50 }).then((d) => { this.runs = d.rows.map((r) => r.id); this.draw(); }).catch(() => {});
  }

  params(p) {
    const run = p.get('run') || '';
    if (run === this.runName) return;
    this.runName = run;
    this.table.run = run || null;
    this.table.names.clear();
    this.table.open.clear();
    this.attempt(this.box, async () => { await this.table.load(); this.draw(); });
  }

  draw() {
    const d = this.table.d;
    if (!d) return;
    const runs = [...new Set([this.runName, ...(this.runs || [])].filter(Boolean))];
    put(this.header,
      h('div.titleline', null, h('h1', null, 'Groups'), h('label.pick', null, h('select', { 'aria-label': 'Run', onchange: (e) => { this.app.go('/groups' + (e.target.value ? '?run=' + encodeURIComponent(e.target.value) : '')); } }, h('option', { value: '' }, 'everything stored'), runs.map((r) => h('option', { value: r, selected: r === this.runName }, line(r)))), glyph.chevron()), h('span.gap'), h('button.btn', { onclick: () => this.app.copyLink() }, glyph.copy(), 'Copy link')),
      h('div.meta', null, labelled('spans', count(d.spans)), labelled('on the wire', qty(bytes(d.bytes))), d.stored_bytes == null ? null : labelled('on disk', qty(bytes(d.stored_bytes))),
        d.bytes_per_rollout == null || !d.rollouts ? null : labelled('per rollout', qty(bytes(d.bytes_per_rollout))), labelled('groups', count(d.rows.length)), d.open == null ? null : labelled('spans still open', count(d.open))),
      h('div.sharebar', { 'aria-hidden': 'true' }, d.rows.map((g, i) => h('i', { style: { 'flex-grow': String(g.byte_share), background: groupColour(g.group, i) } }))),
      h('div.legend', null, h('span.dim', null, 'share of bytes'), d.rows.map((g, i) => h('span', null, h('span.sq', { style: { background: groupColour(g.group, i) } }), h('span.mono', null, title(g)), qty(percent(g.byte_share))))));
  }

  update(d) {
    if (d.runs === null || (this.runName ? d.runs.includes(this.runName) : d.runs.length)) {
      this.soon(1000, () => this.attempt(null, async () => { await this.table.load(); this.draw(); }));
    }
  }

  key(e) { return this.table.key(e); }

  above() { return this.runName ? '/runs/' + encodeURIComponent(this.runName) : '/runs'; }

  command() { return command(this.runName ? 'run:' + quote(this.runName) : ''); }
}
