import { parseArguments } from '../../../core/recipients/arguments.js'
import { ToolError } from '../tool-error.js'

/** The arguments of a call, with the defaults that the model is taught. */
export interface BrowserArguments {
  /** The query of a search, or the pattern to find. */
  readonly main: string
  /** The link, or an address. */
  readonly id: number | string
  /** -1 for the latest page. */
  readonly cursor: number
  /** The first line to show; -1 for the page's beginning. */
  readonly loc: number
  /** The number of lines to show; -1 for as many as fit. */
  readonly lines: number
}

/** Reads what the model wrote. @param main - the argument that a bare value stands for @throws ToolError */
export function readArguments(text: string, main: 'query' | 'pattern' | 'id'): BrowserArguments {
  const given = parseArguments(text, main)
  if (given === undefined) throw new ToolError('The arguments are not a JSON object.')
  const value = given[main]
  if (main !== 'id' && typeof value !== 'string')
    throw new ToolError(`\`${main}\` should be a text, not ${typeName(value)}`)
  const { id = -1 } = given
  if (typeof id !== 'string' && !Number.isInteger(id)) throw new ToolError(`Invalid link id \`${String(id)}\`.`)
  return {
    main: typeof value === 'string' ? value : '',
    id: id as number | string,
    cursor: integerIn(given, 'cursor'),
    loc: integerIn(given, 'loc'),
    lines: integerIn(given, 'num_lines'),
  }
}

function integerIn(given: { readonly [name: string]: unknown }, name: string): number {
  const { [name]: value = -1 } = given
  if (!Number.isInteger(value)) throw new ToolError(`\`${name}\` should be an integer, not ${typeName(value)}`)
  return value as number
}

/** The names that the model was trained on are Python's. */
const TYPE_NAMES: { readonly [type: string]: string } = {
  string: 'str',
  number: 'float',
  boolean: 'bool',
  undefined: 'NoneType',
}

function typeName(value: unknown): string {
  const name = Array.isArray(value) ? 'list' : value === null ? 'NoneType' : (TYPE_NAMES[typeof value] ?? 'dict')
  return `\`${name}\``
}
