// Small facts about rows and folds that drawing and text share. Pure.

import { OPEN } from './columns.js';

// foldEnd is where a fold's last member ends.
export function foldEnd(m, f) {
  if (f.end === undefined || f.open) {
    f.end = -Infinity;
    f.open = false;
    for (const i of f.members) {
      f.end = Math.max(f.end, m.ends[i]);
      if (m.columns.flags[i] & OPEN) f.open = true;
    }
  }
  return f.end;
}
