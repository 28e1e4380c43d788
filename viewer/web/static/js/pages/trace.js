// One trace: which step took the time, what was said there, why this reward?

import { Page } from './page.js';
import { h, put, qty, labelled, setText } from '../dom.js';
import { count, countdown, day, duration, middle, percent, plural, when } from '../format.js';
import { ms, now, sinceInstant } from '../clock.js';
import { PARTS, split, swatch } from '../bars.js';
import { Waterfall } from '../trace/waterfall.js';
import { Panel } from '../trace/panel.js';
import { Conversation } from '../trace/conversation.js';
import { Logs } from '../trace/logs.js';
import { argumentsOf } from '../trace/talk.js';
import { load, path } from '../trace/loader.js';
import { reroot, runOn } from '../trace/model.js';
import { growing, grown } from '../trace/growing.js';
import { groupPlaces } from '../trace/colours.js';
import { TRACE, terminal } from '../help.js';
import * as glyph from '../glyph.js';
import { failed } from '../nothing.js';
import { aborted } from '../api.js';
import { copyText } from '../toast.js';
import { copyTable } from '../copying.js';
import { phone } from '../media.js';
import * as prefs from '../prefs.js';
import { line } from '../inert.js';
import { traceURL } from './run.js';

export class TracePage extends Page {
  constructor(app, [trace], params) {
    super(app);
    this.trace = trace.toLowerCase();
    this.keys = [TRACE];
    this.q = params;
    this.path = '/traces/' + this.trace;
    this.head = h('div.head.trace');
    this.wf = new Waterfall({ select: () => this.selected(), change: () => this.keep(), open: () => this.showPanel(true), root: (r) => this.reroot(r) });
    this.panel = new Panel({ close: () => this.showPanel(false), filter: (t) => this.filterBy(t), jump: (r) => { this.wf.selectRow(r); this.wf.focus(); }, conversation: (ids) => this.talk.of(ids) });
    this.talk = new Conversation({ select: (id) => this.selectSpan(id), colour: (r) => this.roleColour(r) });
    this.logs = new Logs({ select: (id) => this.selectSpan(id), colour: (s) => this.serviceColour(s) });
    this.tab = params.get('tab') === 'logs' ? 'logs' : 'talk';
    this.tabs = h('div.tabs', { role: 'tablist', 'aria-label': 'Conversation and logs' });
    this.key3 = h('div.legend.marks');
    this.edge = h('div.edge', { role: 'separator', tabindex: 0, 'aria-orientation': 'horizontal', 'aria-label': 'Height of the waterfall', 'aria-valuemin': 15, 'aria-valuemax': 85, 'aria-valuenow': 60, onkeydown: (e) => this.nudge(e, { ArrowUp: -.05, ArrowDown: .05 }, (by) => this.setShare(this.shareNow() + by)) });
    this.lower = h('section.lower', null, h('div.lowerbar', null, this.tabs, h('span.gap'), this.key3), h('div.lowerbody'));
    this.lowerBody = this.lower.lastChild;
    this.side = h('div.side', null, this.panel.el);
    this.grip = h('div.sidegrip', { role: 'separator', tabindex: 0, 'aria-orientation': 'vertical', 'aria-label': 'Width of the panel', 'aria-valuemin': 320, 'aria-valuemax': 640, onkeydown: (e) => this.nudge(e, { ArrowLeft: 16, ArrowRight: -16 }, (by) => { this.setPanelWidth(this.panelWidth + by); prefs.save('panel', this.panelWidth); }) });
    this.left = h('div.tleft', null, this.wf.el, this.edge, this.lower);
    this.body = h('div.tbody2', null, this.left, this.grip, this.side);
    this.el.classList.add('tracepage');
    this.el.append(this.head, this.body);
    this.setPanelWidth(prefs.load('panel', 384));
    const height = prefs.load('waterfall', null);
    if (height) this.left.style.setProperty('--wf', height);
    this.dragEdges();
  }

