import { isFields } from '../../../shared/fields.js'
import type { Alike } from './alike.js'
import { allOf, type Located } from './located.js'

/** The first-requested one of equivalent schemas, which stands in for all of them and is compiled once. */
export class CanonicalSchemas {
  readonly #alike: Alike
  readonly #byNumber = new Map<number, Located & { readonly path: string }>()
  /** The places of the others, by the path of the first one. */
  readonly #others = new Map<string, Set<string>>()

  constructor(alike: Alike) {
    this.#alike = alike
  }

  /** Returns the first schema that is equivalent to this one. */
  of(located: Located): Located {
    if ('all' in located) return allOf(located.all.map((each) => this.of(each)))
    const number = isFields(located.schema) ? this.#alike.get(located.schema) : undefined
    if (number === undefined) return located
    const first = this.#byNumber.get(number)
    if (first === undefined) {
      this.#byNumber.set(number, located)
      return located
    }
    if (first.path !== located.path) {
      const known = this.#others.get(first.path)
      if (known === undefined) this.#others.set(first.path, new Set([located.path]))
      else known.add(located.path)
    }
    return first
  }

  /** Yields the other places of the schema at a path, in schemas that are equivalent to the enclosing one. */
  *othersOf(path: string): Generator<string> {
    for (let end = path.length; end >= 0; end = path.lastIndexOf('/', end - 1)) {
      for (const other of this.#others.get(path.slice(0, end)) ?? []) yield other + path.slice(end)
      if (end === 0) return
    }
  }
}
