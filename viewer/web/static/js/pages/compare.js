// Compare: where did two attempts part, and what did it cost? With ?runs=1: what got worse from one run to another.

import { Page } from './page.js';
import { Table, outlines } from '../table.js';
import { h, put, qty, s } from '../dom.js';
import { count, difference, duration, plural, reward, column, unitFor, longest, signed, text, tick, tickStep } from '../format.js';
import { LISTS, command, terminal } from '../help.js';
import { quote } from '../query.js';
import * as glyph from '../glyph.js';
import { failed } from '../nothing.js';
import { aborted } from '../api.js';
import { copyTable } from '../copying.js';
import { line, inert } from '../inert.js';
import { places } from '../trace/rows.js';
import { gaps } from '../trace/path.js';
import { short } from '../trace/talk.js';

const PARTS = ['Admission', 'Pool', 'Model', 'Tools', 'Verify', 'Other'];
const KEYS = ['Compare', [['j k', 'move'], ['Enter', 'open the step'], ['s', 'swap'], ['Y', 'copy the steps (TSV, JSON)'], ['Esc', 'back']]];

export class ComparePage extends Page {
  constructor(app, args, params) {
    super(app);
    this.p = params;
    this.body = h('div.compare');
    this.el.classList.add('scroll');
    this.el.append(this.body);
    this.at = 0;
  }

  get runs() { return this.p.get('runs') === '1'; }

  open() {
    this.keys = this.runs ? [LISTS] : [KEYS];
    this.app.title(['Compare']);
    this.app.top.show('/runs', [['Runs', '/runs'], ['compare']]);
    put(this.body, outlines([{ width: '1fr' }, { width: '1fr' }, { width: '2fr' }]));
    this.load();
  }

  params(p) { this.p = p; this.open(); }

  close() {
    super.close();
    if (this.table) this.table.unmount();
  }

  async load() {
    try {
      if (this.runs) await this.loadRuns();
      else await this.loadTraces();
    } catch (e) { if (!aborted(e)) put(this.body, failed(e, () => this.load())); }
  }

  // --- two traces

  async loadTraces() {
    const g = (k) => this.p.get(k);
    this.d = await this.get('/compare/traces', { a: g('a'), b: g('b'), a_span: g('a_span'), b_span: g('b_span') });
    const talk = async (x) => { try { return await this.get('/traces/' + x.trace.trace + '/conversation', { span: x.rollout ? x.rollout.span : null }); } catch (e) { if (aborted(e)) throw e; return null; } };
    this.draw();
    this.chooseOther();
    [this.ta, this.tb] = await Promise.all([talk(this.d.a), talk(this.d.b)]);
    this.drawTalks();
  }

  // names calls the two what they are: attempts of one task, else 1 and 2.
  names() {
    const { a, b, same_task: same } = this.d;
    if (same && a.rollout && b.rollout && a.rollout.attempt !== b.rollout.attempt) return ['Attempt ' + a.rollout.attempt, 'Attempt ' + b.rollout.attempt, b.rollout.attempt + ' minus ' + a.rollout.attempt];
    return ['First', 'Second', 'second minus first'];
  }

  title() {
    const { a, b, same_task: same } = this.d, r = a.rollout, q = b.rollout;
    if (same && r) return [r.env || r.agent, r.task == null ? '' : 'task ' + r.task].filter(Boolean).join(' · ') + ': attempt ' + r.attempt + ' and ' + q.attempt;
    const of = (x) => (x.rollout ? [x.rollout.env, 'task ' + x.rollout.task, 'attempt ' + x.rollout.attempt].join(' · ') : x.trace.root || x.trace.trace.slice(0, 8));
    return of(a) + ' and ' + of(b);
  }

