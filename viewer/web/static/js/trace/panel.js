// The panel beside the waterfall: what one span, one call or one fold is made of.

import { h, s, put, qty } from '../dom.js';
import { count, duration, exact, middle, percent, plural, text } from '../format.js';
import { inert, line } from '../inert.js';
import { figures, label } from './folds.js';
import { FOLD, MORE } from './rows.js';
import { nameOf, GHOST, LINKS } from './columns.js';
import { describe } from './labels.js';
import { children } from './tree.js';
import { logTicks } from '../charts.js';
import { copyText } from '../toast.js';
import { quote } from '../query.js';
import * as glyph from '../glyph.js';
import { Latest, aborted } from '../api.js';
import { phone } from '../media.js';
import { failed } from '../nothing.js';

const LONG = 200;
const MODEL = /^gen_ai\./, TOOL = /^(gen_ai\.tool|nemo\.gym\.tool)/, ROLLOUT = /^nemo\.gym\.rollout\./;

export class Panel {
  // on: {close(), filter(term), jump(row), conversation(span)}
  constructor(on) {
    this.on = on;
    this.tab = null; // as the reader chose
    this.askA = new Latest();
    this.askB = new Latest();
    this.open = { resource: false };
    this.el = h('aside.panelside', { 'aria-label': 'Selected span', tabindex: -1 });
    this.cache = new Map();
  }

  stop() { this.askA.stop(); this.askB.stop(); }

  // show shows line k of a waterfall.
  async show(wf, path, at) {
    this.wf = wf;
    const { model: m, lines, view } = wf, k = wf.at, kind = lines.kind[k], i = lines.row[k], c = m.columns;
    this.stop();
    if (kind === FOLD || kind === MORE) { this.fold(m.folds[lines.ref[k]]); return; }
    const j = view.pairs ? m.pair[i] : -1, b = j >= 0 ? j : i;
    if (c.flags[b] & GHOST) { this.ghost(b); return; }
    const key = c.id[i] + (c.copies.get(i) || '') + '/' + b;
    this.key = key;
    const kept = this.cache.get(key);
    if (kept) { this.draw(i, j, kept); return; }
    clearTimeout(this.slow);
    if (!this.el.firstChild) put(this.el, this.headOf(i, j));
    const ask = (latest, r) => latest.get(path + '/spans/' + c.id[r], { copy: c.copies.get(r), at });
    try {
      const d = await Promise.all([ask(this.askA, b), j >= 0 ? ask(this.askB, i) : null]);
      if (this.key !== key) return;
      if (this.cache.size > 200) this.cache.clear();
      if (!d[0].open) this.cache.set(key, d);
      this.draw(i, j, d);
    } catch (e) {
      if (aborted(e) || this.key !== key) return;
      put(this.el, this.headOf(i, j), failed(e, () => this.show(wf, path, at)));
    }
  }

  headOf(i, j) {
    const { model: m, head } = this.wf, c = m.columns, b = j >= 0 ? j : i, dur = m.ends[i] - c.start[i];
    const col = (r) => 'var(--c' + (this.wf.colour(c, r) || 1) + ')';
    const mark = h('span.pm.' + (j >= 0 ? 'two' : 'one'), { 'aria-hidden': 'true' }, h('i', { style: { background: col(i) } }), s('svg', { width: 7, height: 8, viewBox: '0 0 7 8' }, s('path', { d: 'M0 4h6M3.6 1.6L6 4 3.6 6.4', fill: 'none', stroke: 'var(--ink3)', 'stroke-width': 1.2 })), h('i', { style: { background: col(b) } }));
    const callee = j >= 0 && c.service[j] >= 0 ? head.services[c.service[j]].label : '';
    const inside = j >= 0 ? m.ends[j] - c.start[j] : null;
    if (phone.matches) {
      const d = describe(m, this.wf.view, this.wf.lines, this.wf.at);
      return h('header.phead', null, h('div.ptitle', null, h('h2.mono.cut', { title: nameOf(c, b) }, line(nameOf(c, b)), d.note ? h('span.note', null, d.note) : null), h('span.strong', null, qty(duration(dur)))));
    }
    return h('header.phead', null, h('div.ptitle', null, mark, h('h2.mono.cut', { title: nameOf(c, b) }, line(nameOf(c, b))), h('button.iconbtn', { 'aria-label': 'Close the panel', title: 'i', onclick: this.on.close }, glyph.close())),
      h('div.figs4', null, fig('starts', [[(c.start[i] < 0 ? '−' : '+') + duration(Math.abs(c.start[i]))[0][0], duration(Math.abs(c.start[i]))[0][1]], ...duration(Math.abs(c.start[i])).slice(1)]), fig('duration', duration(dur)),
        inside == null ? fig('own work', duration(ownTime(m, i))) : fig('in ' + (callee || 'callee'), duration(inside)),
        inside == null ? fig('on path', percent((m.pathSum[i + 1] - m.pathSum[i]) / (m.total || 1)) || [['0', '%']]) : fig('wire, pool', duration(Math.max(0, dur - inside)))));
  }

