// Text from outside, made harmless and visible. The page only ever writes it with textContent; this adds what
// textContent does not: control characters, bidirectional overrides and lone surrogates are shown for what they are.

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

// inert shows a text that may have lines.
export function inert(s) {
  return s.replace(HIDDEN, name);
}

// line shows a text in one line.
export function line(s) {
  return inert(s.replace(/\r?\n/g, '↵').replace(/\t/g, ' '));
}

function name(c) {
  const n = c.charCodeAt(0);
  if (n < 0x20) return String.fromCharCode(0x2400 + n);
  if (n === 0x7f) return '\u2421';
  return '\\u' + n.toString(16).padStart(4, '0');
}
