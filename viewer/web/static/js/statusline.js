// The line at the bottom: what is received and what was lost. It is never hidden.

import { h, put } from './dom.js';
import { bytes, count, limit, plural, text, whole, zone } from './format.js';
import { ring, hollow, truncated, warning } from './glyph.js';
import { sinceInstant } from './clock.js';

export class StatusLine {
  // open is told a status to show the reasons of, go to let updates in again.
  constructor(open, go) {
    this.open = open;
    this.go = go;
    this.el = h('footer.status');
  }

  // waits says that live updates are held back.
  waits(yes) {
    this.held = yes;
    if (this.last) this.draw(this.last);
  }

  draw(s) {
    this.last = s;
    const sp = s.spans, st = s.store, lost = sp.dropped, refused = sp.refused;
    const reasons = (el) => { el.tabIndex = 0; el.setAttribute('role', 'button'); el.onclick = () => this.open(s); el.onkeydown = (e) => { if (e.key === 'Enter') this.open(s); }; return el; };
    put(this.el,
      this.held ? h('button.item.warn.held', { onclick: this.go }, warning(''), 'updates wait', h('kbd', null, '.')) : null,
      receiving(s),
      s.receiving && s.receiving.processes ? h('span.item.wide', null, h('span.lab', null, 'from'), h('b', null, count(s.receiving.processes)), s.receiving.processes === 1 ? 'process' : 'processes') : null,
      sp.received || lost ? (lost ? reasons(h('span.item.warn', null, warning(''), 'dropped', h('b', null, count(lost)))) : h('span.item', null, h('span.lab', null, 'dropped'), h('b', null, '0'))) : null,
      refused ? reasons(h('span.item.warn', null, warning(''), 'refused', h('b', null, count(refused)))) : null,
      sp.truncated ? h('span.item.warn', null, truncated(''), h('span.wide', null, plural(sp.truncated, 'span') + ' truncated'), h('span.narrow', null, count(sp.truncated) + ' truncated')) : null,
      st.problems.length ? reasons(h('span.item.warn', null, warning(''), plural(st.problems.length, 'problem') + ' on disk')) : null,
      h('span.item.wide', null, h('span.lab', null, 'stored'), h('b', null, text(bytes(st.bytes))), st.max_bytes == null ? null : 'of ' + text(limit(st.max_bytes))),
      st.oldest == null ? null : h('span.item.wide.far', null, h('span.lab', null, 'oldest'), h('b', null, text(whole(sinceInstant(st.oldest))))),
      h('span.gap'),
      h('span.item.wide.far.lab', null, 'all times local, ' + zone(new Date().getTimezoneOffset())),
      h('span.item.wide.far.lab', null, 'lens ' + s.version));
  }
}

function receiving(s) {
  if (!s.receiving) return h('span.item', null, hollow(''), s.store.read_only ? 'a folder, opened for reading' : 'not receiving');
  if (!s.requests.received) {
    const ports = s.listening.filter((l) => l.what.startsWith('OTLP'));
    return [h('span.item', null, hollow(''), 'listening'),
      ports.length ? h('span.item.wide', null, h('span.lab', null, 'OTLP'), ports.map((l, i) => [i ? ', ' : '', h('b', null, l.address.slice(l.address.lastIndexOf(':'))), ' ' + (l.what.includes('gRPC') ? 'gRPC' : 'HTTP')])) : null];
  }
  const v = s.receiving.spans_per_s;
  return h('span.item', null, v > 0 ? ring('') : hollow(''), h('span.wide', null, 'receiving'), h('b', null, v >= 10 || v === 0 ? count(v) : v.toFixed(1)), 'spans/s');
}

// reasons lists why spans were lost, in sentences.
export function reasons(s) {
  const verb = (r) => plural(r.spans, 'span') + (r.spans === 1 ? ' was ' : ' were ') + r.what + ': ' + r.why + '.';
  return [...s.reasons.map(verb), ...s.store.problems.map((p) => p.endsWith('.') ? p : p + '.')];
}