  draw(i, j, d) {
    const shown = this.key + this.tab, again = this.shown === shown, first = this.el.firstChild;
    if (again && this.data === d && first && first.isEqualNode(this.headOf(i, j))) return; // nothing is new
    this.shown = shown;
    this.data = d;
    this.holding(again, () => this.drawAll(i, j, d));
  }

  // holding keeps the focus in the panel while it is drawn anew; of the same span also the place and what is in sight.
  holding(again, draw) {
    const list = () => [...this.el.querySelectorAll('button, summary, a')], body = () => this.el.querySelector('.pbody');
    const held = this.el.contains(document.activeElement), at = list().indexOf(document.activeElement), top = body() ? body().scrollTop : 0;
    draw();
    if (again && body()) body().scrollTop = top;
    if (held && !this.el.contains(document.activeElement)) (again && list()[at] || this.el).focus({ preventScroll: true });
  }

  drawAll(i, j, [srv, client]) {
    const facts = plural(srv.attributes_total + (client ? client.attributes_total : 0), 'attribute') + (srv.events_total ? ', ' + plural(srv.events_total, 'event') : '');
    const shown = this.tab || (phone.matches && this.said(srv, client).length ? 'message' : 'details');
    const tab = (id, name, n) => h('button.tab', { role: 'tab', 'aria-selected': String(shown === id), onclick: () => { this.tab = id; this.draw(i, j, this.data); } }, name, n == null ? null : h('span.n', null, count(n)));
    const body = h('div.pbody'), attributes = srv.attributes_total + (client ? client.attributes_total : 0);
    put(this.el, this.headOf(i, j), h('div.ptabs', { role: 'tablist' }, phone.matches ? [tab('message', 'Message'), tab('details', 'Details', attributes), tab('json', 'JSON')] : [tab('details', 'Details'), tab('message', 'Message'), tab('json', 'JSON'), h('span.gap'), h('span.dim', null, facts)]), body);
    if (shown === 'json') put(body, json(srv, client));
    else if (shown === 'message') put(body, this.messages(srv, client));
    else put(body, this.details(srv, client));
  }

  details(srv, client) {
    const all = srv.attributes, model = all.filter((a) => MODEL.test(a.key) && !TOOL.test(a.key)), tool = all.filter((a) => TOOL.test(a.key)), rest = all.filter((a) => !model.includes(a) && !tool.includes(a));
    const kind = (x) => (x.kind === 'unspecified' ? '' : x.kind + ' ') + 'span' + (x.group ? ', group ' + line(x.group) : '');
    // A rollout sums up the tokens of its model calls: it is none itself.
    const rollout = srv.name === 'gym.rollout' && all.some((a) => ROLLOUT.test(a.key));
    const title = rollout ? 'Rollout' : model.length ? 'Model call' : tool.length ? 'Tool call' : srv.kind === 'server' ? 'Server' : 'Span';
    const out = [problems(srv, client), h('section', null, h('h3', null, title, h('span.note', null, kind(srv))), this.pairs(rollout ? [...rest, ...tool, ...model] : [...model, ...tool, ...rest]), dropped(srv))];
    if (client) out.push(h('section', null, h('h3', null, 'Call', h('span.note', null, kind(client))), this.pairs(client.attributes), dropped(client)));
    const events = [...srv.events, ...(client ? client.events : [])].sort((a, b) => a.start_ns - b.start_ns);
    if (events.length) out.push(h('section', null, h('h3', null, 'Events', h('span.note', null, count(srv.events_total + (client ? client.events_total : 0)))), events.map((e) => h('div.event', null, h('span.dim', { title: exact(e.time) }, (e.start_ns < 0 ? '−' : '+') + text(duration(Math.abs(e.start_ns)))), h('span', null, line(e.name), e.attributes.length ? this.pairs(e.attributes) : null)))));
    const links = [...srv.links, ...(client ? client.links : [])];
    out.push(h('section', null, h('h3', null, 'Links', links.length ? h('span.note', null, count(links.length)) : null), links.length ? links.map((l) => link(l, this)) : h('p.dim', null, 'None on this span.', this.rootLinks(srv))));
    const r = srv.resource, pid = r.attributes.find((a) => a.key === 'process.pid');
    out.push(h('details', { open: this.open.resource, ontoggle: (e) => { this.open.resource = e.target.open; } }, h('summary', null, h('b', null, 'Resource'), h('span.note', null, [line(srv.service), pid ? 'pid ' + line(pid.text) : '', plural(r.attributes_total, 'attribute')].filter(Boolean).join(', '))), this.pairs(r.attributes)));
    if (srv.scope.name) out.push(h('details', null, h('summary', null, h('b', null, 'Scope'), h('span.note', null, line(srv.scope.name + ' ' + srv.scope.version))), this.pairs(srv.scope.attributes)));
    out.push(h('section.ids', null, idLine('span', srv.span), client ? idLine('call', client.span) : null, idLine('trace', srv.trace), h('div.kv', null, h('span.k', null, 'start'), h('span.v', null, exact(srv.start)))));
    return out;
  }

