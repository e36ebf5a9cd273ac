/** A set of places, each of which can be taken once, in logarithmic time regardless of earlier ones. */
export class FreePlaces {
  /** In ascending order. */
  readonly #places: number[] = []
  /** For each index in the list, a lower bound on the next free index. */
  readonly #next: number[] = []

  /** Adds a place that is greater than all earlier ones. */
  add(place: number): void {
    this.#next.push(this.#places.length)
    this.#places.push(place)
  }

  /** Takes the first free place that is greater than another. */
  takeAfter(place: number): number | undefined {
    const at = this.#firstFree(this.#firstAfter(place))
    if (at < this.#places.length) this.#next[at] = at + 1
    return this.#places[at]
  }

  #firstAfter(place: number): number {
    let low = 0
    let high = this.#places.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#places[middle] as number) > place) high = middle
      else low = middle + 1
    }
    return low
  }

  /** Follows the bounds to a free index, and halves the path for the next time. */
  #firstFree(from: number): number {
    let at = from
    for (let next = this.#next[at] ?? at; next !== at; next = this.#next[at] ?? at) {
      this.#next[at] = this.#next[next] ?? next
      at = next
    }
    return at
  }
}