  open() {
    this.app.title(['Trace ' + middle(this.trace)]);
    this.app.top.show('/traces', [['Traces', '/traces'], [middle(this.trace)]]);
    this.wf.view.pairs = this.q.get('pair') !== '0';
    this.wf.view.folds = this.q.get('fold') !== '0';
    for (const id of (this.q.get('open') || '').split(',')) if (id) this.wf.view.open.add(id);
    this.wf.setBy(this.q.get('color') === 'group' ? 'group' : 'process');
    this.panelOpen = innerWidth >= 1000 && prefs.load('panelOpen', true);
    this.talkOpen = prefs.load('talkOpen', true);
    this.drawPanes();
    this.wf.mount();
    this.load();
    this.timer = setInterval(() => this.tick(), 250);
    this.onPhone = () => this.resized();
    phone.addEventListener('change', this.onPhone);
  }

  close() {
    super.close();
    phone.removeEventListener('change', this.onPhone);
    clearInterval(this.timer);
    if (this.giveUp) this.giveUp();
    if (this.stopPath) this.stopPath();
    this.wf.unmount();
    this.panel.stop();
    this.talk.close();
    this.logs.close();
  }

  themed() { this.wf.themed(); }

  // resized draws what differs on a phone.
  resized() {
    if (!this.d) return;
    this.drawHead();
    if (this.model) { this.wf.layout(); this.selected(true); }
  }

  async load(live = false) {
    try {
      const d = await this.get(this.path, { at: this.q.get('at') });
      const first = !this.d;
      this.d = d;
      this.drawHead();
      if (first && d.conversation.source === 'none' && !d.logs && !d.rollouts_total) { this.talkOpen = false; this.drawPanes(); }
      if (first) { this.app.live.watch(d.run ? d.run.id : '', this.trace); this.drawTabs(); this.drawMarks(); this.loadLower(); }
      if (this.giveUp) this.giveUp();
      if (!d.rows) { put(this.body, h('div.nothing', null, 'This trace has no spans.')); return; }
      this.giveUp = load(this.path + '/spans', d, this.nowNs(), { model: (m, done) => this.show(m, done), failed: (e) => this.broken(e, live) });
    } catch (e) { this.broken(e, live); }
  }

  broken(e, live) {
    if (aborted(e) || this.ctl.signal.aborted) return;
    if (e.code === 'changed') { this.soon(300, () => this.load(live)); return; }
    if (live || this.model) return;
    put(this.head, h('div.titleline', null, h('h1', null, 'Trace\u00a0', h('span.mono', null, middle(this.trace)))));
    put(this.body, failed(e, () => location.reload()));
  }

  // nowNs is now, in nanoseconds from the trace's start.
  nowNs() { return this.d.open ? Math.max(0, (now() - ms(this.d.start)) * 1e6) : Number(BigInt(this.d.end) - BigInt(this.d.start)); }

  show(m, done) {
    const first = !this.model;
    this.model = m;
    this.wf.set(m, this.d, this.nowNs());
    this.runOn();
    this.annotate();
    if (first) this.firstLook();
    else if (done) this.selected(true);
    if (done && this.pendingSpan) { const r = m.columns.id.indexOf(this.pendingSpan); this.pendingSpan = null; if (r >= 0) this.wf.selectRow(r); }
    if (!this.share) this.left.style.setProperty('--need', 46 + 24 + this.wf.lines.n * this.wf.row + 8 + 'px');
  }

  // annotate notes beside tool calls what they were asked for, as far as the conversation says.
  annotate() {
    const asked = argumentsOf(this.talk.rows), m = this.model;
    if (!m || !asked.size) return;
    const { id, notes } = m.columns;
    for (let i = 0; i < m.n; i++) if (asked.has(id[i]) && !notes.has(i)) notes.set(i, asked.get(id[i]).slice(0, 200));
    this.wf.refresh();
  }

  // firstLook takes what the link says.
  firstLook() {
    const z = /^(\d+)-(\d+)$/.exec(this.q.get('zoom') || '');
    if (z) this.wf.scale.set(Number(z[1]), Number(z[2]));
    const id = this.q.get('span'), i = id ? this.model.columns.id.indexOf(id) : -1;
    if (i >= 0) this.wf.selectRow(i, true);
    else if (id) this.pendingSpan = id;
    this.selected(true);
  }

  get rollout() { return this.d.rollouts_total === 1 ? this.d.rollouts[0] : null; }

