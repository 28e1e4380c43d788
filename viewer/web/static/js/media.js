// Widths at which the layout changes, and the reader's wishes.
export const phone = matchMedia('(max-width: 599px)');
export const still = matchMedia('(prefers-reduced-motion: reduce)');