  draw() {
    const d = this.d, run = d.a.trace.run;
    this.app.title([this.title()]);
    this.app.top.show('/runs', [['Runs', '/runs'], run ? [run, '/runs/' + encodeURIComponent(run)] : ['compare']]);
    this.talks = h('div.talks');
    this.another = h('span', { hidden: true });
    put(this.body,
      h('div.head.cmp', null,
        h('div.titleline', null, h('h1.cut', null, run ? [h('a.of', { href: '/runs/' + encodeURIComponent(run) }, line(run)), h('span.of', null, '\u00a0/\u00a0')] : null, h('span.cut', null, line(this.title()))), h('span.gap'),
          h('span.acts', null, h('button.btn', { onclick: () => this.swap() }, 'Swap', h('kbd', null, 's')), this.another, h('button.btn', { onclick: () => this.app.copyLink() }, glyph.copy(), 'Copy link'))),
        h('p.sentence', null, line(d.sentence))),
      this.figures(), this.rowsTable(), this.talks);
  }

  // chooseOther offers the attempts of the second one's task that stand on neither side.
  async chooseOther() {
    const { a, b } = this.d, r = b.rollout, place = this.another;
    if (!r || !r.run || r.task == null || r.attempt == null) return;
    const here = (o) => [a, b].some((x) => x.trace.trace === o.trace && (!x.rollout || x.rollout.span === o.span));
    const found = await this.get('/runs/' + encodeURIComponent(r.run) + '/rollout', { env: r.env || '-', task: r.task, attempt: r.attempt, retry: r.retry }).catch(() => null);
    const others = found ? found.others.filter((o) => o.trace && !here(o)) : [];
    if (!others.length || this.ctl.signal.aborted) return;
    const words = (o) => ['Attempt ' + o.attempt, o.reward == null ? o.failure || o.state : 'reward ' + reward(o.reward), o.duration_ns == null ? '' : text(duration(o.duration_ns))].filter(Boolean).join(', ');
    put(place, h('label.pick', null, h('select', { 'aria-label': 'Compare with another attempt', onchange: (e) => this.compareWith(others[e.target.value]) }, h('option', { value: '', selected: true }, 'Choose another…'), others.map((o, i) => h('option', { value: i }, line(words(o))))), glyph.chevron()));
    place.hidden = false;
  }

  compareWith(o) {
    if (!o) return;
    const p = new URLSearchParams(location.search);
    p.set('b', o.trace);
    if (o.span) p.set('b_span', o.span); else p.delete('b_span');
    this.app.go('/compare?' + p);
  }

  // figures is the three-line table: one, the other, the difference.
  figures() {
    const { a, b } = this.d, [na, nb, nd] = this.names(), x = (o) => o.rollout;
    const heads = [h('span.vh', null, 'Attempt'), 'Reward', 'Total', ...PARTS, 'Turns', 'Tool calls', 'Tok in', 'Tok out', 'Spans'];
    const nums = (o) => { const r = x(o); return r ? [r.turns, r.tool_calls, r.tokens_in, r.tokens_out, r.spans] : [null, null, null, null, o.trace.spans]; };
    const parts = (o) => (x(o) && x(o).parts_ns) || Array(6).fill(null), total = (o) => (x(o) ? x(o).total_ns : o.trace.duration_ns);
    const row = (name, o) => [h('b', null, name), x(o) ? glyph.reward(x(o).reward) : null, total(o) == null ? null : qty(duration(total(o))), ...parts(o).map((v) => (v == null ? null : qty(duration(v)))), ...nums(o).map((v) => count(v))];
    const whole = Math.max(total(a) || 0, total(b) || 0);
    const diff = (p, q) => (p == null || q == null ? null : h('span', { class: Math.abs(q - p) >= Math.min(.5e9, whole * .1) ? 'strong' : 'mid' }, qty(difference(q - p))));
    const plain = (p, q) => (p == null || q == null ? null : h('span', { class: q === p ? 'dim' : 'mid' }, signed(count(q - p).replace('−', '-'), true) || '0'));
    const ra = x(a) && x(a).reward, rb = x(b) && x(b).reward;
    const last = [nd, ra == null || rb == null ? null : h('span', { class: ra === rb ? 'dim' : 'strong' }, signed((rb - ra).toFixed(2), true)), diff(total(a), total(b)), ...parts(a).map((v, i) => diff(v, parts(b)[i])), ...nums(a).map((v, i) => plain(v, nums(b)[i]))];
    const line3 = (cells, cls = '') => h('div.crow' + cls, { role: 'row' }, cells.map((c, i) => h('span.td' + (i ? '.r' : ''), { role: 'gridcell' }, c)));
    return h('div.cfig', { role: 'table', 'aria-label': 'Figures of both' }, h('div.crow.chead', { role: 'row' }, heads.map((t, i) => h('span.th' + (i ? '.r' : ''), { role: 'columnheader' }, t))), line3(row(na, a)), line3(row(nb, b)), line3(last));
  }