  drawHead() {
    const d = this.d, r = this.rollout;
    const name = r ? [r.env || r.agent || r.id, r.task == null ? '' : 'task ' + r.task, r.attempt == null || (phone.matches && d.others.length > 1) ? '' : 'attempt ' + r.attempt + (r.attempts ? ' of ' + r.attempts : ''), r.retry ? 'retry ' + r.retry : ''].filter(Boolean) : [d.root && d.root.name ? d.root.name : 'no root received'];
    this.app.title(r ? [r.env, r.task == null ? '' : 'task ' + r.task, r.attempt == null ? '' : 'attempt ' + r.attempt].filter(Boolean) : [name[0]]);
    this.app.top.show(d.run ? '/runs' : '/traces', d.run ? [['Runs', '/runs'], [d.run.id, '/runs/' + encodeURIComponent(d.run.id)]] : [['Traces', '/traces'], [middle(this.trace)]]);
    this.runningChip = r && r.state === 'running' ? h('span.chip.run') : d.open && !r ? h('span.chip.run', null, 'still open') : null;
    this.durEl = h('span' + (d.open ? '.acc' : ''));
    this.figure = null;
    put(this.head,
      h('div.titleline', null, r ? glyph.state(r.state) : d.errors ? glyph.cross() : d.open ? glyph.ring() : glyph.dot(''), h('h1.cut', null, d.run ? [h('a.of', { href: '/runs/' + encodeURIComponent(d.run.id) }, line(d.run.id)), h('span.of', null, '\u00a0/\u00a0')] : null, h('span.cut', null, line(name.join(' · ')))),
        r && r.state === 'scored' ? h('span.chip.plain', null, 'reward ', glyph.reward(r.reward)) : null, r && r.state === 'failed' ? h('span.chip.plain.err', { title: r.message }, line(r.failure || 'failed')) : null, this.runningChip,
        this.truths(), h('span.gap'), this.actions(r)),
      h('div.meta', null,
        labelled('started', when(ms(r && r.started ? r.started : d.start), now())), h('span', null, h('span.lab', null, 'duration'), this.durEl),
        r && r.turns != null ? labelled('turns', count(r.turns)) : null, r && r.tool_calls != null ? labelled('tool calls', count(r.tool_calls)) : null,
        r && r.tokens_in != null ? labelled('tokens', count(r.tokens_in) + ' in, ' + count(r.tokens_out) + ' out') : null,
        d.rollouts_total > 1 ? labelled('rollouts', count(d.rollouts_total)) : null,
        labelled('spans', count(d.spans)), d.errors ? h('span', null, h('span.lab', null, 'errors'), h('span.err', null, count(d.errors))) : null, h('span', null, h('span.lab', null, 'trace'), h('button.bare.mono', { title: 'Copy the trace id', onclick: () => copyText(d.trace, 'Trace id copied') }, middle(d.trace))), this.names = h('span.names')),
      phone.matches ? this.phoneFigures(r) : null,
      this.splits = h('div'));
    this.drawNames();
    this.drawTimes();
    this.tick();
  }

  // times are the duration, the total and its parts. Of a rollout that runs they go on to now, when its start is known.
  times() {
    const r = this.rollout;
    if (!r) return { duration: this.d.duration_ns };
    if (r.state !== 'running' || r.guessed || !r.parts_ns || this.part == null) return { duration: r.duration_ns, total: r.total_ns, parts: r.parts_ns };
    return grown(r, this.part, sinceInstant(r.started));
  }

  drawTimes() {
    const { duration: ns, total, parts } = this.times(), r = this.rollout;
    put(this.durEl, ns == null ? 'unknown' : [r && r.guessed ? '≥ ' : '', qty(duration(ns)), this.d.open ? ' so far' : '']);
    if (this.figure) put(this.figure, qty(duration(ns)));
    put(this.splits, parts ? this.splitBar(parts, total) : null);
  }

  // truths says what is odd about the trace, in words.
  truths() {
    const d = this.d, out = [];
    const warn = (g, words) => out.push(h('span.chip.warn', null, g, words));
    if (d.truncated) warn(glyph.truncated(''), plural(d.truncated, 'span') + ' truncated');
    if (d.orphans) warn(glyph.warning(''), plural(d.orphans, 'span') + ' without their parent');
    if (d.duplicates.unequal) warn(glyph.warning(''), plural(d.duplicates.unequal, 'span') + ' with an id used twice');
    if (d.cycles) warn(glyph.warning(''), plural(d.cycles, 'cycle') + ' cut');
    if (d.skewed) warn(glyph.warning(''), 'clocks differ');
    return out;
  }