  // rootLinks says where there are links, when the root of the trace has some: to the job of a run, mostly.
  rootLinks(srv) {
    const { head, model: m } = this.wf, r = head.root ? head.root.row : -1;
    if (r < 0 || r >= m.n || !(m.columns.flags[r] & LINKS) || m.columns.id[r] === srv.span) return null;
    return [' The root of the trace has some: ', h('button.link', { onclick: () => this.on.jump(r) }, line(nameOf(m.columns, r))), '.'];
  }

  // pairs lists attributes: click copies, + and − add them to the filter or take them out.
  pairs(list) {
    return h('div.kvs', null, list.map((a) => {
      const long = a.text.length > LONG, v = h('button.v', { title: 'Copy', onclick: () => copyText(a.text, 'Value copied', a.key) }, inert(long ? a.text.slice(0, LONG) : a.text));
      if (a.text === '') v.append(h('span.dim', null, 'empty'));
      const term = a.key + ':' + quote(a.text.slice(0, 120));
      const row = h('div.kv', null, h('span.k', { title: a.type }, line(a.key)), v, h('span.pm2', null, h('button', { title: 'Add to the filter', 'aria-label': 'Add ' + a.key + ' to the filter', onclick: () => this.on.filter(term) }, '+'), h('button', { title: 'Take out', 'aria-label': 'Take ' + a.key + ' out', onclick: () => this.on.filter('-' + term) }, '−')));
      if (long) v.after(h('button.link', { onclick: (e) => { v.textContent = inert(a.text); e.target.remove(); } }, 'all ' + count(a.text.length)));
      if (a.cut) row.append(h('p.warn', null, count(a.cut) + ' bytes were left out.'));
      return row;
    }));
  }

  // said are the rows of the conversation that belong to a span or its call.
  said(srv, client) { return this.on.conversation([srv.span, client && client.span].filter(Boolean)); }

  messages(srv, client) {
    const all = [...srv.attributes, ...(client ? client.attributes : [])].filter((a) => /^gen_ai\.(input|output|system|prompt|completion|tool\.call)/.test(a.key) && a.text.length > 1);
    const msg = this.said(srv, client);
    if (!all.length && !msg.length) return h('p.pad.dim', null, 'No message belongs to this span. Turn on telemetry.content to record them, or open the page with the run’s results file.');
    if (phone.matches) return [msg.map((r) => h('section', null, inShort(r)))];
    return [msg.map((r) => h('section', null, h('h3', null, line(r.role), r.name ? h('span.note.mono', null, line(r.name)) : null), h('p.pre' + (r.type === 'text' ? '' : '.mono'), null, inert(pretty(r.text))))),
      all.map((a) => h('section', null, h('h3', null, line(a.key)), h('p.pre.mono', null, inert(pretty(a.text)))))];
  }

  ghost(b) {
    this.key = '';
    const { columns: c, sub } = this.wf.model;
    put(this.el, h('header.phead', null, h('div.ptitle', null, h('span.pm.ghost'), h('h2.mono.cut', null, 'parent ' + c.id[b]), h('button.iconbtn', { 'aria-label': 'Close the panel', onclick: this.on.close }, glyph.close()))),
      h('div.pbody', null, h('section', null, h('p', null, 'This span never arrived: ' + plural(children(sub, b).length, 'span') + ' name it as their parent. It may have been sampled away, dropped on the way, or its process has not sent it yet.'))));
  }

