import { jsonText } from './json-text.js'
import { listOf, stringOf } from './keywords.js'
import { notesOf } from './notes.js'
import { inline, linesOf } from './one-line.js'
import { fitting, isFull, spend } from './room.js'
import type { SchemaView, Scope } from './scope.js'

/** Writes a text as comment lines, each of which begins with `//`. */
export function comment(text: string, indent: string, scope: Scope): string {
  return shownLines(text, indent, scope)
    .map((line) => `${indent}// ${line}\n`)
    .join('')
}

/**
 * Writes the comment after a type, on its line: ` // TEXT TEXT`. Further lines follow below. Empty if there is no text.
 */
export function trailingComment(texts: readonly string[], indent: string, scope: Scope): string {
  if (texts.length === 0) return ''
  return ` // ${shownLines(texts.join(' '), indent, scope).join(`\n${indent}// `)}`
}

/** Returns the lines of a text that fit the remaining room. An empty text has one. */
function shownLines(text: string, indent: string, { room }: Scope): string[] {
  const lines = linesOf(text)
  const result: string[] = []
  for (const [index, line] of lines.entries()) {
    if (isFull(room)) {
      result.push(`... (${lines.length - index} more lines)`)
      break
    }
    spend(room, indent.length + 4)
    result.push(fitting(line, room))
  }
  return result.length === 0 ? [''] : result
}

/** Writes the title and the examples of a property. */
export function titleComment({ get }: SchemaView, indent: string, scope: Scope): string {
  const title = stringOf(get, 'title')
  return title === undefined ? '' : `${comment(title, indent, scope)}${indent}//\n`
}

export function descriptionComment({ get }: SchemaView, indent: string, scope: Scope): string {
  const description = stringOf(get, 'description')
  return description === undefined ? '' : comment(description, indent, scope)
}

export function examplesComment({ get }: SchemaView, indent: string, scope: Scope): string {
  const examples = listOf(get, 'examples')
  if (examples.length === 0) return ''
  const lines = [comment('Examples:', indent, scope)]
  for (const [index, example] of examples.entries()) {
    if (isFull(scope.room)) {
      lines.push(`${indent}// (${examples.length - index} more are left out)\n`)
      break
    }
    const text = typeof example === 'string' ? `"${inline(example)}"` : value(example, scope)
    lines.push(comment(`- ${text}`, indent, scope))
  }
  return lines.join('')
}

/** Returns the default, and facts that the type cannot express: `default: 10, minimum: 1`. Empty if there are none. */
export function factsOf(view: SchemaView, scope: Scope, quotesEnum = false): string[] {
  const notes = notesOf(view, scope)
  const fallback = view.get('default')
  if (fallback !== undefined) notes.unshift(`default: ${defaultText(view, fallback, scope, quotesEnum)}`)
  return notes.length === 0 ? [] : [notes.join(', ')]
}

/** Writes a default. One that is a value of the enum is not quoted, as in the official renderer. */
function defaultText({ get }: SchemaView, fallback: unknown, scope: Scope, quotesEnum: boolean): string {
  if (typeof fallback !== 'string') return value(fallback, scope)
  const isEnum = listOf(get, 'enum').length > 0
  if (isEnum && quotesEnum) return value(fallback, scope)
  const text = fitting(inline(fallback), scope.room)
  return isEnum ? text : `"${text}"`
}

function value(json: unknown, { room }: Scope): string {
  const text = jsonText(json, Math.max(room.left, 0))
  spend(room, text.length)
  return text
}