  actions(r) {
    const d = this.d, at = r ? d.others.findIndex((o) => o.attempt === r.attempt) : -1;
    const attempts = d.others.length > 1 ? h('span.btns', { role: 'group', 'aria-label': 'Attempts' }, d.others.slice(0, 8).map((o, i) => h('a.btn', { href: o.trace ? traceURL(o) : null, 'aria-current': i === at ? 'page' : null, 'aria-label': 'Attempt ' + o.attempt, title: '[ and ]' }, i === 0 && !phone.matches ? 'Attempt ' + o.attempt : i === at && phone.matches ? o.attempt + ' of ' + d.others.length : String(o.attempt)))) : null;
    return h('span.acts', null, attempts, d.others.length > 1 ? h('button.btn', { onclick: () => this.compare() }, 'Compare', h('kbd', null, 'c')) : null, h('button.btn', { onclick: () => this.app.copyLink() }, glyph.copy(), 'Copy link'));
  }

  drawNames() {
    const d = this.d;
    if (this.wf.by === 'group') {
      const places = groupPlaces(d);
      put(this.names, d.groups.map((g, i) => h('span', null, h('span.sq', { style: { background: 'var(--c' + places[i] + ')' } }), line(g))));
    } else put(this.names, d.services.slice(0, 9).map((s) => h('span', { title: s.name }, h('span.sq', { style: { background: 'var(--c' + s.colour + ')' } }), line(s.label))), d.services.length > 9 ? h('span.dim', null, 'and ' + (d.services.length - 9) + ' more') : null);
  }

  splitBar(parts, total) {
    const bar = split(parts, total, total, '.whole'), share = (ns) => qty(percent(ns / total) || [['0', '%']]);
    if (phone.matches) return [bar, h('div.legend.splits', null, inShort(parts).map(([id, name, ns]) => h('span', null, swatch(id), name, share(ns))))];
    return [bar, h('div.legend.splits', null, PARTS.map(([id, name], k) => h('span', null, swatch(id), name, qty(duration(parts[k]), 'ink'), h('span.dim', null, share(parts[k])))), h('span.gap'), h('span', null, h('span.dim', null, 'total'), qty(duration(total), 'ink')))];
  }

  phoneFigures(r) {
    const f = (l, v) => h('span', null, h('span.lab', null, l), v);
    return h('div.figs.show', null, r ? f('reward', r.reward == null ? h('span.dim', null, r.state) : h('span.rcell', null, glyph.reward(r.reward))) : f('errors', count(this.d.errors)), f('duration', this.figure = h('span')), f('spans', count(this.d.spans)), r ? f('tokens out', count(r.tokens_out)) : f('services', count(this.d.services.length)));
  }

  drawTabs() {
    const d = this.d, c = d.conversation;
    const tab = (id, name, n) => h('button.tab', { role: 'tab', 'aria-selected': String(this.tab === id), onclick: () => this.setTab(id) }, name, n == null ? null : h('span.n', null, count(n)));
    put(this.tabs, tab('talk', 'Conversation', c.source === 'none' ? null : c.rows), tab('logs', 'Logs', d.logs));
  }

  drawMarks() {
    const d = this.d, bar = (cls, words) => h('span', null, h('i.' + cls), words);
    put(this.key3, bar('mk-path', 'critical path'), d.open ? h('span', null, h('i.mk-run', null, '›'), 'still running') : bar('mk-own', 'own work'), d.truncated ? bar('mk-cut', 'truncated') : d.open ? null : bar('mk-wait', 'waits for a child'));
  }

  setTab(id) {
    this.tab = id;
    this.app.router.set({ tab: id === 'logs' ? 'logs' : null });
    this.drawTabs();
    this.loadLower();
  }

  loadLower() {
    put(this.lowerBody, this.tab === 'logs' ? this.logs.el : this.talk.el);
    const r = this.rollout;
    if (this.tab === 'logs') this.logs.load(this.path);
    else if (!this.talk.d) this.talk.load(this.path, r ? r.span : null).then(() => { this.annotate(); this.selected(true); });
  }