  fold(f) {
    this.key = '';
    const wf = this.wf, m = wf.model, c = m.columns, view = wf.view;
    const now = wf.now ?? wf.scale.full, g = figures(c, m.sub, f, now);
    const name = (r) => line(nameOf(c, view.pairs && m.pair[r] >= 0 ? m.pair[r] : r));
    let inside = 0, share = 0, spans = 0;
    for (const r of f.members) { const b = m.pair[r]; if (b >= 0) inside += m.ends[b] - c.start[b]; share += m.pathSum[m.sub[r]] - m.pathSum[r]; spans += m.sub[r] - r; }
    const callee = m.pair[f.members[0]] >= 0 ? wf.head.services[c.service[m.pair[f.members[0]]]] : null;
    const colour = 'var(--c' + (wf.colour(c, m.pair[f.members[0]] >= 0 ? m.pair[f.members[0]] : f.members[0]) || 1) + ')';
    const most = g.longest.length ? g.longest[0][2] : 1;
    put(this.el, h('header.phead', null, h('div.ptitle', null, h('span.foldmark', { 'aria-hidden': 'true' }, '☰'), h('h2.mono.cut', { title: label(f, name, count) }, label(f, name, count)), h('button.iconbtn', { 'aria-label': 'Close the panel', onclick: this.on.close }, glyph.close())),
      h('div.figs4', null, fig('first to last', duration(g.last - g.first)), fig('calls, sum', duration(g.sum)), callee ? fig('in ' + callee.label, duration(inside)) : h('span'), fig('on path', percent(share / (m.total || 1)) || [['0', '%']]),
        fig('p50', g.p50 == null ? null : duration(g.p50)), fig('p95', g.p95 == null ? null : duration(g.p95)), fig('p99', g.p99 == null ? null : duration(g.p99)), fig('max', duration(g.max)))),
      h('div.pbody', null,
        g.times.length ? h('section', null, h('h3', null, 'Durations', h('span.note', null, (g.times.length === f.members.length ? '' : count(g.times.length) + ' of ') + plural(f.members.length, 'call') + ', log scale')), histogram(g.times, colour)) : null,
        h('section', null, h('h3', null, 'Longest 5', h('span.note', null, 'enter opens one')), g.longest.map(([r, place, d]) => h('button.longrow', { onclick: () => this.on.jump(r) }, h('span', null, '#' + count(place)), h('span.track', null, h('i', { style: { width: Math.max(1, d / most * 100) + '%', background: colour } })), h('span', null, qty(duration(d)))))),
        h('section', null, h('h3', null, 'In this fold'), h('div.kvs', null, [['calls', f.count * f.period], ['spans', spans], ['errors', g.errors], ['retried', g.resent], ['truncated', g.truncated], ['running', g.open]].map(([k, v]) => h('div.kv', null, h('span.k', null, k), h('span.v' + (k === 'errors' && v ? '.err' : ''), null, count(v))))),
          g.truncated ? h('p.mid', null, g.truncated === 1 ? 'The truncated span was still open when its process ended. It is shown cut, not as an error, and is left out of percentiles.' : 'The truncated spans were still open when their process ended. They are shown cut, not as errors, and are left out of percentiles.') : null),
        h('section.acts2', null, h('button.btn', { onclick: () => wf.toggleFold() }, view.open.has(c.id[f.members[0]]) ? 'Fold' : 'Unfold', h('kbd', null, 'x')), h('button.btn', { onclick: () => wf.toggleFolds() }, 'Unfold all repeats'))));
  }

  // next moves the focus to the panel's next section.
  next() {
    const heads = [...this.el.querySelectorAll('.tab, summary, .kv .v, .longrow')];
    const at = heads.indexOf(document.activeElement);
    const sections = [...this.el.querySelectorAll('section, details')];
    if (!sections.length) return;
    const cur = document.activeElement.closest && document.activeElement.closest('section, details');
    const to = sections[(sections.indexOf(cur) + 1) % sections.length];
    const target = to.querySelector('summary, button') || heads[at + 1] || this.el;
    target.focus();
  }
}

// inShort is a row of a conversation without its layout.
function inShort(r) {
  if (r.type === 'call') return h('p.mono.pre', null, h('b', null, line(r.name)), '(' + line(r.text) + ')');
  if (r.type === 'output') return h('p.pre', null, h('span.dim', null, 'answered '), h('span.mono', null, line(r.text)));
  return h('p.pre', null, inert(r.text));
}

function fig(name, q) { return h('span', null, h('span.lab', null, name), h('span.val', null, q == null ? '' : qty(q))); }

