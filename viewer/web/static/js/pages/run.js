// One run: why is it not faster, what failed, is the reward moving? With its tasks: which attempts disagree?

import { Page } from './page.js';
import { Table, outlines } from '../table.js';
import { Filter } from '../filter.js';
import { h, put, qty, labelled, setText } from '../dom.js';
import { clock, count, countdown, difference, duration, longest, percent, plural, rate, reward, column, columnDifference, since, text, unitFor, when, whole } from '../format.js';
import { ms, now, sinceInstant, between } from '../clock.js';
import { PARTS, split, swatch, progress, legend } from '../bars.js';
import { rewards, durations, term } from '../charts.js';
import { LISTS, command, commands, shell, terminal } from '../help.js';
import { quote } from '../query.js';
import * as glyph from '../glyph.js';
import { noMatch, bestDrop, failed } from '../nothing.js';
import { aborted, Latest } from '../api.js';
import { toast } from '../toast.js';
import { copyTable } from '../copying.js';
import { phone } from '../media.js';
import { line } from '../inert.js';
import { GroupsTable } from './groups.js';
import { CHARTS, Counter, MetricsView, rangeOf } from './metrics.js';
import { RunLogs } from '../runlogs.js';

const scaleWords = (ns) => '0 to ' + text([[String(ns / 1e9), 's']]);
const timed = (r) => r.parts_ns && r.total_ns;

function columns(page) {
  return [
    { id: 'env', head: 'Environment', sort: 'env', first: true, width: 'minmax(186px, 200fr)', text: (r) => r.env, cell: (r) => h('span.name', null, glyph.state(r.state), h('span.cut', { title: r.env }, line(r.env || r.agent || r.id))) },
    { id: 'task', head: 'Task', sort: 'task', right: true, width: '62px', text: (r) => r.task, cell: (r) => count(r.task) },
    { id: 'attempt', head: 'Attempt', sort: 'attempt', right: true, width: '60px', text: (r) => r.attempt, cell: (r) => (r.attempt == null ? null : [count(r.attempt), h('span.mid', null, '/' + count(r.attempts ?? r.attempt)), r.retry ? h('span.dim', null, ' retry ' + r.retry) : null]) },
    { id: 'reward', head: 'Reward', sort: 'reward', right: true, width: '78px', text: (r) => r.reward, cell: (r) => glyph.reward(r.reward) },
    { id: 'outcome', head: 'Outcome', width: 'minmax(156px, 170fr)', text: (r) => (r.state === 'failed' ? r.failure || 'failed' : r.state), cell: outcome },
    { id: 'duration_ns', head: 'Duration', sort: 'dur', first: 'arrow', right: true, width: '94px', text: (r) => r.duration_ns, cell: (r) => dur(r, page.unit) },
    { id: 'parts_ns', rank: 1, head: () => ['Time, ' + scaleWords(page.scale) + ', › is longer'], width: 'minmax(150px, 364fr)', text: (r) => (r.parts_ns || []).join(' '), cell: (r) => (timed(r) ? split(r.parts_ns, r.total_ns, page.scale) : null) },
    { id: 'turns', rank: 4, head: 'Turns', sort: 'turns', right: true, width: '62px', text: (r) => r.turns, cell: (r) => count(r.turns) },
    { id: 'calls', rank: 5, head: 'Tools', sort: 'calls', right: true, width: '62px', text: (r) => r.tool_calls, cell: (r) => count(r.tool_calls) },
    { id: 'tok.in', rank: 6, head: 'Tok in', sort: 'tok.in', right: true, width: '76px', text: (r) => r.tokens_in, cell: (r) => count(r.tokens_in) },
    { id: 'tok.out', rank: 7, head: 'Tok out', sort: 'tok.out', right: true, width: '78px', text: (r) => r.tokens_out, cell: (r) => count(r.tokens_out) },
    { id: 'spans', rank: 8, head: 'Spans', sort: 'spans', right: true, width: '66px', text: (r) => (r.trace ? r.spans : null), cell: (r) => (r.trace ? count(r.spans) : null) },
    { id: 'started', rank: 9, head: 'Started', sort: 'started', right: true, width: '82px', text: (r) => r.started, cell: (r) => (r.since_run_ns == null ? null : h('span.mid', { title: clock(ms(r.started)) }, since(r.since_run_ns))) },
  ];
}

