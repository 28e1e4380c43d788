// Traces: any program's traces, one row each. The rollouts table without rollouts.

import { Page } from './page.js';
import { Table, outlines } from '../table.js';
import { Filter } from '../filter.js';
import { h, put, qty, setText } from '../dom.js';
import { count, duration, middle, plural, when } from '../format.js';
import { ms, now } from '../clock.js';
import { LISTS, command } from '../help.js';
import * as glyph from '../glyph.js';
import { noMatch, bestDrop, failed } from '../nothing.js';
import { aborted, Latest } from '../api.js';
import { copyText, toast } from '../toast.js';
import { line } from '../inert.js';
import { empty } from './empty.js';

const root = (r) => (r.root == null ? h('span.dim', null, 'no root received') : line(r.root));
const state = (r) => (r.errors ? glyph.cross(plural(r.errors, 'error')) : r.open ? glyph.ring('open') : glyph.dot(''));
const rollout = (r) => (r.rollout ? [r.rollout.env, r.rollout.task == null ? '' : 'task ' + r.rollout.task, r.rollout.attempt == null ? '' : 'attempt ' + r.rollout.attempt].filter(Boolean).join(' · ') : r.rollouts > 1 ? plural(r.rollouts, 'rollout') : '');

const COLUMNS = [
  { id: 'root', head: 'Root', sort: 'root', width: 'minmax(180px, 300fr)', text: (r) => r.root, cell: (r) => h('span.name', null, state(r), h('span.cut.mono', { title: r.root || '' }, root(r))) },
  { id: 'service', rank: 3, head: 'Service', sort: 'service', width: 'minmax(120px, 200fr)', text: (r) => r.service, cell: (r) => h('span.mid.cut', { title: r.service }, line(r.service)) },
  { id: 'rollout', rank: 2, head: 'Rollout', width: 'minmax(120px, 240fr)', text: rollout, cell: (r) => h('span.mid.cut', null, line(rollout(r))) },
  { id: 'run', rank: 4, head: 'Run', width: 'minmax(100px, 160fr)', text: (r) => r.run, cell: (r) => (r.run ? h('span.mid.cut', null, line(r.run)) : null) },
  { id: 'duration_ns', head: 'Duration', sort: 'dur', right: true, width: '110px', text: (r) => r.duration_ns, cell: (r) => (r.duration_ns == null ? h('span.dim', null, 'unknown') : qty(duration(r.duration_ns), r.open ? 'acc' : '')) },
  { id: 'spans', head: 'Spans', sort: 'spans', right: true, width: '84px', text: (r) => r.spans, cell: (r) => count(r.spans) },
  { id: 'errors', head: 'Errors', sort: 'errors', right: true, width: '70px', text: (r) => r.errors, cell: (r) => h('span', { class: r.errors ? 'err' : 'dim' }, count(r.errors)) },
  { id: 'services', rank: 5, head: 'Processes', right: true, width: '84px', text: (r) => r.services, cell: (r) => count(r.services) },
  { id: 'trace', rank: 6, head: 'Trace', mono: true, width: '130px', text: (r) => r.trace, cell: (r) => h('span.dim', { title: r.trace }, middle(r.trace)) },
  { id: 'start', head: 'Start', sort: 'started', first: 'arrow', right: true, width: '104px', text: (r) => new Date(ms(r.start)).toISOString(), cell: (r) => h('span.mid', null, when(ms(r.start), now())) },
];

export class TracesPage extends Page {
  constructor(app, args, params) {
    super(app);
    this.keys = [LISTS];
    this.ask = new Latest();
    this.q = params.get('q') || '';
    this.filter = new Filter({ placeholder: 'Filter traces: service:checkout-api dur>1s error:timeout text', for: 'traces', apply: (q) => { this.q = q; app.router.set({ q }); this.load(); }, leave: () => this.table.el.focus() });
    this.filter.set(this.q);
    this.note = h('span.note');
    this.head = h('div.head.runs', null, h('div.titleline', null, h('h1', null, 'Traces'), this.note, h('span.gap')), h('div.filterline', null, this.filter.el, h('button.btn', { onclick: () => this.compareMarked() }, 'Compare')));
    this.table = new Table({
      id: 'trace', label: 'Traces', columns: COLUMNS, key: (r) => r.trace, sort: params.get('sort') || '', open: (r) => app.go('/traces/' + r.trace + '?at=' + r.at),
      onSort: (s) => { app.router.set({ sort: s }); this.load(); }, mark: () => {}, more: () => this.more(), pending: (n) => this.pending(n), small,
    });
    this.body = h('div.tablebox');
    this.el.classList.add('scroll', 'inphone');
    this.el.append(this.head, this.body);
  }

