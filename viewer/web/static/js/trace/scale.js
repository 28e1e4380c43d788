// The stretch of time that the waterfall shows, and how it is moved. Pure.

export class Scale {
  constructor(full) {
    this.full = Math.max(1, full);
    this.from = 0;
    this.to = this.full;
    this.width = 1;
  }

  get whole() { return this.from <= 0 && this.to >= this.full; }

  get least() { return Math.min(this.full, 1000); }

  x(t) { return (t - this.from) / (this.to - this.from) * this.width; }

  t(x) { return this.from + x / this.width * (this.to - this.from); }

  // grow follows a trace that still runs; a view of all of it stays one.
  grow(full) {
    const whole = this.whole;
    this.full = Math.max(1, full);
    if (whole) this.reset();
  }

  reset() { this.from = 0; this.to = this.full; }

  set(from, to) {
    let len = Math.max(this.least, Math.min(this.full, to - from));
    if (!(len > 0)) len = this.full;
    this.from = Math.max(0, Math.min(this.full - len, from));
    this.to = this.from + len;
  }

  // zoom by a factor about a time, which stays where it is.
  zoom(factor, about = (this.from + this.to) / 2) {
    const len = Math.max(this.least, Math.min(this.full, (this.to - this.from) * factor));
    const k = (about - this.from) / (this.to - this.from);
    this.set(about - k * len, about - k * len + len);
  }

  pan(share) {
    const d = (this.to - this.from) * share;
    this.set(this.from + d, this.to + d);
  }
}
