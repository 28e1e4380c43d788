// What stands where data would be: errors, no match, nothing yet.

import { h } from './dom.js';
import { Failure } from './api.js';
import { tokenParts } from './filter.js';
import { terms, withoutTerm } from './query.js';
import { count } from './format.js';

// failed shows an error where the data would be: what, why, what now.
export function failed(e, retry) {
  const f = e instanceof Failure ? e : { what: 'This page met a mistake of its own.', why: String(e && e.message || e), now: 'Reload it.' };
  if (!(e instanceof Failure)) console.error(e);
  return h('div.card', { role: 'alert' }, h('h2', null, f.what), f.why && h('p', null, f.why), f.now && h('p', null, f.now),
    f.run && h('a.btn', { href: '/runs/' + encodeURIComponent(f.run) }, 'Open the run'),
    retry && f.code !== 'removed' && h('button.btn', { onclick: retry }, 'Try again'));
}

// noMatch says which terms left nothing, and offers to drop the one that helps most. hint is {term, matched} or null.
export function noMatch(noun, total, q, drop, hint) {
  const list = terms(q);
  const tok = (t) => h('span.tok', null, tokenParts(t.raw));
  return h('div.nothing', null, 'None of ' + count(total) + ' ' + noun + ' has ', list.map((t, i) => [i ? (i === list.length - 1 ? ' and ' : ', ') : '', tok(t)]), '. ',
    hint ? ['Without ', h('span.mono', null, hint.term), ' ' + count(hint.matched) + (hint.matched === 1 ? ' matches. ' : ' match. '), h('button.link', { onclick: () => drop(withoutTerm(q, hint.term)) }, 'Drop it')]
      : h('button.link', { onclick: () => drop('') }, 'Drop all'));
}

// bestDrop finds the term without which most rows match. ask(q) gives how many match.
export async function bestDrop(q, ask) {
  const list = terms(q);
  if (list.length < 2) return null;
  const all = await Promise.all(list.slice(0, 8).map(async (t) => ({ term: t.raw, matched: await ask(withoutTerm(q, t.raw)) })));
  const best = all.reduce((a, b) => (b.matched > a.matched ? b : a));
  return best.matched ? best : null;
}