  rowsTable() {
    const d = this.d, [na, nb, nd] = this.names(), full = d.duration_ns || 1, step = tickStep(full, 6);
    const ticks = [];
    for (let t = 0; t < full; t += step) ticks.push(t);
    const top = Math.max(1, ...d.rows.map((r) => Math.abs(r.difference_ns || 0)));
    this.rows = [];
    this.places = { n: d.rows.length, depth: d.rows.map((r) => r.depth) };
    places(this.places);
    const out = d.rows.map((r, i) => {
      const el = this.row(r, i, full, top, ticks);
      this.rows.push(el);
      return d.part && d.part.row === i ? [h('div.parthere', null, 'They part here: ' + line(d.part.words)), el] : el;
    });
    if (!d.part) out.push(h('div.parthere.none', null, 'They never part: same steps, same arguments.'));
    if (d.rows_total > d.rows.length) out.push(h('p.pad.dim', null, count(d.rows_total - d.rows.length) + ' more rows are not shown.'));
    return h('div.ctable', { role: 'treegrid', tabindex: 0, 'aria-label': 'Steps of both' },
      h('div.srow.shead', { role: 'row' }, h('span.step', { role: 'columnheader' }, 'Step', h('span.note', null, 'upper bar ' + na.toLowerCase() + ', lower bar ' + nb.toLowerCase())), h('span.r', { role: 'columnheader' }, 'Argument, tokens'), h('span.r', { role: 'columnheader' }, 'Duration'),
        h('span.dd', { role: 'columnheader' }, h('span', null, 'faster | slower'), h('span', null, nd)), h('span.tl', { role: 'columnheader' }, ticks.map((t) => h('i', { style: { left: t / full * 100 + '%' } }, tick(t, step, full))))),
      h('div.sbody', null, out));
  }

