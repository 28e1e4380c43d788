// Runs: what is running, how far, is anything wrong?

import { ListPage } from './list.js';
import { Table } from '../table.js';
import { h, put, qty } from '../dom.js';
import { count, duration, column, longest, percent, plural, rate, reward, three, unitFor, when } from '../format.js';
import { ms, now } from '../clock.js';
import { progress } from '../bars.js';
import { spark } from '../charts.js';
import * as glyph from '../glyph.js';
import { empty } from './empty.js';
import { line } from '../inert.js';

// whose lists the environments of a run; a run without rollouts has none, and is that of the programs that sent it.
const whose = (r) => (r.environments_total ? r.environments : r.services);
const environments = (r) => (r.environments_total > 1 ? plural(r.environments_total, 'environment') : whose(r).join(', '));

let unit = unitFor(1e9); // of the p95 column

const COLUMNS = [
  { id: 'run', head: 'Run', sort: 'name', width: 'minmax(246px, 292fr)', text: (r) => r.id, cell: (r) => h('span.name', null, glyph.state(r.state), h('span.cut.main', { title: r.id }, line(r.id)), r.note ? h('span.note.cut' + (r.state === 'failed' ? '.err' : '.dim'), null, line(r.note)) : null) },
  { id: 'environments', rank: 7, head: 'Environments', width: 'minmax(110px, 170fr)', text: (r) => whose(r).join(','), cell: (r) => h('span.mid.cut', { title: whose(r).join(', ') }, line(environments(r))) },
  { id: 'started', rank: 2, head: 'Started', sort: 'started', first: 'arrow', right: true, width: 'minmax(92px, 80fr)', text: (r) => new Date(ms(r.started)).toISOString(), cell: (r) => h('span.mid', null, when(ms(r.started), now())) },
  { id: 'progress', head: 'Progress', width: 'minmax(70px, 128fr)', cell: (r) => progress(r.rollouts) },
  { id: 'rollouts', head: 'Rollouts', sort: 'rollouts', right: true, width: '122px', text: (r) => r.rollouts.finished + '/' + (r.rollouts.total ?? 'unknown'), cell: (r) => [count(r.rollouts.finished), r.rollouts.total == null ? null : h('span.dim', null, ' / ' + count(r.rollouts.total))] },
  { id: 'failed', head: 'Failed', sort: 'failed', right: true, width: '60px', text: (r) => r.rollouts.failed, cell: (r) => h('span', { class: r.rollouts.failed ? 'err' : 'dim' }, count(r.rollouts.failed)) },
  { id: 'rate', rank: 4, head: 'Rate', sort: 'rate', right: true, width: '90px', text: (r) => r.rate_per_min, cell: (r) => qty(rate(r.rate_per_min, '/min')) },
  { id: 'over_time', rank: 8, head: 'Over time', width: '105px', cell: (r) => spark(r.over_time.counts) },
  { id: 'reward', rank: 3, head: 'Reward', sort: 'reward', right: true, width: '76px', text: (r) => r.reward_mean, cell: (r) => (r.reward_mean == null ? (r.rollouts.finished ? h('span.dim', null, 'none') : null) : reward(r.reward_mean, 3)) },
  { id: 'p95', rank: 5, head: 'p95 duration', sort: 'p95', right: true, width: '100px', text: (r) => r.p95_ns, cell: (r) => qty(column(r.p95_ns, unit)) },
  { id: 'spans', rank: 6, head: 'Spans', sort: 'spans', right: true, width: '90px', text: (r) => r.spans, cell: (r) => count(r.spans) },
  { id: 'groups', rank: 9, head: 'Groups', width: 'minmax(104px, 142fr)', mono: true, text: (r) => r.spec ?? r.groups.join(','), cell: (r) => h('span.cut.mid', { title: r.groups.join(', ') }, r.spec != null || r.groups.length === 1 ? line(r.spec ?? r.groups[0]) : plural(r.groups.length, 'group')) },
];

const SERVICES = [
  { id: 'service', head: 'Service', width: 'minmax(190px, 648fr)', text: (r) => r.service, cell: (r) => h('span.name', null, glyph.dot(''), h('span.cut.main', null, line(r.service))) },
  { id: 'runtime', rank: 4, head: 'Runtime', width: 'minmax(100px, 190fr)', text: (r) => r.runtime, cell: (r) => h('span.mid', null, r.runtime ? line(r.runtime) : '') },
  { id: 'traces', head: 'Traces', right: true, first: 'arrow', sort: 'traces', width: '130px', text: (r) => r.traces_per_min, cell: (r) => qty(rate(r.traces_per_min, '/min')) },
  { id: 'over_time', rank: 3, head: 'Over time', width: '125px', cell: (r) => spark(r.over_time.counts) },
  { id: 'spans', head: 'Spans', right: true, width: '90px', text: (r) => r.spans, cell: (r) => count(r.spans) },
  { id: 'errors', rank: 1, head: 'Errors', right: true, width: '84px', text: (r) => r.error_rate, cell: (r) => h('span', { class: r.error_rate ? 'err' : 'dim' }, qty(r.error_rate && r.error_rate < .1 ? [[three(r.error_rate * 100).slice(0, 4), '%']] : percent(r.error_rate))) },
  { id: 'p50', rank: 2, head: 'p50', right: true, width: '84px', text: (r) => r.p50_ns, cell: (r) => (r.p50_ns == null ? null : qty(duration(r.p50_ns))) },
  { id: 'p95', head: 'p95', right: true, width: '90px', text: (r) => r.p95_ns, cell: (r) => (r.p95_ns == null ? null : qty(duration(r.p95_ns))) },
];

