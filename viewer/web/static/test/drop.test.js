import test from 'node:test';
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';

// toast.js makes its box when it is loaded.
globalThis.document = { createElement: () => ({ setAttribute() {}, append() {}, style: {}, dataset: {} }) };
const { lines, signalOf } = await import('../js/drop.js');

const all = async (bytes) => { const out = []; for await (const l of lines(new Blob([bytes]))) out.push(l); return out; };

test('a dropped file is read by lines, compressed or not', async () => {
  const text = '{"a":"ä"}\n\n{"b":2}\r\n{"c":3}';
  const want = [[1, '{"a":"ä"}'], [3, '{"b":2}\r'], [4, '{"c":3}']];
  assert.deepEqual(await all(text), want);
  assert.deepEqual(await all(gzipSync(text)), want);
  assert.deepEqual(await all(''), []);
  await assert.rejects(all(new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0])), /zstd/);
});

test('a line goes where its signal belongs', () => {
  assert.equal(signalOf('{"resourceSpans":[]}'), 'traces');
  assert.equal(signalOf('{"resourceMetrics":[]}'), 'metrics');
  assert.equal(signalOf('{"resourceLogs":[]}'), 'logs');
  for (const bad of ['{}', 'nonsense', '[1]', '{"resourceSpans":[],"resourceLogs":[]}']) assert.equal(signalOf(bad), '', bad);
});
