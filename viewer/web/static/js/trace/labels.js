// What a line of the waterfall says. Pure.

import { GHOST, OPEN, TRUNCATED, DUPLICATE, CYCLE, ERROR, nameOf } from './columns.js';
import { FOLD, MEMBER, MORE } from './rows.js';
import { label as foldLabel } from './folds.js';
import { foldEnd } from './span.js';
import { count, duration, percent, text } from '../format.js';
import { line } from '../inert.js';

// describe gives the text of line k: {name, note, warn, quiet, dur, live, share, i, b}. i is the row, b the one whose process
// works (the server of a call).
export function describe(m, view, lines, k) {
  const c = m.columns, i = lines.row[k], kind = lines.kind[k];
  const j = view.pairs ? m.pair[i] : -1, b = j >= 0 ? j : i;
  if (kind === MORE) {
    const f = m.folds[lines.ref[k]];
    return { name: '', note: count(f.odd.length - 8) + ' more', i, b, dur: null, share: null };
  }
  if (kind === FOLD) {
    const f = m.folds[lines.ref[k]];
    const name = (r) => line(nameOf(c, view.pairs && m.pair[r] >= 0 ? m.pair[r] : r));
    let sum = 0;
    for (const r of f.members) sum += m.pathSum[m.sub[r]] - m.pathSum[r];
    return { name: foldLabel(f, name, count), note: '', i, b, fold: f, dur: foldEnd(m, f) - c.start[f.members[0]], live: f.open, share: sum / m.total };
  }
  const flags = c.flags[i] | c.flags[b];
  const d = { name: line(nameOf(c, b)), i, b, paired: j >= 0, dur: m.ends[i] - c.start[i], live: !!(flags & OPEN), share: shareOf(m, view, i, j) };
  if (kind === MEMBER) {
    const f = m.folds[lines.ref[k] >> 4], o = f.odd[lines.ref[k] & 15];
    d.name = '#' + count(o.place) + (j >= 0 ? '' : ' ' + d.name);
    d.quiet = true;
    d.slow = o.times ? count(o.times) + ' × the median' : '';
  }
  d.note = line(c.notes.get(b) ?? c.notes.get(i) ?? d.slow ?? '');
  if (flags & GHOST) {
    d.quiet = true;
    d.name = line(nameOf(c, b));
    d.note = flags & OPEN ? 'not received yet, children are here' : 'never arrived';
    d.atLeast = !!(flags & OPEN);
    if (!d.atLeast) d.dur = null;
    d.share = null;
    d.live = false;
  } else if (flags & DUPLICATE) {
    d.note = 'same span id twice';
    d.warn = true;
  } else if (flags & CYCLE) {
    d.note = 'cut from a cycle';
    d.warn = true;
  } else if (flags & TRUNCATED) {
    d.note = d.note || 'truncated';
    d.warn = true;
  }
  return d;
}

// shareOf is a row's part of the path: its own and its call's; all below it when it is closed.
function shareOf(m, view, i, j) {
  if (!(m.total > 0)) return null;
  if (view.closed.has(i)) return (m.pathSum[m.sub[i]] - m.pathSum[i]) / m.total;
  const own = (r) => m.pathSum[r + 1] - m.pathSum[r];
  return (own(i) + (j >= 0 ? own(j) : 0)) / m.total;
}

// spoken is a line as a sentence.
export function spoken(m, view, head, d) {
  const c = m.columns, of = (r) => (c.service[r] < 0 ? '' : line(head.services[c.service[r]].label));
  const who = d.paired ? of(d.i) + ' to ' + of(d.b) : of(d.b);
  const parts = [d.name, d.note, who, d.dur == null ? 'duration unknown' : (d.atLeast ? 'at least ' : '') + text(duration(d.dur)) + (d.live ? ' so far' : '')];
  if (d.share != null) parts.push(text(percent(d.share) || [['0', '%']]) + ' of the path');
  if (d.share > 0) parts.push('on the critical path');
  if ((c.flags[d.i] | c.flags[d.b]) & ERROR) parts.push('error' + (c.messages.has(d.b) ? ': ' + line(c.messages.get(d.b)) : ''));
  return parts.filter(Boolean).join(', ');
}