function ownTime(m, i) {
  let covered = 0, t = m.columns.start[i];
  for (let k = i + 1; k < m.sub[i]; k = m.sub[k]) {
    const a = Math.max(t, m.columns.start[k]), b = Math.min(m.ends[k], m.ends[i]);
    if (b > a) { covered += b - a; t = b; }
  }
  return m.ends[i] - m.columns.start[i] - covered;
}

function problems(srv, client) {
  const out = [];
  for (const x of [srv, client]) {
    if (!x) continue;
    if (x.status === 'error' && !x.truncated) out.push(h('p.err', null, glyph.cross('error'), line(x.message || 'This span ended with an error.')));
    if (x.truncated) out.push(h('p.warn', null, glyph.truncated(), 'Cut: ' + line(x.truncated_reason || 'its process ended before the span did') + '. Not counted as an error, left out of percentiles.'));
    if (x.copies > 1) out.push(h('p.warn', null, glyph.warning(), count(x.copies) + ' spans with different content have this id. All are kept; this is number ' + (x.copy + 1) + '.'));
    if (x.open) out.push(h('p.acc', null, glyph.ring(), 'Still running, as far as was received.'));
  }
  return out.length ? h('section.problems', null, out) : null;
}

function dropped(x) {
  const d = x.dropped, parts = [];
  if (d.attributes) parts.push(plural(d.attributes, 'attribute'));
  if (d.events) parts.push(plural(d.events, 'event'));
  if (d.links) parts.push(plural(d.links, 'link'));
  const cut = x.attributes_total - x.attributes.length;
  return [parts.length ? h('p.warn', null, 'Dropped by the sender: ' + parts.join(', ') + '.') : null, cut > 0 ? h('p.warn', null, plural(cut, 'attribute') + ' more are stored.') : null];
}

function link(l, panel) {
  const name = l.attributes.find((a) => a.key === 'nemo.gym.link'), label = name ? line(name.text) : middle(l.trace);
  return h('div.event', null, l.stored ? h('a.link', { href: '/traces/' + l.trace + '?span=' + l.span + (l.at == null ? '' : '&at=' + l.at) }, label) : h('span', null, label + ', not stored'), h('span.mono.dim', null, middle(l.span, 8, 0)), l.attributes.length > (name ? 1 : 0) ? panel.pairs(l.attributes) : null);
}

function idLine(k, id) { return h('div.kv', null, h('span.k', null, k), h('button.v', { title: 'Copy', onclick: () => copyText(id, 'Id copied') }, id)); }

function json(srv, client) {
  const text = JSON.stringify(client ? { server: srv, client } : srv, null, 2);
  return [h('p.pad', null, h('button.btn', { onclick: () => copyText(text, 'JSON copied') }, glyph.copy(), 'Copy')), h('pre.json', null, inert(text))];
}

// pretty lays JSON out; other texts stay.
export function pretty(t) {
  if (!/^\s*[[{]/.test(t)) return t;
  try { return JSON.stringify(JSON.parse(t), null, 2); } catch { return t; }
}

function histogram(times, colour) {
  const W = 340, H = 56, lo = Math.max(1, times[0]), hi = Math.max(lo * 1.01, times[times.length - 1]), n = 30, l0 = Math.log(lo), l1 = Math.log(hi);
  const bins = new Array(n).fill(0);
  for (const t of times) bins[Math.min(n - 1, Math.floor((Math.log(Math.max(lo, t)) - l0) / (l1 - l0) * n))]++;
  const max = Math.max(...bins), el = s('svg', { class: 'histo', viewBox: '0 0 ' + W + ' ' + (H + 14), role: 'img', 'aria-label': 'durations in ' + n + ' bins: ' + bins.join(', ') });
  bins.forEach((v, i) => { if (v) { const hh = Math.max(1.5, v / max * H); el.append(s('rect', { x: i * W / n, y: H - hh, width: W / n - 1, height: hh, fill: colour })); } });
  el.append(s('rect', { x: 0, y: H, width: W, height: 1, fill: 'var(--line2)' }));
  let lastX = -40;
  for (const t of logTicks(lo, hi)) {
    const x = Math.max(0, (Math.log(t) - l0) / (l1 - l0) * W);
    if (x - lastX < 40 || x > W - 8) continue;
    lastX = x;
    el.append(s('text', { x, y: H + 12, class: 'tick', 'text-anchor': x < 12 ? 'start' : 'middle' }, text(duration(t)).replace('.00', '').replace(/(\d\d)\.0/, '$1')));
  }
  return el;
}

