import type { FileSearchFilter } from '../../../core/responses/items.js'

/** The attributes of a file, by which a request can filter. */
export type Attributes = { readonly [name: string]: string | number | boolean }

/** The API's limits of attributes. */
const MAX_ATTRIBUTES = 16
const MAX_VALUE_LENGTH = 512
const FIELD = /^([\w.-]{1,64}):[ \t]+(\S.*)$/

const FRONT_MATTER = /^---\r?\n([\s\S]{0,8192}?)\r?\n---[ \t]*(?:\r?\n|$)/

/** Reads the front matter of a Markdown file: lines of `name: value`. Lists and other values are no attributes. */
export function frontMatter(text: string): { readonly attributes: Attributes; readonly body: string } {
  const [whole = '', lines = ''] = FRONT_MATTER.exec(text) ?? []
  const attributes = new Map<string, string | number | boolean>()
  for (const line of lines.split(/\r?\n/)) {
    const [, name = '', valueText = ''] = FIELD.exec(line) ?? []
    const value = scalarOf(valueText.trim())
    if (value !== undefined && attributes.size < MAX_ATTRIBUTES) attributes.set(name, value)
  }
  return { attributes: Object.fromEntries(attributes), body: text.slice(whole.length) }
}

function scalarOf(written: string): string | number | boolean | undefined {
  const [, , quoted] = /^(["'])(.*)\1$/.exec(written) ?? []
  const text = quoted ?? written
  // Characters that in YAML begin a value other than plain text.
  if (text === '' || text.length > MAX_VALUE_LENGTH || (quoted === undefined && /^[[\]{}|>&*!%@`"'#,]/.test(text)))
    return
  if (quoted !== undefined) return text
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : text
}

/** Filters nested deeper than this are refused. */
const MAX_DEPTH = 32

/** Whether a filter selects a file. @throws Error if the filter, which a client wrote, has a part that is none */
export function selects(filter: unknown, attributes: Attributes, depth = 0): boolean {
  const { type, filters, key, value } = Object(filter) as Partial<Record<string, unknown>>
  if ((type === 'and' || type === 'or') && Array.isArray(filters) && depth < MAX_DEPTH) {
    const isSelected = (each: unknown): boolean => selects(each, attributes, depth + 1)
    return type === 'and' ? filters.every(isSelected) : filters.some(isSelected)
  }
  if (typeof type !== 'string' || typeof key !== 'string' || !Object.hasOwn(COMPARISONS, type)) {
    throw new Error('file_search: expected filters of comparisons, joined by and, or')
  }
  return COMPARISONS[type as Comparison](Object.hasOwn(attributes, key) ? attributes[key] : undefined, value)
}

type Comparison = Exclude<FileSearchFilter['type'], 'and' | 'or'>

const isIn = (own: unknown, value: unknown): boolean => Array.isArray(value) && value.includes(own)

/** Compares numbers with numbers, and texts, such as dates, with texts. */
const compare = (holds: (own: number | string, value: number | string) => boolean) => (own: unknown, value: unknown) =>
  typeof own === typeof value &&
  (typeof own === 'number' || typeof own === 'string') &&
  holds(own, value as number | string)

const COMPARISONS: { readonly [Type in Comparison]: (own: unknown, value: unknown) => boolean } = {
  eq: (own, value) => own === value,
  ne: (own, value) => own !== value,
  gt: compare((own, value) => own > value),
  gte: compare((own, value) => own >= value),
  lt: compare((own, value) => own < value),
  lte: compare((own, value) => own <= value),
  in: isIn,
  nin: (own, value) => !isIn(own, value),
}
