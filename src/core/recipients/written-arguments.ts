import { PYTHON } from '../harmony/namespaces.js'

/*
 * The arguments of a call as its item shows them: a JSON object if the model wrote one, and nothing after it. Both the
 * streamed item and the conversation that is read back use these functions.
 */

/** The state of a scan for an object. Plain data, so that it can be part of a snapshot. */
export interface ObjectScan {
  /** How many objects and arrays are open; 0 before the first and after the last; -1 if the text is no object. */
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
 * Scans more text. White space before the object counts as part of it.
 *
 * @returns the length of the part that belongs to the object: all of it, unless the object ends here. A text that is no
 * object has no end.
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

/** The part of a call's text that an item shows, and the part that it drops. */
export interface ShownArguments {
  readonly shown: string
  /** Empty if only white space followed. */
  readonly dropped: string
}

/** Whether the text after an object is dropped: it is not blank, and the object is complete without it. */
export function isSuperfluous(rest: string, object: string): boolean {
  return rest.trim() !== '' && isJson(object)
}

/** Returns the object that the text begins with, or the whole text if it begins with none. */
export function objectIn(text: string): ShownArguments {
  const end = scanObject(createScan(), text)
  const [shown, dropped] = [text.slice(0, end), text.slice(end)]
  return isSuperfluous(dropped, shown) ? { shown, dropped } : { shown: text, dropped: '' }
}

/**
 * Returns the arguments of an undeclared function, whose schema is unknown: always a JSON object, since clients parse
 * them before they look for the function. Anything else becomes the single argument of an object: a call of `python`,
 * for example, is code.
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
