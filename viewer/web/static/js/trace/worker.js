// Reads and builds traces of more than 5,000 spans beside the page: decoding, tree, folds and paths never hold up a key.

import { read } from './loader.js';
import { buffers, pathFrom } from './model.js';

self.onmessage = async (e) => {
  if (e.data.below) {
    const found = pathFrom(e.data.below, e.data.row, e.data.now);
    self.postMessage(found);
    return;
  }
  const { url, head, now } = e.data;
  try {
    await read(url, head, now, (model, done) => self.postMessage({ model, done }, done ? buffers(model) : []));
  } catch (err) {
    self.postMessage({ failed: { status: err.status || 0, code: err.code || '', what: err.what || String(err.message), why: err.why || '', now: err.now || '', run: err.run || null } });
  }
};