  roleColour(r) {
    const role = r.role === 'assistant' ? 'model' : r.role === 'tool' || r.role === 'verify' || r.type === 'output' ? 'resources' : '';
    if (!role) return null;
    const s = this.d.services.find((x) => x.role === role);
    return 'var(--c' + (s ? s.colour : role === 'model' ? 3 : 4) + ')';
  }

  serviceColour(name) { const s = this.d.services.find((x) => x.name === name); return 'var(--c' + (s ? s.colour : 1) + ')'; }

  // selected tells panel, conversation and link about the selected line.
  selected(quiet = false) {
    if (!this.model) return;
    const ids = this.selectedIds();
    if (this.panelOpen) { clearTimeout(this.panelSoon); this.panelSoon = setTimeout(() => this.panel.show(this.wf, this.path, this.d.at), quiet ? 0 : 40); }
    if (this.tab === 'logs') this.logs.mark(ids);
    else this.talk.mark(ids);
    if (!quiet) this.keep();
  }

  selectedIds() {
    const i = this.wf.selectedRow, m = this.model, out = [];
    if (i < 0) return out;
    const f = this.wf.selectedFold;
    for (const r of f ? f.members.slice(0, 1) : [i]) {
      out.push(m.columns.id[r]);
      if (m.pair[r] >= 0) out.push(m.columns.id[m.pair[r]]);
      if (m.pairOf[r] >= 0) out.push(m.columns.id[m.pairOf[r]]);
    }
    return out;
  }

  selectSpan(id) {
    const r = this.model ? this.model.columns.id.indexOf(id) : -1;
    if (r >= 0) this.wf.selectRow(r);
  }

  // keep writes the view into the address, not more often than every 300 ms: browsers refuse more.
  keep() {
    clearTimeout(this.keepSoon);
    this.keepSoon = setTimeout(() => {
      if (this.ctl.signal.aborted || !this.model) return;
      const s = this.wf.scale, v = this.wf.view;
      this.q = this.app.router.set({
        at: this.d.at, span: this.model.columns.id[this.wf.selectedRow], zoom: s.whole ? null : Math.round(s.from) + '-' + Math.round(s.to),
        fold: v.folds ? null : '0', pair: v.pairs ? null : '0', color: this.wf.by === 'group' ? 'group' : null, open: [...v.open].slice(0, 20).join(','),
      });
    }, 300);
  }

  params(p) { this.q = p; if (p.get('span') && this.model && p.get('span') !== this.model.columns.id[this.wf.selectedRow]) this.selectSpan(p.get('span')); }

  reroot(row) {
    const m = this.model, whole = this.d.root ? this.d.root.row : -1;
    if (this.stopPath) this.stopPath();
    if (row < 0 || row === whole) { if (m.whole) reroot(m, null); return; }
    this.stopPath = path(m, row, this.nowNs(), (found) => { if (this.model === m) { reroot(m, found); this.wf.rerooted(); this.selected(true); } });
  }

  showPanel(open) {
    if (open && phone.matches) this.side.dataset.sheet = this.side.dataset.sheet === 'half' ? 'half' : 'peek';
    if (this.panelOpen === open) return;
    this.panelOpen = open;
    if (innerWidth >= 1000) prefs.save('panelOpen', open);
    this.drawPanes();
    if (open) this.panel.show(this.wf, this.path, this.d.at);
    else this.wf.focus();
  }

  drawPanes() {
    this.el.classList.toggle('nopanel', !this.panelOpen);
    this.el.classList.toggle('notalk', !this.talkOpen);
  }

  setPanelWidth(w) {
    this.panelWidth = Math.max(320, Math.min(640, w));
    this.body.style.setProperty('--panelw', this.panelWidth + 'px');
    this.grip.setAttribute('aria-valuenow', this.panelWidth);
  }

  shareNow() { return this.wf.el.getBoundingClientRect().height / this.left.getBoundingClientRect().height; }

  // setShare gives the waterfall a share of the height.
  setShare(share) {
    this.share = Math.max(.15, Math.min(.85, share));
    this.left.style.setProperty('--wf', this.share * 100 + '%');
    this.left.style.setProperty('--need', '100%');
    this.edge.setAttribute('aria-valuenow', Math.round(this.share * 100));
    prefs.save('waterfall', this.left.style.getPropertyValue('--wf'));
  }