// word is what became of a rollout.
function word(r) {
  if (r.state === 'failed') return h('span.err.cut', { title: r.message || r.failure }, line(r.failure || 'failed'));
  return h('span', { class: r.state === 'running' ? 'acc' : r.state === 'waiting' ? 'dim' : '' }, r.state);
}

// outcome has the notable beside the word.
function outcome(r) {
  if (r.state === 'failed') return word(r);
  const more = r.tool_calls >= 100 && r.state === 'running' ? plural(r.tool_calls, 'tool call') : '';
  return [word(r), more ? h('span.dim', null, ' ' + more) : null, r.truncated ? h('span.cutmark', { title: plural(r.truncated, 'span') + ' truncated' }, glyph.truncated(plural(r.truncated, 'span') + ' truncated')) : null];
}

// dur is a rollout's duration in the column's seconds; a running one goes on.
function dur(r, unit) {
  if (r.duration_ns == null) return null;
  const q = column(r.state === 'running' && !r.guessed ? Math.max(r.duration_ns, sinceInstant(r.started)) : r.duration_ns, unit);
  if (r.guessed) q[0][0] = '≥ ' + q[0][0];
  if (r.state !== 'running') return qty(q);
  const el = qty(q, 'acc');
  if (!r.guessed) el.dataset.since = r.started;
  return el;
}

// goOn counts on the durations of what runs, in place.
function goOn(el, unit) {
  for (const q of el.querySelectorAll('[data-since]')) {
    const [[n]] = column(sinceInstant(q.dataset.since), unit);
    if (q.firstChild.data === n) continue;
    q.firstChild.data = n;
    q.setAttribute('aria-label', n + ' ' + unit.unit);
  }
}

const VERDICTS = { disagree: 'attempts disagree', zero: 'score 0', pass: 'pass', equal: 'alike', open: 'not finished' };

function verdict(t) {
  if (t.verdict === 'failed') { const f = t.attempts.find((a) => a.state === 'failed'); return h('span.err.cut', null, line(f && f.failure || 'failed')); }
  const word = VERDICTS[t.verdict], n = t.attempts_total;
  if (t.verdict === 'open') return h('span.dim', null, word);
  if (t.verdict === 'disagree') return h('span.strong', null, word);
  return (n === 2 ? 'both ' : n > 2 ? 'all ' : '') + (n < 2 ? { zero: 'scores 0', pass: 'passes', equal: 'scored' }[t.verdict] : word);
}

function taskColumns(page, d) {
  const many = new Set(d.rows.map((r) => r.env)).size > 1, n = Math.min(d.columns, 4);
  const cols = [
    many && { id: 'env', head: 'Environment', sort: 'env', width: 'minmax(150px, 150fr)', text: (r) => r.env, cell: (r) => h('span.cut', { title: r.env }, line(r.env)) },
    { id: 'task', head: 'Task', sort: 'task', width: '54px', text: (r) => r.task, cell: (r) => count(r.task) },
    { id: 'attempts', head: 'Attempts', sort: 'state', first: 'arrow', width: 'minmax(150px, 170fr)', text: (r) => r.verdict, cell: verdict },
  ];
  for (let k = 0; k < n; k++) {
    const a = (r) => r.attempts[k];
    cols.push(
      { id: 'state' + (k + 1), rank: 4, head: h('span.vh', null, 'State ' + (k + 1)), right: true, width: '44px', text: (r) => a(r) && a(r).state, cell: (r) => a(r) && glyph.state(a(r).state) },
      { id: 'reward' + (k + 1), head: 'Reward', right: true, width: '72px', text: (r) => a(r) && a(r).reward, cell: (r) => a(r) && glyph.reward(a(r).reward) },
      { id: 'duration' + (k + 1), head: 'Duration', right: true, width: '88px', text: (r) => a(r) && a(r).duration_ns, cell: (r) => a(r) && dur(a(r), page.unit) },
      { id: 'time' + (k + 1), rank: 1, head: 'Attempt ' + (k + 1) + ', ' + scaleWords(page.taskScale), width: 'minmax(90px, 300fr)', cell: (r) => a(r) && timed(a(r)) ? split(a(r).parts_ns, a(r).total_ns, page.taskScale) : null });
  }
  cols.push({ id: 'mean', rank: 2, head: 'Mean', sort: 'mean', right: true, width: '70px', text: (r) => r.mean, cell: (r) => reward(r.mean) });
  if (d.columns === 2) cols.push({ id: 'difference', rank: 3, head: '2 minus 1', sort: 'difference', right: true, width: '96px', text: (r) => r.difference_ns, cell: (r) => qty(columnDifference(r.difference_ns, page.unit)) });
  return cols.filter(Boolean);
}

