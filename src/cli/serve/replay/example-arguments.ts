import { type PlausibleValues, plausibleValues } from './plausible-values.js'

/** The maximum depth of an example: deeper types are meant to break something. */
const DEPTH = 16

/**
 * Returns arguments that match the function type by which the prompt teaches a tool: `{ city: string, days?: number }`
 * gives `{ city: 'Oslo' }` where the user said Oslo. Uses required properties only, with the first of their examples; of
 * unions the text that the user said, else the first member; `{}` for a type that it cannot parse.
 *
 * @param type - the text between `(_: ` and `) => any`
 * @param said - the user's words
 */
export function exampleArguments(type: string, said = ''): unknown {
  try {
    const value = new TypeReader(wordsOf(type), plausibleValues(said)).union({ name: '' }, 0)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

interface Word {
  readonly text: string
  /** If it begins a line, the comments above that line and at its end. */
  readonly comments: readonly string[]
}

/** Splits a type into words, last first, so that the next one can be popped. */
function wordsOf(type: string): Word[] {
  const words: Word[] = []
  let above: string[] = []
  for (const line of type.split('\n')) {
    const texts = Array.from(line.matchAll(/\/\/.*|"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*|[\w$]+|\S/g), ([text]) => text)
    const comment = texts.at(-1)?.startsWith('//') ? [texts.pop() as string] : []
    if (texts.length === 0) {
      for (const one of comment) above.push(one)
      continue
    }
    const comments = [...above, ...comment]
    above = []
    for (const [at, text] of texts.entries()) words.push({ text, comments: at === 0 ? comments : [] })
  }
  return words.reverse()
}

/** The place of a value: the property's name, and what its comments say. */
interface Place {
  readonly name: string
  readonly format?: string | undefined
  readonly example?: unknown
}

function placeOf({ text, comments }: Word): Place {
  const [, format] = /\bformat: "([^"]*)"/.exec(comments.at(-1) ?? '') ?? []
  const at = comments.indexOf('// Examples:')
  const [, example] =
    /^\/\/ - ("(?:[^"\\]|\\.)*"|-?\d[\d.]*)$/.exec((at === -1 ? undefined : comments[at + 1]) ?? '') ?? []
  return {
    name: text.startsWith('"') ? (JSON.parse(text) as string) : text,
    format,
    ...(example !== undefined && { example: JSON.parse(example) as unknown }),
  }
}

class TypeReader {
  readonly #words: Word[]
  readonly #values: PlausibleValues

  constructor(words: Word[], values: PlausibleValues) {
    this.#words = words
    this.#values = values
  }

  union(place: Place, depth: number): unknown {
    if (this.#next() === '|') this.#pop()
    const members = [this.#term(place, depth)]
    while (this.#next() === '|') {
      this.#pop()
      members.push(this.#term(place, depth))
    }
    return members[members.length === 1 ? 0 : this.#values.choice(members)]
  }

  #term(place: Place, depth: number): unknown {
    let value: unknown
    if (this.#next() === 'string' && this.#words.at(-2)?.text === '[') {
      this.#pop()
      this.#list()
      value = this.#values.texts(place)
    } else value = this.#primary(place, depth)
    while (this.#next() === '[') {
      this.#list()
      value = [value]
    }
    return value
  }

  #primary(place: Place, depth: number): unknown {
    if (depth > DEPTH) throw new Error('too deep')
    const word = this.#pop() ?? ''
    if (word === '{') return this.#object(depth)
    if (word === '(') {
      const value = this.union(place, depth + 1)
      this.#expect(')')
      return value
    }
    if (/^["\d-]/.test(word)) return JSON.parse(word)
    if (word === 'string') return typeof place.example === 'string' ? place.example : this.#values.text(place)
    if (word === 'number') return typeof place.example === 'number' ? place.example : this.#values.number()
    return Object.hasOwn(LITERALS, word) ? LITERALS[word] : {}
  }

  #object(depth: number): object {
    const entries: [string, unknown][] = []
    while (this.#next() !== '}') {
      const word = this.#words.pop()
      if (word === undefined) throw new Error('the object does not end')
      const place = placeOf(word)
      const isOptional = this.#next() === '?'
      if (isOptional) this.#pop()
      this.#expect(':')
      const value = this.union(place, depth + 1)
      if (!isOptional) entries.push([place.name, value])
      if (this.#next() === ',') this.#pop()
    }
    this.#pop()
    // Unlike an assignment, this creates a property even for `__proto__`.
    return Object.fromEntries(entries)
  }

  #list(): void {
    this.#expect('[')
    this.#expect(']')
  }

  #next(): string | undefined {
    return this.#words.at(-1)?.text
  }

  #pop(): string | undefined {
    return this.#words.pop()?.text
  }

  #expect(word: string): void {
    if (this.#pop() !== word) throw new Error(`expected ${word}`)
  }
}

const LITERALS: Readonly<Record<string, unknown>> = { boolean: true, true: true, false: false, null: null }
