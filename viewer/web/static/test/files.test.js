import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, dirname } from 'node:path';
import { gzipSync } from 'node:zlib';

const root = new URL('..', import.meta.url).pathname;
const all = (dir) => readdirSync(join(root, dir)).flatMap((n) => (statSync(join(root, dir, n)).isDirectory() ? all(join(dir, n)) : [join(dir, n)]));
const read = (f) => readFileSync(join(root, f), 'utf8');
const scripts = all('js').filter((f) => f.endsWith('.js')), sheets = all('css');
const html = read('index.html');

function graph(entry, seen = new Set()) {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  for (const m of read(entry).matchAll(/^(?:import|export)\b[^'";]*from '(\.[^']+)'|^import '(\.[^']+)'/gm)) graph(join(dirname(entry), m[1] || m[2]), seen);
  return seen;
}

test('index.html names every module of the graph and every style sheet, so that all load in one round trip', () => {
  for (const f of graph('js/app.js')) assert.ok(html.includes('/static/HASH/' + f + '"'), f);
  for (const f of sheets) assert.ok(html.includes('/static/HASH/' + f + '"'), f);
});

test('no file is left over', () => {
  const used = new Set([...graph('js/app.js'), ...graph('js/trace/worker.js'), ...graph('js/metrics/charts.js'), 'js/theme.js']);
  assert.deepEqual(scripts.filter((f) => !used.has(f)), []);
});

test('nothing writes markup, evaluates text or leaves the machine', () => {
  for (const f of [...scripts, ...sheets, 'index.html']) {
    const t = read(f).replaceAll('http://www.w3.org/', '');
    assert.doesNotMatch(t, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|srcdoc|\beval\(|new Function/, f);
    assert.doesNotMatch(t, /url\(['"]?(https?:)?\/\/|fetch\(['"]https?:|src="https?:|@import/, f);
  }
  assert.doesNotMatch(html, /style=|<script>|onclick=/);
});

test('the first paint stays under 300 KB compressed, fonts under 160 KB', () => {
  const fonts = all('fonts').filter((f) => f.endsWith('.woff2')).reduce((n, f) => n + statSync(join(root, f)).size, 0);
  const rest = [...graph('js/app.js'), 'js/theme.js', ...sheets, 'index.html'].reduce((n, f) => n + gzipSync(read(f)).length, 0);
  assert.ok(fonts < 160e3, String(fonts));
  assert.ok(fonts + rest < 300e3, String(fonts + rest));
});

test('what metrics need loads with them, and with nothing else', () => {
  const first = graph('js/app.js'), later = graph('js/metrics/charts.js');
  assert.ok(later.has('vendor/uplot/uplot.js') && !first.has('vendor/uplot/uplot.js') && !html.includes('uplot'));
  for (const f of all('vendor').filter((n) => n.endsWith('.js') || n.endsWith('.css'))) assert.doesNotMatch(read(f), /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|@import|url\(|fetch\(/, f);
  assert.match(read('vendor/uplot/uplot.js'), /Copyright[^]*MIT/);
  assert.match(read('vendor/uplot/LICENSE.txt'), /Permission is hereby granted/);
});