export class RunPage extends Page {
  constructor(app, [run], params) {
    super(app);
    this.run = run;
    this.keys = [LISTS, CHARTS];
    this.points = new Counter();
    this.records = new Counter();
    this.q = params.get('q') || '';
    this.tab = params.get('tab') || 'rollouts';
    this.scale = this.taskScale = 1e9;
    this.unit = unitFor(1e9);
    this.askHead = new Latest();
    this.askTable = new Latest();
    this.header = h('div.head.run');
    this.panels = h('div.panels');
    this.tabs = h('div.tabs', { role: 'tablist', 'aria-label': 'Parts of the run' });
    this.tabSelect = h('label.tabselect');
    this.matches = h('span.matches');
    this.filter = new Filter({ placeholder: 'reward<0.5  env:multi_step  dur>2s  outcome:failed  text', for: 'rollouts', run, apply: (q) => this.setQuery(q), leave: () => this.table && this.table.el.focus() });
    this.filter.set(this.q);
    this.body = h('div.tablebox');
    this.scroll = h('div.page.scroll.inphone', null, this.header, this.panels, h('div.tabline', null, this.tabs, this.filter.el, this.tabSelect, this.matches), this.body);
    this.el.append(this.scroll);
    this.resize = new ResizeObserver(() => this.drawDuration());
  }

  open() {
    this.app.title([this.run]);
    this.app.top.show('/runs', [['Runs', '/runs'], [this.run]]);
    put(this.header, h('div.titleline', null, h('h1', null, line(this.run))));
    this.showTab();
    this.loadHead();
    this.timer = setInterval(() => this.tick(), 250);
  }

  close() {
    super.close();
    this.askHead.stop();
    this.askTable.stop();
    clearInterval(this.timer);
    this.resize.disconnect();
    if (this.part) this.part.close();
    if (this.table) this.table.unmount();
  }

  params(p) {
    const q = p.get('q') || '', tab = p.get('tab') || 'rollouts';
    if (q !== this.q) { this.q = q; this.filter.set(q); this.loadHead(); this.loadTable(); }
    if (tab !== this.tab) { this.tab = tab; this.showTab(); }
  }

  setQuery(q) {
    this.q = q;
    this.app.router.set({ q });
    this.loadHead();
    this.loadTable();
  }

  get path() { return '/runs/' + encodeURIComponent(this.run); }

  // a query that the server does not take changes nothing that is shown; at first everything is shown instead.
  async loadHead(live = false, q = this.q) {
    try {
      const d = await this.askHead.get(this.path, { q });
      if (q === this.filter.query) this.filter.complain('');
      this.d = d;
      this.drawHead();
      this.drawPanels();
      this.drawTabs();
    } catch (e) {
      if (aborted(e)) return;
      if (e.query) {
        this.filter.refuse(e);
        if (!this.d) await this.loadHead(live, '');
        return;
      }
      if (!live) { put(this.panels); put(this.header, failed(e, () => this.loadHead())); this.el.classList.add('broken'); }
    }
  }

  drawHead() {
    const r = this.d.run, ro = r.rollouts;
    this.el.classList.remove('broken');
    this.running = h('span.chip.run');
    const state = r.state === 'running' ? this.running : r.state === 'failed' ? h('span.chip.plain.err', null, line(r.note || 'failed')) : r.note ? h('span.chip.warn', null, glyph.warning(''), line(r.note)) : null;
    const tokens = r.tokens_in == null && r.tokens_out == null ? null : labelled('tokens', count(r.tokens_in) + ' in, ' + count(r.tokens_out) + ' out');
    put(this.header,
      h('div.titleline', null, h('h1', null, glyph.state(r.state), h('span.cut', null, line(r.id))), state, h('span.gap'),
        h('span.acts', null, h('button.btn', { onclick: () => this.compareRun() }, 'Compare…'), h('button.btn', { onclick: () => this.exports() }, 'Export'), h('button.btn', { onclick: () => this.app.copyLink() }, glyph.copy(), 'Copy link'))),
      h('div.meta', null,
        labelled('started', started(r.started)), r.state === 'running' || r.last == null ? null : labelled('took', qty(duration(between(r.started, r.last)))),
        labelled('processes', count(r.processes)), labelled('groups', h('span.mono', null, line(r.spec ?? r.groups.join(',')))),
        r.concurrency == null ? null : labelled('concurrency', count(r.concurrency)), r.tasks ? labelled('tasks', count(r.tasks) + ' × ' + plural(r.attempts, 'attempt')) : null,
        labelled('spans', count(r.spans)), tokens, r.truncated ? h('span.warn', null, plural(r.truncated, 'span') + ' truncated') : null),
      progress(ro, '.big'),
      h('div.legend', null,
        h('span', null, h('b', null, count(ro.finished)), ro.total == null ? ' finished' : ' of ' + count(ro.total) + ' finished'), legend(ro), h('span.gap'),
        r.rate_per_min == null ? null : qty(rate(r.rate_per_min, phone.matches ? '/min' : 'rollouts/min')),
        r.left_ns == null ? null : h('span', null, 'about ', qty(whole(r.left_ns)), ' left')));
    this.tick();
  }

