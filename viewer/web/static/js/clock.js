// The viewer's time, not the browser's: counted on from the last answer, so that "running 1:14" is right with a wrong clock too.

let at = 0, base = Date.now();

export function tell(unixNano) {
  base = Number(BigInt(unixNano) / 1000n) / 1000;
  at = performance.now();
}

// now is in milliseconds since 1970.
export function now() { return base + performance.now() - at; }

export const ms = (unixNano) => Number(BigInt(unixNano) / 1000n) / 1000;

// between counts nanoseconds from one instant to another.
export const between = (a, b) => Number(BigInt(b) - BigInt(a));

// sinceInstant counts nanoseconds from an instant to now.
export const sinceInstant = (unixNano) => (now() - ms(unixNano)) * 1e6;
