import test from 'node:test';
import assert from 'node:assert/strict';
import { terms, term, join, quote, withTerm, withoutTerm, complaint, nearest } from '../js/query.js';

test('terms are cut at blanks outside of quotation marks', () => {
  const q = 'reward<0.5 -env:mcqa  "two words" name:"a b"';
  assert.deepEqual(terms(q).map((t) => t.raw), ['reward<0.5', '-env:mcqa', '"two words"', 'name:"a b"']);
  assert.equal(join(terms(q)), 'reward<0.5 -env:mcqa "two words" name:"a b"');
  assert.equal(terms(q)[1].from, 11);
});

test('a term has field, operator, value', () => {
  assert.deepEqual(term('-env:a,b'), { raw: '-env:a,b', not: true, field: 'env', op: ':', value: 'a,b' });
  assert.equal(term('dur>=2s').op, '>=');
  assert.equal(term('name!=x').op, '!=');
  assert.equal(term('text').field, '');
  assert.equal(term('"a:b"').field, '');
  assert.equal(term('gen_ai.request.model~^syn').op, '~');
});

test('values are quoted only when they must be', () => {
  const unquote = (v) => (v.length > 1 && v[0] === '"' && v.endsWith('"') ? v.slice(1, -1).replace(/\\(.)/g, '$1') : v);
  for (const v of ['multi_step', 'a b', 'say "so"', 'a,b', '1..2', 'back\\slash x']) assert.equal(unquote(quote(v)), v);
  assert.equal(quote('multi_step'), 'multi_step');
});

test('a new term replaces the one on its field', () => {
  assert.equal(withTerm('env:a dur:1s..2s text', 'dur:5s..8s'), 'env:a text dur:5s..8s');
  assert.equal(withoutTerm('reward<0.5 env:mcqa', 'env:mcqa'), 'reward<0.5');
});

test('an unknown field is answered with the nearest', () => {
  assert.equal(complaint('enviro:x'), 'No field is called "enviro". Nearest: env.');
  assert.equal(complaint('rewrad<1'), 'No field is called "rewrad". Nearest: reward.');
  assert.equal(complaint('failed>0', true), '');
  assert.match(complaint('failed>0'), /No field/);
  assert.equal(complaint('gen_ai.request.model:x http.route:y'), '');
  assert.match(complaint('name:"a'), /not closed/);
  assert.equal(nearest('zzzzzz'), '');
});