  // tick counts on what runs.
  tick() {
    if (this.app.live.paused) return;
    goOn(this.body, this.unit);
    if (this.running && this.d && this.d.run.state === 'running') setText(this.running, 'running ' + countdown(sinceInstant(this.d.run.started)));
  }

  drawPanels() {
    const d = this.d;
    put(this.panels, this.timePanel(d), h('section.panel', null, h('h2', null, 'Reward', h('span.note', null, count(d.reward.n) + ' scored')), d.reward.n ? rewards(d.reward, (a, b) => this.filter.add('reward:' + a + '..' + b)) : h('p.dim', null, d.filtered ? 'Nothing is scored among these.' : 'Nothing is scored yet.')),
      h('section.panel', null, h('h2', null, 'Duration', h('span.note', null, count(d.duration.n) + ' finished, log scale')), this.chart = h('div')), this.phoneFigures(d));
    this.resize.disconnect();
    this.resize.observe(this.chart);
    this.drawDuration();
  }

  drawDuration() {
    if (!this.d || !this.chart) return;
    const w = Math.floor(this.chart.clientWidth) || 300;
    if (w === this.chartWidth && this.chart.firstChild) return;
    this.chartWidth = w;
    put(this.chart, durations(this.d.duration, w, (a, b) => this.filter.add(term('dur', a, b))));
  }

  timePanel(d) {
    const rows = d.time.rows, n = d.time.n;
    const note = 'mean of ' + count(n) + ' finished ' + (n === 1 ? 'rollout' : 'rollouts') + (d.filtered ? ', filtered' : '');
    if (!n) return h('section.panel', null, h('h2', null, 'Where the time goes'), h('p.dim', null, 'No rollout has finished' + (d.filtered ? ' among these.' : ' yet.')));
    const all = rows[0], envs = rows.slice(1), one = envs.length === 1;
    const widest = Math.max(...rows.map((r) => r.total_ns)), u = unitFor(widest);
    const draw = (r, name, cls) => h('div.trow' + cls, null, h('span.cut', { title: name }, line(name)), h('span.n', null, count(r.n)), h('span.track', null, split(r.parts_ns, r.total_ns, widest)), h('span.v', null, qty(widest >= 60e9 ? duration(r.total_ns) : column(r.total_ns, u))));
    return h('section.panel.time', null, h('h2', null, 'Where the time goes', h('span.note', null, note), h('span.total', null, qty(column(all.total_ns, u)))),
      h('div.trows', null, one ? draw(envs[0], envs[0].env, '.all') : [draw(all, envs.length ? 'all environments' : 'all', '.all'), envs.slice(0, 3).map((r) => draw(r, r.env, ''))],
        envs.length > 3 ? h('div.trow.more', null, h('button.link', { onclick: () => this.app.help() }, 'and ' + plural(envs.length - 3, 'environment') + ' more')) : null),
      h('div.parts', null, PARTS.map(([id, name], k) => h('span', null, h('span.l', null, swatch(id), name), h('span.f', null, qty(percent(all.parts_ns[k] / all.total_ns), 'p'), qty(column(all.parts_ns[k], u), 'd'))))));
  }

  phoneFigures(d) {
    const all = d.reward.rows.find((r) => r.env == null) || d.reward.rows[0], u = unitFor(d.duration.max_ns), f = (label, v) => h('span', null, h('span.lab', null, label), v);
    return h('section.figs', null, f('reward', all && all.mean != null ? reward(all.mean, 3) : ''), f('p50', qty(column(d.duration.p50_ns, u))), f('p95', qty(column(d.duration.p95_ns, u))), f('longest', qty(column(d.duration.max_ns, u))));
  }

