// A file of OTLP JSON lines, dropped anywhere on the page, goes line by line to the receiver beside the page: the same way as from
// any sender. The page itself takes nothing.

import { toast } from './toast.js';
import { count, plural } from './format.js';

const SIGNALS = { resourceSpans: 'traces', resourceMetrics: 'metrics', resourceLogs: 'logs' };

// signalOf says where a line goes: traces, metrics or logs; '' is no OTLP.
export function signalOf(line) {
  try {
    const found = Object.keys(JSON.parse(line)).map((k) => SIGNALS[k]).filter(Boolean);
    return found.length === 1 ? found[0] : '';
  } catch { return ''; }
}

// lines gives the lines of a file that are not blank, with their numbers. A file compressed with gzip is read as what is in it.
export async function* lines(file) {
  const magic = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  if (magic[0] === 0x28 && magic[1] === 0xb5 && magic[2] === 0x2f && magic[3] === 0xfd) throw new Error('A browser cannot read zstd.');
  let stream = file.stream();
  if (magic[0] === 0x1f && magic[1] === 0x8b) stream = stream.pipeThrough(new DecompressionStream('gzip'));
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '', n = 0;
  for (;;) {
    const { value, done } = await reader.read();
    const parts = (rest + (value || '')).split('\n');
    rest = done ? '' : parts.pop();
    for (const p of parts) { n++; if (p.trim()) yield [n, p]; }
    if (done) return;
  }
}

// receive takes files that are dropped on the page. now gives the viewer's status.
export function receive(now) {
  const files = (e) => e.dataTransfer && [...e.dataTransfer.types].includes('Files');
  addEventListener('dragover', (e) => { if (files(e)) { e.preventDefault(); e.dataTransfer.dropEffect = 'copy'; } });
  addEventListener('drop', async (e) => {
    if (!files(e)) return;
    e.preventDefault();
    for (const f of [...e.dataTransfer.files]) await take(f, now());
  });
}

async function take(file, status) {
  const to = status && status.listening.find((l) => l.what.startsWith('OTLP over HTTP'));
  const instead = ' In a terminal: lens view ' + file.name;
  if (!to) { toast(file.name + ' was not read', 'Nothing takes OTLP here.' + instead, { kind: 'bad' }); return; }
  const reading = toast('Reading ' + file.name, '', { kind: 'live' });
  let sent = 0, at = 0, rejected = 0;
  try {
    for await (const [n, line] of lines(file)) {
      at = n;
      rejected += await send('http://' + to.address, line);
      sent++;
    }
  } catch (e) {
    toast(file.name + ' was not read to its end', (at ? 'Line ' + count(at) + ': ' : '') + (e instanceof TypeError ? 'the receiver at ' + to.address + ' did not answer this page.' : e.message) + (sent ? ' ' + plural(sent, 'line') + ' before were taken.' : '') + instead, { kind: 'bad' });
    return;
  } finally { reading.remove(); }
  toast(file.name + ' was read', plural(sent, 'line') + ' taken' + (rejected ? ', ' + count(rejected) + ' of their items refused.' : '.'));
}

// send gives one line to the receiver, and tells how many of its spans, points or records were turned down.
async function send(base, line) {
  const signal = signalOf(line);
  if (!signal) throw new Error('This is no OTLP JSON: it must have resourceSpans, resourceMetrics or resourceLogs.');
  const res = await fetch(base + '/v1/' + signal, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: line });
  const body = await res.json().catch(() => ({}));
  if (!res.ok) throw new Error(body.message || 'the receiver answered ' + res.status + '.');
  const p = body.partialSuccess || {};
  return Number(p.rejectedSpans || p.rejectedDataPoints || p.rejectedLogRecords || 0);
}