  // nudge moves an edge by an arrow key.
  nudge(e, keys, move) {
    if (!(e.key in keys)) return;
    e.preventDefault();
    e.stopPropagation();
    move(keys[e.key]);
  }

  dragEdges() {
    const drag = (el, move, done) => {
      let on = false;
      el.addEventListener('pointerdown', (e) => { on = true; el.setPointerCapture(e.pointerId); e.preventDefault(); });
      el.addEventListener('pointermove', (e) => { if (on) move(e); });
      el.addEventListener('pointerup', () => { on = false; done(); });
    };
    drag(this.grip, (e) => this.setPanelWidth(innerWidth - e.clientX), () => prefs.save('panel', this.panelWidth));
    drag(this.edge, (e) => { const b = this.left.getBoundingClientRect(); this.setShare((e.clientY - b.top) / b.height); }, () => {});
    let y0 = null;
    const side = this.side;
    side.addEventListener('pointerdown', (e) => { if (phone.matches && e.clientY - side.getBoundingClientRect().top < 44) { y0 = e.clientY; side.setPointerCapture(e.pointerId); } });
    side.addEventListener('pointerup', (e) => {
      if (y0 == null) return;
      const by = e.clientY - y0, order = ['closed', 'peek', 'half', 'full'], at = order.indexOf(side.dataset.sheet || 'peek');
      y0 = null;
      const to = order[Math.max(0, Math.min(3, Math.abs(by) < 8 ? (at === 1 ? 2 : 1) : at + (by < 0 ? 1 : -1)))];
      if (to === 'closed') this.showPanel(false); else side.dataset.sheet = to;
    });
  }

  tick() {
    if (!this.d || !this.d.open) return;
    const r = this.rollout;
    if (this.runningChip && r && r.started) setText(this.runningChip, 'running ' + countdown(sinceInstant(r.started)));
    if (!this.model || this.app.live.paused || document.hidden) return;
    this.runOn();
    this.wf.advance(this.nowNs());
    this.ticks = (this.ticks || 0) + 1;
    if (this.ticks % 4 === 0) this.drawTimes();
  }

  // runOn moves the path on with what is open; in large traces only as new spans come.
  runOn() {
    if (!this.d.open || this.model.n > 5000) return;
    const whole = this.d.root ? this.d.root.row : -1, root = this.wf.view.root;
    const row = runOn(this.model, root >= 0 ? root : whole, this.nowNs());
    if (root >= 0 || row < 0) return;
    const first = this.part == null;
    this.part = growing(this.model.columns, this.d.services, row);
    if (first) this.drawTimes();
  }

  update(d) {
    if (!d.trace || !this.d || d.trace.version === this.d.version) return;
    this.soon(200, () => { if (this.tab === 'talk') { this.talk.d = null; this.loadLower(); } return this.load(true); });
  }

  compare() {
    const r = this.rollout;
    if (!r) return;
    const other = this.d.others.find((o) => o.attempt !== r.attempt && o.trace);
    if (!other) return;
    const [a, b] = other.attempt < r.attempt ? [other, r] : [r, other];
    this.app.go('/compare?a=' + a.trace + '&b=' + b.trace + (a.span ? '&a_span=' + a.span : '') + (b.span ? '&b_span=' + b.span : '') + '&at=' + a.at);
  }

  otherAttempt(by) {
    const r = this.rollout;
    if (!r) return;
    const list = this.d.others.filter((o) => o.trace), at = list.findIndex((o) => o.attempt === r.attempt), to = list[at + by];
    if (to) this.app.go(traceURL(to));
  }

  filterBy(term) {
    const run = this.d.run;
    this.app.go((run ? '/runs/' + encodeURIComponent(run.id) : '/traces') + '?q=' + encodeURIComponent(term));
  }

  colourBy() {
    this.wf.setBy(this.wf.by === 'group' ? 'process' : 'group');
    this.drawNames();
    this.keep();
  }

