// Short notices at the bottom right: 4 s, errors stay, three at most; they wait while the pointer is on them.

import { h } from './dom.js';
import { close, copy, cross, dot, ring } from './glyph.js';

const box = h('div.toasts', { role: 'status' });
let mounted = false;

// toast shows a title and a sentence; action is [label, function]. kind: '' plain, 'copied', 'live', 'bad'. Returns its element.
export function toast(title, words = '', { kind = '', action } = {}) {
  if (!mounted) { document.body.append(box); mounted = true; }
  const el = h('div.toast' + (kind ? '.' + kind : ''), null, kind === 'bad' ? cross('') : kind === 'live' ? ring('') : kind === 'copied' ? copy() : dot(''),
    h('div', null, title, words && h('p', null, words)),
    action && h('button', { onclick: () => { action[1](); el.remove(); } }, action[0]),
    kind === 'bad' && !action && h('button', { 'aria-label': 'Close', onclick: () => el.remove() }, close()));
  box.append(el);
  while (box.children.length > 3) box.firstChild.remove();
  if (kind === 'bad') return el;
  let timer = setTimeout(() => el.remove(), 4000);
  el.addEventListener('pointerenter', () => clearTimeout(timer));
  el.addEventListener('pointerleave', () => { timer = setTimeout(() => el.remove(), 1500); });
  return el;
}

// copyText puts a text on the clipboard and says so; action as in toast.
export async function copyText(text, title, words = '', action = null) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h('textarea.vh', { 'aria-hidden': 'true' });
    area.value = text;
    document.body.append(area);
    area.select();
    const ok = document.execCommand('copy');
    area.remove();
    if (!ok) { toast('Nothing was copied', 'The browser did not allow it.', { kind: 'bad' }); return; }
  }
  toast(title, words, { kind: 'copied', action });
}