  drawTabs() {
    const c = this.d ? this.d.counts : {};
    const list = [['rollouts', 'Rollouts', c.rollouts], ['tasks', 'Tasks', c.tasks], ['groups', 'Groups', c.groups], ['metrics', 'Metrics', c.metrics], ['logs', 'Logs', c.logs]];
    put(this.tabs, list.map(([id, name, n], i) => h('button.tab', { role: 'tab', 'aria-selected': String(id === this.tab), title: String(i + 1), onclick: () => this.setTab(id) }, name, n == null ? null : h('span.n', null, count(n)))));
    put(this.tabSelect, h('select', { 'aria-label': 'Part of the run', onchange: (e) => this.setTab(e.target.value) }, list.map(([id, name]) => h('option', { value: id, selected: id === this.tab }, name))), glyph.chevron());
  }

  setTab(id) {
    if (id === this.tab) return;
    this.tab = id;
    this.app.router.set({ tab: id === 'rollouts' ? null : id, sort: null, from: null, to: null, level: null, text: null });
    this.showTab();
  }

  showTab() {
    this.drawTabs();
    if (this.table) this.table.unmount();
    this.table = null;
    if (this.part) this.part.close();
    this.part = null;
    this.waits(0);
    const params = new URLSearchParams(location.search);
    this.filter.el.hidden = ['groups', 'metrics', 'logs'].includes(this.tab);
    if (this.filter.el.hidden) setText(this.matches, '');
    if (this.tab === 'metrics') { this.showMetrics(params); return; }
    if (this.tab === 'logs') { this.showLogs(params); return; }
    if (this.tab === 'groups') {
      this.groups = new GroupsTable(this, this.run);
      put(this.body, this.groups.el);
      this.attempt(this.body, () => this.groups.load());
      return;
    }
    const tasks = this.tab === 'tasks';
    this.cols = tasks ? taskColumns(this, { rows: [], columns: 2 }) : columns(this);
    this.table = new Table({
      id: tasks ? 'task' : 'rollout', label: tasks ? 'Tasks' : 'Rollouts', columns: this.cols, sort: params.get('sort') || '',
      key: tasks ? (r) => r.env + '/' + r.task : (r) => [r.env, r.agent, r.task, r.attempt, r.retry, r.id].join('/'),
      open: (r) => this.openRow(r), onSort: (s) => { this.app.router.set({ sort: s }); this.loadTable(); }, mark: () => {}, more: () => this.grow(this.table, this.tablePath, { q: this.q, sort: this.table.o.sort }), pending: (n) => this.waits(n, this.matches),
      small: tasks ? (r) => smallTask(r, this.taskScale) : (r) => small(r, this.scale, this.unit),
    });
    put(this.body, outlines(this.cols));
    this.shown = false;
    this.loadTable();
  }

  showMetrics(params) {
    this.part = new MetricsView({ page: this, run: this.run, range: rangeOf(params), setRange: (from, to) => { this.app.router.set({ from, to }); this.part.setRange(from ? { from, to } : null); } });
    put(this.body, this.part.el);
    this.attempt(this.body, () => this.part.load());
  }

  showLogs(params) {
    this.part = new RunLogs({ run: this.run, level: params.get('level') || '', text: params.get('text') || '', set: (p) => this.app.router.set(p), fresh: (n) => this.waits(n, this.matches) });
    put(this.body, this.part.el);
    this.part.load();
  }

  get tablePath() { return this.path + (this.tab === 'tasks' ? '/tasks' : '/rollouts'); }

  async loadTable(live = false, q = this.q) {
    if (!this.table) return;
    const table = this.table;
    try {
      const d = await this.askTable.get(this.tablePath, { q, sort: table.o.sort });
      if (table !== this.table || this.ctl.signal.aborted) return;
      if (q === this.filter.query) this.filter.complain('');
      this.showTable(d, live);
    } catch (e) {
      if (aborted(e)) return;
      if (e.query) {
        this.filter.refuse(e);
        if (!this.shown) await this.loadTable(live, '');
      } else if (!live) put(this.body, failed(e, () => this.loadTable()));
    }
  }