export class RunsPage extends ListPage {
  constructor(app, args, params) {
    super(app, params, {
      noun: 'run', title: 'Runs', path: '/runs', placeholder: 'Filter runs: env:multi_step failed>0 reward<0.5 since:2d', compare: 'Compare runs', columns: COLUMNS,
      key: (r) => r.id, url: (r) => '/runs/' + encodeURIComponent(r.id), comparison: (a, b) => 'runs=1&a=' + encodeURIComponent(a) + '&b=' + encodeURIComponent(b), small,
    });
    this.services = new Table({ id: 'service', label: 'Programs without rollouts', unselected: true, columns: SERVICES, key: (r) => r.service, open: (r) => app.go('/traces?q=' + encodeURIComponent('service:' + r.service)), onSort: () => {}, small: smallService });
    this.body = h('div.scroll.stack');
    this.el.append(this.head, this.body);
  }

  close() {
    super.close();
    this.services.unmount();
  }

  async fetch(q) {
    const [d, s] = await Promise.all([super.fetch(q), this.get('/services').catch(() => ({ rows: [] }))]);
    return { ...d, services: s.rows };
  }

  show(d, live) {
    const services = d.services;
    if (!d.total && !services.length) { this.nothing(empty(this.app)); return; }
    const running = d.rows.filter((r) => r.state === 'running').length;
    this.note.textContent = d.matched === d.total ? plural(d.total, 'run').replace(/ runs?$/, '') + ' in the last ' + span(d.rows) + (running ? ', ' + count(running) + ' running' : '') : count(d.matched) + ' of ' + plural(d.total, 'run');
    if (!this.drawn) {
      put(this.body, this.table.el, this.below = h('section.under'));
      this.drawn = true;
      this.table.mount();
      this.services.mount();
    }
    unit = unitFor(longest(d.rows.map((r) => r.p95_ns)));
    this.table.el.hidden = !d.rows.length;
    this.table.set(d.rows, { total: d.matched, live });
    this.say(null);
    if (!d.rows.length && d.total) this.none(d.total, (el) => this.say(el));
    else if (!d.total) this.say(h('div.nothing', null, 'No rollout has been received. ', h('span.mono', null, 'gym demo'), ' makes 120.'));
    if (services.length) {
      if (!this.services.el.isConnected) {
        put(this.below, h('div.subhead', null, h('h2', null, 'Programs without rollouts'), h('span.note', null, 'any OpenTelemetry service; last hour')), this.services.el);
        this.services.mount();
      }
      this.services.set(services, { live });
    } else put(this.below);
  }

  // say puts a word above the tables, in the place of the last one.
  say(el) {
    if (this.said) this.said.remove();
    if (el) this.body.prepend(el);
    this.said = el;
  }

  update(d) {
    if (d.runs === null || d.runs.length) this.soon(250, () => this.load(true));
  }
}

// span says in words how far back the listed runs go.
function span(rows) {
  const first = Math.min(...rows.map((r) => ms(r.started)));
  const h = (now() - first) / 3600e3;
  if (!(h > 1)) return 'hour';
  return h < 36 ? Math.ceil(h) + ' hours' : Math.ceil(h / 24) + ' days';
}

function small(r) {
  return h('span.lines2', null, glyph.state(r.state), h('span.a', null, h('span.cut', null, line(r.id))), h('span.b', null, count(r.rollouts.finished) + (r.rollouts.total == null ? '' : ' / ' + count(r.rollouts.total))),
    h('span.c', null, progress(r.rollouts)), h('span.d' + (r.rollouts.failed ? '.err' : '.dim'), null, r.rollouts.failed ? count(r.rollouts.failed) + ' failed' : r.state));
}

function smallService(r) {
  return h('span.lines2', null, glyph.dot(''), h('span.a.cut', null, line(r.service)), h('span.b', null, qty(rate(r.traces_per_min, '/min'))), h('span.c', null, spark(r.over_time.counts)), h('span.d.dim', null, r.p95_ns == null ? '' : ['p95 ', qty(duration(r.p95_ns))]));
}

