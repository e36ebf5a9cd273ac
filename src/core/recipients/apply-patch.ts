import { FUNCTIONS, nameIn } from '../harmony/namespaces.js'
import type { PatchOperation } from '../responses/items.js'

/*
 * Reads and writes the model's patches. gpt-oss was trained on a function that takes free text: a patch in the V4A
 * format, which changes any number of files:
 *
 *     *** Begin Patch
 *     *** Update File: a.txt
 *     @@
 *     -old
 *     +new
 *     *** End Patch
 *
 * The API's item is one operation on one file, and its diff is the text between these lines.
 */

export const APPLY_PATCH = 'apply_patch'

/** The recipient under which the tool is taught. */
export const PATCH_RECIPIENT: string = /* @__PURE__ */ (() => `${FUNCTIONS}.${APPLY_PATCH}`)()

/** Whether a recipient is a name of the tool. */
export function namesPatchTool(recipient: string): boolean {
  return (nameIn(FUNCTIONS, recipient) ?? recipient) === APPLY_PATCH
}

const BEGIN = '*** Begin Patch'
const END = '*** End Patch'
const HEADINGS: { readonly [Type in PatchOperation['type']]: string } = {
  create_file: '*** Add File: ',
  update_file: '*** Update File: ',
  delete_file: '*** Delete File: ',
}
const TYPES = /* @__PURE__ */ Object.keys(HEADINGS) as PatchOperation['type'][]

export interface ReadPatch {
  readonly operation: PatchOperation
  /** Operations on other files, which the item leaves out. */
  readonly rest?: string
}

/**
 * Parses the operation in a text: a patch, or JSON that contains a patch or an operation. Undefined if there is none.
 */
export function readPatch(text: string): ReadPatch | undefined {
  const given = /^\s*[{["]/.test(text) ? parsed(text) : text
  const operation = operationIn(given) ?? operationIn((Object(given) as { readonly operation?: unknown }).operation)
  if (operation !== undefined) return { operation }
  const patch = typeof given === 'string' ? given : Object.values(Object(given)).flat().findLast(isText)
  return patch === undefined ? undefined : readText(patch)
}

/** Writes the text of an operation, which {@link readPatch} can parse. */
export function patchText(operation: PatchOperation): string {
  const { type, path } = operation
  // A text that is no patch is shown as a diff without a file.
  if (type !== 'delete_file' && path === '') return operation.diff
  const diff = type === 'delete_file' || operation.diff === '' ? [] : [operation.diff]
  return [BEGIN, HEADINGS[type] + path, ...diff, END].join('\n')
}

function readText(text: string): ReadPatch | undefined {
  const lines = text.split(/\r?\n/)
  const first = lines.findIndex((line) => headingOf(line) !== undefined)
  const heading = headingOf(lines[first] ?? '')
  if (heading === undefined) return undefined
  const rest = lines.slice(first + 1)
  const end = rest.findIndex((line) => line.trimEnd() === END || headingOf(line) !== undefined)
  const diff = end === -1 ? rest : rest.slice(0, end)
  while (diff.at(-1) === '') diff.pop()
  const isLast = end === -1 || headingOf(rest[end] as string) === undefined
  const { type, path } = heading
  return {
    operation: type === 'delete_file' ? { type, path } : { type, path, diff: diff.join('\n') },
    ...(!isLast && { rest: rest.slice(end).join('\n') }),
  }
}

function headingOf(line: string): Pick<PatchOperation, 'type' | 'path'> | undefined {
  for (const type of TYPES) {
    const path = line.startsWith(HEADINGS[type]) ? line.slice(HEADINGS[type].length).trim() : ''
    if (path !== '') return { type, path }
  }
  return undefined
}

function operationIn(value: unknown): PatchOperation | undefined {
  const { type, path, diff } = Object(value) as { readonly [field: string]: unknown }
  if (!isText(path) || path === '' || !TYPES.includes(type as PatchOperation['type'])) return undefined
  if (type === 'delete_file') return { type, path }
  return isText(diff) ? { type: type as 'create_file' | 'update_file', path, diff } : undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
