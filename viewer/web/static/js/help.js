// What `?` shows: the keys, this screen as a command, and the tables behind its charts.

import { h } from './dom.js';
import { close, copy } from './glyph.js';
import { copyText } from './toast.js';

const EVERYWHERE = [['?', 'help, and this screen as a command'], ['/', 'filter, or find in the trace'], ['Ctrl K', 'go to run, rollout, trace id'], ['g then r t g m', 'Runs, Traces, Groups, Metrics'],
  ['t', 'theme'], ['y', 'copy link'], ['.', 'pause or take live updates'], ['Esc', 'up']];

export const LISTS = ['Lists', [['j k ↓ ↑', 'move'], ['Enter', 'open'], ['Space', 'mark'], ['c', 'compare the marked two'], ['s S', 'sort next, reverse'], ['1 … 5', 'tabs'], ['Home End', 'first, last'], ['Y', 'copy table (TSV, JSON)']]];

export const TRACE = ['Trace', [['j k', 'move'], ['h l', 'close, open'], ['Enter', 'panel; in it: next section'], ['e E', 'next, previous error'], ['n N', 'next, previous on the path'], ['+ - 0', 'zoom in, out, all'], ['← →', 'pan'],
  ['[ ]', 'other attempt'], ['c', 'compare attempts'], ['p', 'pairs'], ['x X', 'fold, all folds'], ['b', 'colour by'], ['r R', 'make root, undo'], ['i v', 'panel, conversation'], ['Y', 'copy the rows (TSV, JSON)']]];

// shell writes a text as one word of a command line.
export function shell(s) { return /^[\w@%+=:,./-]+$/.test(s) && !s.startsWith('-') ? s : "'" + s.replaceAll("'", "'\\''") + "'"; }

let folder = '';

// keptIn tells where the data is, when commands must be told; null when they find it without.
export function keptIn(data) { folder = data || ''; }

// terminal is a command that asks for what this page shows.
export function terminal(args) { return 'lens ' + args + (folder ? ' --data ' + shell(folder) : ''); }

// command is the one for a query.
export function command(q) { return terminal('traces ls' + (q ? ' --query ' + shell(q) : '')); }

// cmd is a command with a button that copies it.
export function cmd(c, cls = '') {
  return h('div.cmd' + cls, null, h('span.p', { 'aria-hidden': 'true' }, '$'), h('span', null, c), h('button.iconbtn', { 'aria-label': 'Copy: ' + c, onclick: () => copyText(c, 'Command copied') }, copy()));
}

// show opens the help of a page: {keys: [section], command, tables: [{title, head, rows}]}.
export function show(page) {
  const command = page && page.command && page.command();
  const tables = (page && page.tables && page.tables()) || [];
  const d = open('Help', [
    command && [h('h3', null, 'This screen as a command'), cmd(command)],
    h('div.cols', null, [['Everywhere', EVERYWHERE], ...((page && page.keys) || [])].map(([title, list]) => h('section', null, h('h3', null, title),
      h('dl', null, list.map(([k, means]) => [h('dt', null, k.split(' ').map((x) => (x === 'then' || x === '…' ? x : h('kbd', null, x)))), h('dd', null, means)]))))),
    tables.map((t) => h('section', null, h('h3', null, t.title), h('div.scroll', null, h('table', null, h('tr', null, t.head.map((x) => h('th', { scope: 'col' }, x))), t.rows.map((r) => h('tr', null, r.map((x) => h('td', null, x))))))))]);
  d.addEventListener('keydown', (e) => { if (e.key === '?') { e.preventDefault(); d.close(); } });
}

// commands opens a dialog with commands: [what for, command].
export function commands(title, list) { open(title, list.map(([what, c]) => [h('h3', null, what), cmd(c)])); }

// say opens a dialog with sentences.
export function say(title, sentences) { open(title, sentences.map((s) => h('p', null, s))); }

// open opens a dialog; closed, it gives the focus back.
function open(title, content) {
  const before = document.activeElement;
  const d = h('dialog', { 'aria-label': title }, h('div.help', null, h('header', null, h('h2', null, title), h('button.iconbtn', { 'aria-label': 'Close', onclick: () => d.close() }, close())), content));
  document.body.append(d);
  d.addEventListener('click', (e) => { if (e.target === d) d.close(); });
  d.addEventListener('close', () => { d.remove(); if (before && before.focus) before.focus(); });
  d.showModal();
  return d;
}