  showTable(d, live) {
    this.next = d.next;
    if (!live || d.rows.length > 1) this.unit = unitFor(longest(this.tab === 'tasks' ? d.rows.flatMap((r) => r.attempts.map((a) => a.duration_ns)) : d.rows.map((r) => r.duration_ns)));
    if (this.tab === 'tasks') {
      this.taskScale = d.scale_ns;
      if (!this.shown || !live) this.table.setColumns(taskColumns(this, d));
    } else if (d.scale_ns !== this.scale) { this.scale = d.scale_ns; this.table.drawHead(); }
    if (!d.rows.length) { this.empty(d.total); return; }
    if (!this.shown || !this.table.el.isConnected) { put(this.body, this.table.el); this.shown = true; this.table.mount(); }
    this.table.set(d.rows, { total: d.matched, live });
    this.describe(d);
  }

  describe(d) {
    if (this.tab === 'tasks') {
      const n = d.columns;
      setText(this.matches, (d.matched === d.total ? plural(d.total, 'task') : count(d.matched) + ' of ' + plural(d.total, 'task')) + ' · ' + count(d.all_scored) + (n === 2 ? ' with both scored' : ' with all scored'));
      return;
    }
    const order = this.table.o.sort ? '' : ' · failed first, then longest';
    setText(this.matches, (d.matched === d.total ? plural(d.total, 'rollout') : count(d.matched) + ' of ' + plural(d.total, 'rollout')) + order);
  }

  async empty(total) {
    this.shown = false;
    const noun = this.tab;
    setText(this.matches, '0 of ' + count(total));
    if (!this.q) { put(this.body, h('div.nothing', null, 'No ' + noun + ' yet. They appear here as their first spans arrive.')); return; }
    const q = this.q, hint = await bestDrop(q, async (x) => (await this.get(this.tablePath, { q: x, limit: 1 })).matched).catch(() => null);
    if (q !== this.q || this.ctl.signal.aborted) return;
    put(this.body, noMatch(noun, total, q, (x) => { this.filter.set(x); this.filter.apply(); }, hint));
  }

  takeUpdates() { return this.part ? !!this.part.takeUpdates && this.part.takeUpdates() : this.table ? this.table.take() : false; }

  update(d) {
    const points = this.points.more(d, 'metrics'), records = this.records.more(d, 'logs');
    if (points) this.morePoints = true;
    if (!this.d || !(d.run || points || records)) return;
    if (d.run && (d.run.state !== this.d.run.state || d.run.rollouts.failed > this.d.run.rollouts.failed)) this.app.say(this.run + ': ' + count(d.run.rollouts.finished) + ' finished, ' + count(d.run.rollouts.failed) + ' failed');
    this.soon(200, async () => {
      await Promise.all([this.loadHead(true), this.loadTable(true)]);
      await this.loadPart();
    });
  }

  // loadPart brings charts or logs up to date.
  async loadPart() {
    if (this.tab === 'logs' && this.part) this.part.update(this.d.counts.logs);
    if (this.tab !== 'metrics' || !this.part || !this.morePoints) return;
    this.morePoints = false;
    await this.attempt(null, () => this.part.load());
  }

  openRow(r) {
    if (this.tab === 'tasks') {
      const withTrace = r.attempts.filter((a) => a.trace);
      if (withTrace.length >= 2) this.app.go('/compare?a=' + withTrace[0].trace + '&b=' + withTrace[1].trace + spanParams(withTrace[0], withTrace[1]) + '&at=' + withTrace[0].at);
      else if (withTrace.length) this.app.go(traceURL(withTrace[0]));
      return;
    }
    if (r.trace) this.app.go(traceURL(r));
    else toast('This rollout waits for admission', 'It has no spans yet.');
  }

  // exports shows the commands that write the run, or what the filter leaves of it, to a file.
  exports() {
    const run = quote(this.run), file = this.run.replace(/[^\w.-]+/g, '_');
    commands('Export', [
      ['Every span of the run, as OTLP that any collector reads', terminal('export --run ' + shell(this.run) + ' -o ' + file + '.jsonl.zst')],
      ['For ui.perfetto.dev', terminal('export --run ' + shell(this.run) + ' -f chrome -o ' + file + '.json.gz')],
      [this.q ? 'The rollouts that match, as a table' : 'Its rollouts, as a table', terminal('export ' + shell('run:' + run + (this.q ? ' ' + this.q : '')) + ' -f csv --table rollouts -o ' + file + '.csv')],
    ]);
  }

