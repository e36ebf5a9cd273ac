import { PYTHON } from '../harmony/namespaces.js'

/*
 * The arguments of a call as its item shows them: a JSON object, where the model wrote one, and nothing after it. The
 * item, which is streamed, and the conversation that is read again go by the same functions.
 */

/** How far an object has been read. Plain data, so that it can be part of a snapshot. */
export interface ObjectScan {
  /** How many objects and arrays are open; 0 before the first and after the last. -1: what is written is no object. */
  depth: number
  isString: boolean
  isEscaped: boolean
  isOver: boolean
}

export function createScan(): ObjectScan {
  return { depth: 0, isString: false, isEscaped: false, isOver: false }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING: readonly number[] = [0x7b, 0x5b]
const CLOSING: readonly number[] = [0x7d, 0x5d]
const [BRACE] = OPENING

/**
 * Reads on. White space before the object counts as part of it.
 *
 * @returns how much of the text belongs to the object: all of it, unless it ends here. What is no object has no end.
 */
export function scanObject(scan: ObjectScan, text: string): number {
  if (scan.isOver) return 0
  if (scan.depth < 0) return text.length
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (scan.isString) {
      if (scan.isEscaped) scan.isEscaped = false
      else if (code === BACKSLASH) scan.isEscaped = true
      else if (code === QUOTE) scan.isString = false
    } else if (scan.depth === 0) {
      if (code === BRACE) scan.depth = 1
      else if (text[at]?.trim() !== '') {
        scan.depth = -1
        return text.length
      }
    } else if (code === QUOTE) scan.isString = true
    else if (OPENING.includes(code)) scan.depth += 1
    else if (CLOSING.includes(code)) {
      scan.depth -= 1
      if (scan.depth === 0) {
        scan.isOver = true
        return at + 1
      }
    }
  }
  return text.length
}

/** What an item shows of the text of a call, and what it leaves out of it. */
export interface ShownArguments {
  readonly shown: string
  /** Empty if nothing but white space followed. */
  readonly dropped: string
}

/** Whether what follows an object can be left out: it says something, and the object is whole without it. */
export function isSuperfluous(rest: string, object: string): boolean {
  return rest.trim() !== '' && isJson(object)
}

/** The object that the text begins with, or the whole text if it begins with none. */
export function objectIn(text: string): ShownArguments {
  const end = scanObject(createScan(), text)
  const [shown, dropped] = [text.slice(0, end), text.slice(end)]
  return isSuperfluous(dropped, shown) ? { shown, dropped } : { shown: text, dropped: '' }
}

/**
 * The arguments of an undeclared function, whose schema is unknown: always a JSON object, since
 * clients parse them before they look for the function. Anything else becomes the one argument of an object: what the
 * model writes to `python` is code.
 */
export function undeclaredArguments(name: string, text: string): ShownArguments {
  const given = objectIn(text)
  if (given.shown.trimStart().startsWith('{') && isJson(given.shown)) return given
  return { shown: JSON.stringify({ [name === PYTHON ? 'code' : 'input']: text }), dropped: '' }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