  row(r, i, full, top, ticks) {
    const one = (x, f) => (x ? f(x) : null);
    const both = (f) => [h('span', null, one(r.a, f)), h('span', null, one(r.b, f))];
    const arg = (x) => (x.tokens != null ? h('span.dim', null, count(x.tokens) + ' tok') : x.argument ? h('span', { title: x.argument }, line(short(x.argument))) : null);
    const unlike = r.a && r.b && r.a.argument !== r.b.argument;
    const colour = 'var(--c' + (r.colour || 1) + ')';
    const bold = r.difference_ns != null && Math.abs(r.difference_ns) >= Math.min(.5e9, full * .1);
    const share = r.difference_ns == null ? 0 : Math.abs(r.difference_ns) / top * 50;
    const bar = (x, cls) => (x ? h('i', { class: cls + (hasKids(this.d.rows, i) ? ' waits' : ''), style: { left: Math.max(0, x.start_ns / full * 100) + '%', width: 'max(2px, ' + Math.min(100, x.duration_ns / full * 100) + '%)', '--c': colour } }, hasKids(this.d.rows, i) ? this.ownWork(i, cls) : null) : null);
    const only = r.a && r.b ? '' : 'only in ' + (r.a ? 1 : 2);
    const name = line(r.name);
    return h('div.srow', { role: 'row', 'aria-level': r.depth + 1, 'aria-posinset': this.places.pos[i], 'aria-setsize': this.places.size[i], 'aria-selected': String(i === this.at), data: { i }, onclick: () => { this.select(i); this.openStep(); },
      'aria-label': [name, only, r.a ? text(duration(r.a.duration_ns)) : '', r.b ? text(duration(r.b.duration_ns)) : '', r.difference_ns == null ? '' : 'difference ' + text(difference(r.difference_ns))].filter(Boolean).join(', ') },
      h('span.step', { role: 'gridcell' }, h('span.guides', { style: { width: Math.min(10, r.depth) * 21 + 'px' } }), h('span.wchev.' + (hasKids(this.d.rows, i) ? 'open' : 'none'), null, s('svg', { width: 12, height: 12, viewBox: '0 0 12 12' }, s('path', { d: 'M2.5 4L6 7.6 9.5 4', fill: 'none', stroke: 'currentColor', 'stroke-width': 1.5 }))),
        h('span.pm.' + (r.paired ? 'two' : 'one'), null, h('i', { style: { background: r.paired ? 'var(--c' + this.caller(i) + ')' : colour } }), s('svg', { width: 7, height: 8, viewBox: '0 0 7 8' }, s('path', { d: 'M0 4h6M3.6 1.6L6 4 3.6 6.4', fill: 'none', stroke: 'var(--ink3)', 'stroke-width': 1.2 })), h('i', { style: { background: colour } })),
        h('span.wname', null, name), h('span.wnote' + (only ? '.warn' : ''), null, only || (r.turn == null ? '' : 'turn ' + r.turn))),
      h('span.args.mono' + (unlike ? '.unlike' : ''), { role: 'gridcell' }, both(arg)),
      h('span.durs', { role: 'gridcell' }, both((x) => [x.error ? glyph.cross('error') : null, qty(duration(x.duration_ns))])),
      h('span.dd', { role: 'gridcell' }, h('span.axis2', null, share ? h('i', { style: { width: Math.max(.8, share) + '%', [r.difference_ns < 0 ? 'right' : 'left']: '50%' } }) : null), h('span', { class: bold ? 'strong' : 'mid' }, r.difference_ns == null ? null : qty(difference(r.difference_ns)))),
      h('span.tl', { role: 'gridcell' }, ticks.map((t) => h('u', { style: { left: t / full * 100 + '%' } })), bar(r.a, 'a'), bar(r.b, 'b')));
  }

  // ownWork marks within a bar where none of the steps below ran.
  ownWork(i, side) {
    const rows = this.d.rows, x = rows[i][side], below = [];
    for (let k = i + 1; k < rows.length && rows[k].depth > rows[i].depth; k++) {
      const y = rows[k][side];
      if (y && rows[k].depth === rows[i].depth + 1) below.push([y.start_ns, y.start_ns + y.duration_ns]);
    }
    if (!(x.duration_ns > 0)) return null;
    return gaps(x.start_ns, x.start_ns + x.duration_ns, below).slice(0, 200).map(([a, b]) => h('b', { style: { left: 'min(' + (a - x.start_ns) / x.duration_ns * 100 + '%, 100% - 2px)', width: 'max(2px, ' + (b - a) / x.duration_ns * 100 + '%)' } }));
  }

  // caller is the colour of the row that a call came from.
  caller(i) {
    const rows = this.d.rows;
    for (let k = i - 1; k >= 0; k--) if (rows[k].depth < rows[i].depth) return rows[k].colour || 1;
    return 1;
  }

  drawTalks() {
    const [na, nb] = this.names(), part = this.turnOfPart();
    const side = (t, name, note) => {
      if (!t) return h('section');
      if (t.source === 'none') return h('section', null, h('h2', null, name), h('p.pad.dim', null, line(t.words)));
      const rows = t.rows.filter((r) => part == null || r.turn == null ? r.role !== 'user' || part == null : r.turn >= part);
      return h('section', null, h('h2', null, name, h('span.note', null, part > 1 ? note : '')), rows.slice(0, 200).map((r) => this.said(r, t, part)));
    };
    put(this.talks, side(this.ta, na, before(this.ta, part)), side(this.tb, nb, 'From turn ' + part + ' on'));
  }

  turnOfPart() {
    const { part, rows } = this.d;
    if (!part) return null;
    for (let k = part.row; k >= 0; k--) if (rows[k].turn != null) return rows[k].turn;
    return null;
  }

