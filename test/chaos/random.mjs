/** Numbers in [0, 1) that follow from a seed (mulberry32). */
export function createRandom(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  return {
    next,
    /** A whole number from `least` to `max`. */
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    one: (list) => list[Math.floor(next() * list.length)],
    chance: (share) => next() < share,
    shuffled(list) {
      const left = [...list]
      const taken = []
      while (left.length > 0) taken.push(...left.splice(Math.floor(next() * left.length), 1))
      return taken
    },
  }
}
