// Traces: any program's traces, one row each. The rollouts table without rollouts.

import { ListPage } from './list.js';
import { h, put, qty, setText } from '../dom.js';
import { count, duration, middle, plural, when } from '../format.js';
import { ms, now } from '../clock.js';
import * as glyph from '../glyph.js';
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

export class TracesPage extends ListPage {
  constructor(app, args, params) {
    super(app, params, {
      noun: 'trace', title: 'Traces', path: '/traces', placeholder: 'Filter traces: service:checkout-api dur>1s error:timeout text', compare: 'Compare', columns: COLUMNS,
      key: (r) => r.trace, url: (r) => '/traces/' + r.trace + '?at=' + r.at, comparison: (a, b) => 'a=' + a + '&b=' + b, small,
    });
    this.body = h('div.tablebox');
    this.el.classList.add('scroll', 'inphone');
    this.el.append(this.head, this.body);
  }

  show(d, live) {
    if (!d.matched && !this.q) { this.nothing(h('div.scroll', null, empty(this.app))); return; }
    setText(this.note, d.total == null || d.matched === d.total ? plural(d.matched, 'trace') + (d.total == null ? ' found' : ' stored, newest first') : count(d.matched) + ' of ' + plural(d.total, 'trace'));
    if (!d.rows.length) {
      this.drawn = false;
      this.none(null, (el) => put(this.body, el));
      return;
    }
    if (!this.drawn) { put(this.body, this.table.el); this.drawn = true; this.table.mount(); }
    this.table.set(d.rows, { total: d.matched, live });
  }

  update(d) {
    if (!d.status || (this.stored === d.status.store.newest && this.drawn)) return;
    this.stored = d.status.store.newest;
    this.soon(1000, () => this.load(true));
  }
}

function small(r) {
  return h('span.lines2', null, state(r), h('span.a.cut.mono', null, root(r)), h('span.b', null, r.duration_ns == null ? '' : qty(duration(r.duration_ns))), h('span.c.cut.dim', null, line(rollout(r) || r.service)), h('span.d.dim', null, when(ms(r.start), now())));
}
