// What belongs to the reader, not to the link: widths and what is open.
export function load(key, fallback) {
  try { return JSON.parse(localStorage.getItem('lens.' + key)) ?? fallback; } catch { return fallback; }
}

export function save(key, value) {
  try { localStorage.setItem('lens.' + key, JSON.stringify(value)); } catch { /* it lasts as long as the page */ }
}
