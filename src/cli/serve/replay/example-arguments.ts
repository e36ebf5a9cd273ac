/** The maximum depth of an example: deeper types are meant to break something. */
const DEPTH = 16

/**
 * Returns arguments that match the function type by which the prompt teaches a tool: `{ city: string, days?: number }`
 * gives `{ city: 'example' }`. Uses required properties only, and the first member of unions; `{}` for a type that it
 * cannot parse.
 *
 * @param type - the text between `(_: ` and `) => any`
 */
export function exampleArguments(type: string): unknown {
  const words = wordsOf(type)
  try {
    const value = readUnion(words, 0)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

/** Splits a type into words, last first, so that the next one can be popped. */
function wordsOf(type: string): string[] {
  const words = type.matchAll(/\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"?|-?\d[\d.eE+-]*|[\w$]+|\S/g)
  return Array.from(words, ([word]) => word)
    .filter((word) => !word.startsWith('//'))
    .reverse()
}

function readUnion(words: string[], depth: number): unknown {
  if (words.at(-1) === '|') words.pop()
  const value = readTerm(words, depth)
  while (words.at(-1) === '|') {
    words.pop()
    readTerm(words, depth)
  }
  return value
}

function readTerm(words: string[], depth: number): unknown {
  let value = readPrimary(words, depth)
  while (words.at(-1) === '[') {
    words.pop()
    expect(words, ']')
    value = [value]
  }
  return value
}

function readPrimary(words: string[], depth: number): unknown {
  if (depth > DEPTH) throw new Error('too deep')
  const word = words.pop() ?? ''
  if (word === '{') return readObject(words, depth)
  if (word === '(') {
    const value = readUnion(words, depth + 1)
    expect(words, ')')
    return value
  }
  if (/^["\d-]/.test(word)) return JSON.parse(word)
  return Object.hasOwn(EXAMPLES, word) ? EXAMPLES[word] : {}
}

const EXAMPLES: Readonly<Record<string, unknown>> = {
  string: 'example',
  number: 1,
  boolean: true,
  true: true,
  false: false,
  null: null,
}

function readObject(words: string[], depth: number): object {
  const entries: [string, unknown][] = []
  while (words.at(-1) !== '}') {
    const name = words.pop()
    if (name === undefined) throw new Error('the object does not end')
    const isOptional = words.at(-1) === '?'
    if (isOptional) words.pop()
    expect(words, ':')
    const value = readUnion(words, depth + 1)
    if (!isOptional) entries.push([name.startsWith('"') ? JSON.parse(name) : name, value])
    if (words.at(-1) === ',') words.pop()
  }
  words.pop()
  // Unlike an assignment, this creates a property even for `__proto__`.
  return Object.fromEntries(entries)
}

function expect(words: string[], word: string): void {
  if (words.pop() !== word) throw new Error(`expected ${word}`)
}