  said(r, t, part) {
    const colour = { assistant: 3, tool: 4, verify: 4 }[r.role], v = t.verify;
    const what = r.type === 'call' ? [h('b', null, line(r.name)), '(', line(r.text), ')'] : r.type === 'verify' ? (v ? [v.reward == null ? 'no reward' : ['reward ', h('b', null, reward(v.reward))], h('span.why', null, v.fields.slice(0, 4).map((f, k) => [k ? ', ' : ' ', line(f.key) + ' ', line(f.text.slice(0, 120))]))] : 'no answer') : inert(r.text);
    return h('div.trow2' + (r.turn === part && r.type === 'call' ? '.on' : ''), null, h('span.role', null, h('i.who', { style: { background: colour ? 'var(--c' + colour + ')' : 'none' } }), line(r.role)), h('span.said' + (r.type === 'call' || r.type === 'output' ? '.mono' : ''), null, what), h('span.fig', null, r.turn == null || r.role !== 'assistant' ? '' : 'turn ' + r.turn));
  }

  select(i) {
    if (!this.rows || !this.rows.length) return;
    this.rows[this.at] && this.rows[this.at].setAttribute('aria-selected', 'false');
    this.at = Math.max(0, Math.min(this.rows.length - 1, i));
    this.rows[this.at].setAttribute('aria-selected', 'true');
    this.rows[this.at].scrollIntoView({ block: 'nearest' });
  }

  openStep() {
    const r = this.d.rows[this.at], x = r.b || r.a, t = r.b ? this.d.b : this.d.a;
    this.app.go('/traces/' + t.trace.trace + '?at=' + t.trace.at + '&span=' + x.span);
  }

  swap() {
    const p = new URLSearchParams(location.search), v = (k) => this.p.get(k) || '';
    p.set('a', v('b'));
    p.set('b', v('a'));
    for (const [k, o] of [['a_span', 'b_span'], ['b_span', 'a_span']]) if (v(o)) p.set(k, v(o)); else p.delete(k);
    this.app.go('/compare?' + p);
  }

  key(e) {
    if (this.runs) {
      if (e.key === 'Y' && this.table) { copyTable(this.table.data(), this.table.total); return true; }
      return this.table ? this.table.key(e) : false;
    }
    if (!this.d) return false;
    switch (e.key) {
      case 'j': case 'ArrowDown': this.select(this.at + 1); return true;
      case 'k': case 'ArrowUp': this.select(this.at - 1); return true;
      case 'Home': this.select(0); return true;
      case 'End': this.select(1e9); return true;
      case 's': this.swap(); return true;
      case 'Y': copyTable(this.data()); return true;
      case 'Enter': if (e.target.closest && e.target.closest('a, button')) return false; this.openStep(); return true;
      default: return false;
    }
  }

  // data is the aligned steps.
  data() {
    const side = (x) => (x ? [x.start_ns, x.duration_ns, x.argument, x.tokens] : [null, null, null, null]);
    const heads = ['start_ns', 'duration_ns', 'argument', 'tokens'];
    return { heads: ['name', 'depth', 'turn', ...heads.map((h) => h + '_1'), ...heads.map((h) => h + '_2'), 'difference_ns'], rows: this.d.rows.map((r) => [r.name, r.depth, r.turn, ...side(r.a), ...side(r.b), r.difference_ns]) };
  }

  above() { const run = this.d && (this.runs ? this.d.a.id : this.d.a.trace.run); return run ? '/runs/' + encodeURIComponent(run) : '/runs'; }

  command() { return this.runs ? command(['a', 'b'].filter((k) => this.p.get(k)).map((k, i) => (i ? ',' : 'run:') + quote(this.p.get(k))).join('')) : terminal('traces show ' + this.p.get('a')); }

  // --- two runs

  async loadRuns() {
    const a = this.p.get('a') || '', b = this.p.get('b') || '';
    this.list = this.list || (await this.get('/runs', { limit: 100 })).rows.map((r) => r.id);
    if (!a || !b) { this.drawChoice(a, b); return; }
    this.d = await this.get('/compare/runs', { a, b });
    this.drawRuns();
  }

