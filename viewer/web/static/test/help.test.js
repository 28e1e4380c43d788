import test from 'node:test';
import assert from 'node:assert/strict';

// toast.js makes its box when it is loaded.
globalThis.document = { createElement: () => ({ setAttribute() {}, append() {}, style: {}, dataset: {} }) };
const { command, keptIn, shell, terminal } = await import('../js/help.js');

test('a command is one word of a shell where it must be', () => {
  assert.equal(shell('demo-1130'), 'demo-1130');
  assert.equal(shell("it's"), "'it'\\''s'");
  assert.equal(shell('-x'), "'-x'");
  assert.equal(command('reward<0.5 env:mcqa'), "lens traces ls --query 'reward<0.5 env:mcqa'");
  assert.equal(command(''), 'lens traces ls');
});

test('commands name the folder when it is not the usual one', () => {
  keptIn('/tmp/a b/viewer');
  assert.equal(terminal('traces show ab'), "lens traces show ab --data '/tmp/a b/viewer'");
  keptIn(null);
  assert.equal(terminal('traces show ab'), 'lens traces show ab');
});