  key(e) {
    const wf = this.wf;
    if (!this.model) return false;
    const inPanel = this.side.contains(e.target), inTalk = this.lower.contains(e.target), onButton = e.target.closest && e.target.closest('button, a, summary');
    if (e.key === 'Enter') {
      if (inPanel) { if (onButton) return false; this.panel.next(); return true; }
      if (onButton || inTalk) return false;
      if (this.panelOpen) this.panel.next(); else this.showPanel(true);
      return true;
    }
    if (inTalk && (e.key === 'j' || e.key === 'ArrowDown' || e.key === 'k' || e.key === 'ArrowUp') && this.tab === 'talk') { this.talk.move(e.key === 'j' || e.key === 'ArrowDown' ? 1 : -1); return true; }
    if (inPanel && (e.key === 'ArrowDown' || e.key === 'ArrowUp')) return false;
    const page = Math.max(1, Math.floor(wf.height / wf.row) - 1);
    switch (e.key) {
      case 'j': case 'ArrowDown': wf.select(wf.at + 1); return true;
      case 'k': case 'ArrowUp': wf.select(wf.at - 1); return true;
      case 'PageDown': wf.select(wf.at + page); return true;
      case 'PageUp': wf.select(wf.at - page); return true;
      case 'Home': wf.select(0); return true;
      case 'End': wf.select(wf.lines.n - 1); return true;
      case 'h': wf.toggle(false); return true;
      case 'l': wf.toggle(true); return true;
      case 'e': case 'E': if (!wf.nextError(e.key === 'E')) this.app.say('no errors'); return true;
      case 'n': case 'N': wf.nextOnPath(e.key === 'N'); return true;
      case '+': case '=': wf.zoom(.5); return true;
      case '-': wf.zoom(2); return true;
      case '0': wf.scale.reset(); wf.zoomed(); return true;
      case 'ArrowLeft': wf.scale.pan(-.25); wf.zoomed(); return true;
      case 'ArrowRight': wf.scale.pan(.25); wf.zoomed(); return true;
      case 'p': wf.togglePairs(); return true;
      case 'x': wf.toggleFold(); return true;
      case 'X': wf.toggleFolds(); return true;
      case 'b': this.colourBy(); return true;
      case 'r': wf.makeRoot(wf.selectedRow); return true;
      case 'R': wf.makeRoot(-1); return true;
      case 'i': this.showPanel(!this.panelOpen); return true;
      case 'v': this.talkOpen = !this.talkOpen; prefs.save('talkOpen', this.talkOpen); this.drawPanes(); return true;
      case '[': this.otherAttempt(-1); return true;
      case ']': this.otherAttempt(1); return true;
      case 'c': this.compare(); return true;
      case '/': wf.openFind(); return true;
      case 'Y': copyTable(this.data()); return true;
      default: return false;
    }
  }

  // data is the rows as shown.
  data() {
    const { columns: c, ends } = this.model, { lines } = this.wf;
    return {
      heads: ['span', 'name', 'start_ns', 'duration_ns', 'process', 'path_ns'],
      rows: Array.from({ length: lines.n }, (_, k) => lines.row[k]).map((i) => [c.id[i], c.strings[c.name[i]], c.start[i], ends[i] - c.start[i], c.service[i] < 0 ? null : this.d.services[c.service[i]].name, c.path[i]]),
    };
  }

  up() {
    if (!this.wf.finder.hidden) { this.wf.closeFind(); return true; }
    if (this.side.contains(document.activeElement)) { this.wf.focus(); return true; }
    if (this.panelOpen) { this.showPanel(false); return true; }
    return false;
  }

  above() { return this.d && this.d.run ? '/runs/' + encodeURIComponent(this.d.run.id) : '/traces'; }

  keptUntil() { return this.d && this.d.removed_after ? day(ms(this.d.removed_after)) : ''; }

  command() { return terminal('traces show ' + this.trace); }
}

// inShort are the three largest parts of a time split, the two waits as one: what a phone has room for.
function inShort(parts) {
  const [admission, pool, model, tools, verify, other] = parts;
  return [['admission', 'waiting', admission + pool], ['model', 'model', model], ['tools', 'tools', tools], ['verify', 'verify', verify], ['other', 'other', other]]
    .filter(([, , ns]) => ns > 0).sort((a, b) => b[2] - a[2]).slice(0, 3);
}