  open() {
    this.app.title(['Traces']);
    this.app.top.show('/traces', [['Traces']]);
    put(this.body, outlines(COLUMNS));
    this.load();
  }

  params(p) {
    const q = p.get('q') || '';
    if (q === this.q) return;
    this.q = q;
    this.filter.set(q);
    this.load();
  }

  close() {
    super.close();
    this.ask.stop();
    this.table.unmount();
  }

  async load(live = false, q = this.q) {
    try {
      const d = await this.ask.get('/traces', { q, sort: this.table.o.sort });
      if (q === this.q) this.filter.complain('');
      this.next = d.next;
      if (!d.matched && !this.q) { this.head.hidden = true; this.drawn = false; put(this.body, h('div.scroll', null, empty(this.app))); return; }
      this.head.hidden = false;
      setText(this.note, d.total == null || d.matched === d.total ? plural(d.matched, 'trace') + (d.total == null ? ' found' : ' stored, newest first') : count(d.matched) + ' of ' + plural(d.total, 'trace'));
      if (!d.rows.length) { this.none(); return; }
      if (!this.drawn) { put(this.body, this.table.el); this.drawn = true; this.table.mount(); }
      this.table.set(d.rows, { total: d.matched, live });
    } catch (e) {
      if (aborted(e)) return;
      if (e.query) {
        this.filter.complain(e.what + (e.now ? ' ' + e.now : e.query.nearest ? ' Nearest: ' + e.query.nearest + '.' : ''), e.query);
        if (!this.drawn) await this.load(live, '');
      } else if (!live) { this.drawn = false; put(this.body, failed(e, () => this.load())); }
    }
  }

  async none() {
    this.drawn = false;
    const q = this.q, ask = async (x) => (await this.get('/traces', { q: x, limit: 1 })).matched;
    const [hint, all] = await Promise.all([bestDrop(q, ask).catch(() => null), ask('').catch(() => 0)]);
    if (q === this.q && !this.ctl.signal.aborted) put(this.body, noMatch('traces', all, q, (x) => { this.filter.set(x); this.filter.apply(); }, hint));
  }

  async more() {
    if (!this.next || this.loading) return;
    this.loading = true;
    await this.attempt(null, async () => {
      const d = await this.get('/traces', { q: this.q, sort: this.table.o.sort, cursor: this.next });
      this.next = d.next;
      this.table.append(d.rows);
    });
    this.loading = false;
  }

  pending(n) {
    if (this.chip) this.chip.remove();
    this.chip = n ? h('button.chip.run', { onclick: () => this.table.take() }, count(n) + ' new', h('kbd', null, '.')) : null;
    if (this.chip) this.note.after(this.chip);
  }

  takeUpdates() { return this.table.take(); }

  update(d) {
    if (!d.status || (this.stored === d.status.store.newest && this.drawn)) return;
    this.stored = d.status.store.newest;
    this.soon(1000, () => this.load(true));
  }

  compareMarked() {
    const m = [...this.table.marked];
    if (m.length === 2) this.app.go('/compare?a=' + m[0] + '&b=' + m[1]);
    else toast('Mark two traces first', 'Press Space on each of them, then c.');
  }

  key(e) {
    if (e.key === '/') { this.filter.focus(); return true; }
    if (e.key === 'c') { this.compareMarked(); return true; }
    if (e.key === 'Y') { copyText(this.table.tsv(), 'Table copied', plural(this.table.rows.length, 'row') + ' as tab-separated text.'); return true; }
    return this.drawn ? this.table.key(e) : false;
  }

  up() {
    if (!this.q) return false;
    this.filter.set('');
    this.filter.apply();
    return true;
  }

  command() { return command(this.q); }
}

function small(r) {
  return h('span.lines2', null, state(r), h('span.a.cut.mono', null, root(r)), h('span.b', null, r.duration_ns == null ? '' : qty(duration(r.duration_ns))), h('span.c.cut.dim', null, line(rollout(r) || r.service)), h('span.d.dim', null, when(ms(r.start), now())));
}
