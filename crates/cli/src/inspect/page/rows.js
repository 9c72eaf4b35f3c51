// A list of any length of which only the rows in sight are in the document.

/** Rows beyond the edges, so that a little scrolling finds them there. */
const SPARE = 8;
/** Browsers place nothing beyond some 17 million pixels. */
const MOST_PIXELS = 16_000_000;

export class Rows {
  /** `draw(row, index)` fills an element that may have been another row before. */
  constructor(box, height, draw) {
    this.box = box;
    this.height = height;
    this.draw = draw;
    this.count = 0;
    this.drawn = new Map();
    this.space = document.createElement('div');
    this.space.setAttribute('role', 'presentation');
    box.append(this.space);
    box.addEventListener('scroll', () => this.show(), { passive: true });
    new ResizeObserver(() => this.show()).observe(box);
  }

  /** Shows so many rows, all drawn anew. */
  reset(count) {
    this.count = count;
    this.space.style.height = `${Math.min(count * this.height, MOST_PIXELS)}px`;
    this.show(true);
  }

  /** How many rows a pixel of the scroll bar stands for, as a share of the plain number: 1 but for huge lists. */
  get scale() {
    return Math.max(1, (this.count * this.height) / MOST_PIXELS);
  }

  show(anew = false) {
    const { box, height, drawn } = this;
    const top = box.scrollTop * this.scale;
    const first = Math.max(0, Math.floor(top / height) - SPARE);
    const end = Math.min(this.count, Math.ceil((top + box.clientHeight) / height) + SPARE);
    const free = [];
    for (const [index, row] of drawn) {
      if (index >= first && index < end) continue;
      drawn.delete(index);
      row.remove();
      free.push(row);
    }
    // From the last to the first, each before the one after it: screen readers go by the order in the document.
    let after = null;
    for (let index = end - 1; index >= first; index--) {
      const known = drawn.get(index);
      const row = known ?? free.pop() ?? document.createElement('div');
      drawn.set(index, row);
      row.style.top = `${index * height - top + box.scrollTop}px`;
      if (known === undefined || anew) this.draw(row, index);
      if (known === undefined || row.nextSibling !== after) this.space.insertBefore(row, after);
      after = row;
    }
  }

  /** Scrolls no further than it takes to see a row; `middle` puts it there. */
  reveal(index, middle = false) {
    const { box, height, scale } = this;
    const [top, room] = [(index * height) / scale, box.clientHeight - height];
    if (middle) box.scrollTop = top - room / 2;
    else if (top < box.scrollTop) box.scrollTop = top;
    else if (top > box.scrollTop + room) box.scrollTop = top - room;
    this.show();
  }
}
