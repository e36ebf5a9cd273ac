import { isFields } from '../../shared/fields.js'
import type { Slices, Work } from '../../shared/slices.js'
import type { Path } from './path.js'
import type { UnknownEntries } from './schemas/resumed.js'

/** What each visited value costs, in encoded characters. */
const VALUE = 24

/** A search for the fields and entries that a parsed value lacks because they are unknown. */
export interface UnknownSearch {
  /** The entries of unknown types. */
  readonly entries: UnknownEntries
  readonly work: Work
  /** Receives the path of each, and the type of an entry. The path changes afterwards. */
  readonly onUnknown: (path: Path, type?: string) => void
}

/** Searches a value. @param path - of the value, in an array that this function may change until it returns */
export function* findUnknown(
  sent: unknown,
  read: unknown,
  search: UnknownSearch,
  path: (string | number)[] = [],
): Slices<void> {
  const { entries, work, onUnknown } = search
  work.left -= VALUE
  if (work.left <= 0) yield* work.pause()
  // A value that is passed on unchanged, such as a JSON Schema, is the same object.
  if (sent === read) return
  if (Array.isArray(sent) && Array.isArray(read)) {
    const unknown = entries.get(sent)
    let skipped = 0
    for (const [index, entry] of sent.entries()) {
      const fate = unknown?.get(index)
      path.push(index)
      if (fate !== undefined) onUnknown(path, (entry as { readonly type: string }).type)
      else if (isNested(entry)) yield* findUnknown(entry, read[index - skipped], search, path)
      path.pop()
      if (fate === 'skipped') skipped += 1
    }
  } else if (isFields(sent) && isFields(read)) {
    for (const name of Object.keys(sent)) {
      const value = sent[name]
      path.push(name)
      if (!Object.hasOwn(read, name)) {
        if (value != null) onUnknown(path)
      } else if (isNested(value)) yield* findUnknown(value, read[name], search, path)
      path.pop()
    }
  }
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