  compareRun() { this.app.go('/compare?runs=1&a=' + encodeURIComponent(this.run)); }

  compareMarked() {
    const rows = this.table && this.tab === 'rollouts' ? this.table.rows.filter((r) => this.table.marked.has(this.table.o.key(r)) && r.trace) : [];
    if (rows.length === 2) this.app.go('/compare?a=' + rows[0].trace + '&b=' + rows[1].trace + spanParams(rows[0], rows[1]) + '&at=' + rows[0].at);
    else toast('Mark two rollouts first', 'Press Space on each of them, then c.');
  }

  key(e) {
    if (/^[1-5]$/.test(e.key)) { this.setTab(['rollouts', 'tasks', 'groups', 'metrics', 'logs'][e.key - 1]); return true; }
    if (this.part && e.key === 'Y' && this.part.data) { copyTable(this.part.data(), this.part.matched); return true; }
    if (this.part) return this.part.key(e);
    if (e.key === '/') { if (!this.filter.el.hidden) this.filter.focus(); return true; }
    if (e.key === 'c') { this.compareMarked(); return true; }
    if (e.key === 'Y' && this.table) { copyTable(this.table.data(), this.table.total); return true; }
    if (this.table && this.shown) return this.table.key(e);
    return this.groups && this.tab === 'groups' ? this.groups.key(e) : false;
  }

  up() {
    return !this.filter.el.hidden && this.filter.clear();
  }

  themed() { if (this.part && this.part.themed) this.part.themed(); }

  above() { return '/runs'; }

  metricsURL() { return '/metrics?run=' + encodeURIComponent(this.run); }

  groupsURL() { return '/groups?run=' + encodeURIComponent(this.run); }

  command() { return command('run:' + quote(this.run) + (this.q ? ' ' + this.q : '')); }

  tables() {
    if (this.part && this.part.tables) return this.part.tables();
    if (!this.d) return [];
    const d = this.d, t = (ns) => text(duration(ns));
    return [
      { title: 'Where the time goes', head: ['', 'rollouts', ...PARTS.map((p) => p[1]), 'total'], rows: d.time.rows.map((r) => [r.env ?? 'all', count(r.n), ...r.parts_ns.map(t), t(r.total_ns)]) },
      { title: 'Reward', head: ['', 'scored', 'mean', 'pass', ...Array.from({ length: 11 }, (_, i) => 'bin ' + (i + 1))], rows: d.reward.rows.map((r) => [r.env ?? 'all', count(r.n), reward(r.mean, 3), reward(r.pass, 3), ...r.counts.map(count)]) },
      { title: 'Duration', head: ['from', 'to', 'scored', 'failed'], rows: d.duration.bins.filter((b) => b.scored + b.failed).map((b) => [t(b.from_ns), t(b.to_ns), count(b.scored), count(b.failed)]) },
    ];
  }
}

export function traceURL(r) { return '/traces/' + r.trace + '?at=' + r.at + (r.span ? '&span=' + r.span : ''); }

function spanParams(a, b) { return (a.span ? '&a_span=' + a.span : '') + (b.span ? '&b_span=' + b.span : ''); }

function started(ns) {
  const w = when(ms(ns), now());
  return /^\d\d:/.test(w) ? 'today ' + w : w;
}

function small(r, scale, unit) {
  const name = [h('b', null, line(r.env || r.id)), r.task == null ? null : h('span.mid', null, ' task ' + r.task + ', ' + r.attempt + ' of ' + (r.attempts ?? r.attempt))];
  return h('span.lines2', null, glyph.state(r.state), h('span.a.cut', null, name), h('span.b', null, dur(r, unit)), h('span.c', null, timed(r) ? split(r.parts_ns, r.total_ns, scale) : null), h('span.d', null, r.state === 'scored' ? h('span.rcell', null, glyph.reward(r.reward)) : word(r)));
}

function smallTask(r, scale) {
  return h('span.lines2', null, glyph.state(r.verdict === 'failed' ? 'failed' : r.verdict === 'open' ? 'running' : 'scored'), h('span.a.cut', null, h('b', null, line(r.env)), h('span.mid', null, ' task ' + r.task)), h('span.b', null, reward(r.mean)),
    h('span.c.bars', null, r.attempts.slice(0, 3).map((a) => (timed(a) ? split(a.parts_ns, a.total_ns, scale) : h('span')))), h('span.d', null, verdict(r)));
}