  picker(k, value) {
    const ids = [...new Set([value, ...this.list].filter(Boolean))];
    return h('label.pick', null, h('select', { 'aria-label': k === 'a' ? 'First run' : 'Second run', onchange: (e) => this.app.router.go('/compare?' + this.withParam(k, e.target.value)) }, value ? null : h('option', { value: '' }, 'choose a run'), ids.map((r) => h('option', { value: r, selected: r === value }, line(r)))), glyph.chevron());
  }

  withParam(k, v) { const p = new URLSearchParams(location.search); p.set('runs', '1'); p.set(k, v); return p.toString(); }

  drawChoice(a, b) {
    put(this.body, h('div.head.cmp', null, h('div.titleline', null, h('h1', null, 'Compare runs'), this.picker('a', a), h('span.dim', null, 'and'), this.picker('b', b))),
      h('div.nothing', null, this.list.length < 2 ? 'There is only one run. Compare it when there is a second.' : 'Choose the runs to compare. Tasks are matched by environment and number; the worst regressions come first.'));
  }

  drawRuns() {
    const d = this.d;
    this.app.title([d.a.id + ' and ' + d.b.id]);
    this.app.top.show('/runs', [['Runs', '/runs'], ['compare']]);
    const all = d.environments.find((e) => e.env == null);
    const num = (v, dp = 3) => (v == null ? null : reward(v, dp));
    const dif = (v) => (v == null ? null : h('span', { class: v < 0 ? 'err' : v > 0 ? 'strong' : 'dim' }, v === 0 ? '0' : signed(v.toFixed(3), true)));
    const pass = 'pass@' + (d.k ?? 'k');
    const heads = ['Environment', 'Tasks', 'Mean 1', 'Mean 2', '2 minus 1', pass + ' 1', pass + ' 2', '2 minus 1', 'Worse', 'Better'];
    const erow = (e) => [e.env == null ? h('b', null, 'all') : line(e.env), count(e.tasks), num(e.a_mean), num(e.b_mean), dif(e.difference), num(e.a_pass), num(e.b_pass), dif(e.pass_difference), h('span', { class: e.worse ? 'err' : 'dim' }, count(e.worse)), h('span', { class: e.better ? '' : 'dim' }, count(e.better))];
    const unit = unitFor(longest(d.rows.flatMap((r) => [r.a_duration_ns, r.b_duration_ns])));
    const cols = [
      { id: 'environment', head: 'Environment', width: 'minmax(130px, 200fr)', text: (r) => r.env, cell: (r) => h('span.cut', null, line(r.env)) },
      { id: 'task', head: 'Task', right: true, width: '64px', text: (r) => r.task, cell: (r) => count(r.task) },
      { id: 'mean1', head: 'Mean 1', right: true, width: '84px', text: (r) => r.a_mean, cell: (r) => num(r.a_mean, 2) },
      { id: 'mean2', head: 'Mean 2', right: true, width: '84px', text: (r) => r.b_mean, cell: (r) => num(r.b_mean, 2) },
      { id: 'difference', head: 'Worse | better', width: 'minmax(140px, 260fr)', text: (r) => r.difference, cell: (r) => (r.difference ? h('span.axis2.wide2', null, h('i', { class: r.difference < 0 ? 'bad' : '', style: { width: Math.min(50, Math.abs(r.difference) * 50) + '%', [r.difference < 0 ? 'right' : 'left']: '50%' } })) : h('span.axis2.wide2')) },
      { id: 'by', head: '2 minus 1', right: true, width: '84px', cell: (r) => (r.difference == null ? null : h('span', { class: r.difference < 0 ? 'err' : r.difference > 0 ? 'strong' : 'dim' }, r.difference === 0 ? '0' : signed(r.difference.toFixed(2), true))) },
      { id: 'pass1', rank: 3, head: pass + ' 1', right: true, width: '84px', text: (r) => r.a_pass, cell: (r) => num(r.a_pass, 2) },
      { id: 'pass2', rank: 3, head: pass + ' 2', right: true, width: '84px', text: (r) => r.b_pass, cell: (r) => num(r.b_pass, 2) },
      { id: 'scored1', rank: 4, head: 'Scored 1', right: true, width: '78px', text: (r) => r.a_n, cell: (r) => count(r.a_n) },
      { id: 'scored2', rank: 4, head: 'Scored 2', right: true, width: '78px', text: (r) => r.b_n, cell: (r) => count(r.b_n) },
      { id: 'duration1', rank: 5, head: 'Duration 1', right: true, width: '92px', text: (r) => r.a_duration_ns, cell: (r) => qty(column(r.a_duration_ns, unit)) },
      { id: 'duration2', rank: 5, head: 'Duration 2', right: true, width: '92px', text: (r) => r.b_duration_ns, cell: (r) => qty(column(r.b_duration_ns, unit)) },
    ];
    if (this.table) this.table.unmount();
    this.next = d.next;
    this.table = new Table({ id: 'ctask', label: 'Tasks, worst regressions first', columns: cols, key: (r) => r.env + '/' + r.task, onSort: () => {}, more: () => this.grow(this.table, '/compare/runs', { a: d.a.id, b: d.b.id }),
      open: (r) => this.app.go('/runs/' + encodeURIComponent(d.b.id) + '?tab=tasks&q=' + encodeURIComponent('env:' + r.env + ' task:' + r.task)), small: (r) => h('span.lines2', null, glyph.dot(''), h('span.a.cut', null, line(r.env) + ' task ' + r.task), h('span.b', null, num(r.b_mean, 2)), h('span.c', null, h('span.axis2.wide2')), h('span.d', null, r.difference == null ? '' : signed(r.difference.toFixed(2), true))) });
    const lost = [d.only_a ? plural(d.only_a, 'task') + ' only in 1' : '', d.only_b ? plural(d.only_b, 'task') + ' only in 2' : ''].filter(Boolean).join(', ');
    const words = all && all.difference != null ? (all.worse || all.better ? count(all.worse) + ' of ' + plural(all.tasks, 'task') + ' got worse, ' + count(all.better) + ' better. ' : 'No task changed. ') + 'The mean reward went from ' + reward(all.a_mean, 3) + ' to ' + reward(all.b_mean, 3) + '.' : 'Nothing is scored in both.';
    put(this.body,
      h('div.head.cmp', null, h('div.titleline', null, h('h1', null, 'Compare runs'), this.picker('a', d.a.id), h('span.dim', null, '1, and'), this.picker('b', d.b.id), h('span.dim', null, '2'), h('span.gap'), h('span.acts', null, h('button.btn', { onclick: () => this.swap() }, 'Swap'), h('button.btn', { onclick: () => this.app.copyLink() }, glyph.copy(), 'Copy link'))),
        h('p.sentence', null, words + (lost ? ' ' + lost + '.' : ''))),
      h('div.cfig.envs', { role: 'table', 'aria-label': 'Environments' }, h('div.crow.chead', { role: 'row' }, heads.map((t, i) => h('span.th' + (i ? '.r' : ''), { role: 'columnheader' }, t))), d.environments.map((e) => h('div.crow', { role: 'row' }, erow(e).map((c, i) => h('span.td' + (i ? '.r' : ''), { role: 'gridcell' }, c))))),
      h('div.subhead', null, h('h2', null, 'Tasks'), h('span.note', null, 'worst regressions first')), h('div.tablebox', null, this.table.el));
    this.table.mount();
    this.table.set(d.rows, { total: d.total });
  }
}

function hasKids(rows, i) { return i + 1 < rows.length && rows[i + 1].depth > rows[i].depth; }

// before says what was the same in both before they part.
function before(t, part) {
  if (part > 2) return 'Turns 1 to ' + (part - 1) + ' are the same in both.';
  const call = t && t.rows.find((r) => r.turn === 1 && r.type === 'call'), out = t && t.rows.find((r) => r.type === 'output');
  return 'Turn 1 is the same in both' + (call ? ': ' + line(call.name + '(' + call.text + ')') + (out ? ' gave ' + line(short(out.text)) : '') : '') + '.';
}
