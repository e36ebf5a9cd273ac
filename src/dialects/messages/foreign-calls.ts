import { type Fields, isFields } from '../../shared/fields.js'
import { fieldOf, objectIn, objectsAt, optionalTextIn, textIn } from '../../shared/request-fields.js'
import { readBlock, readBlocks, type SkipContent } from './content.js'

/*
 * Calls of tools that another server ran: code, files, pages, other models. This server has none of them. The model
 * reads each call and its result as those of a function, so that a conversation that began there can go on here.
 */

/** The result of a call, for its item, and the tools that it found. */
export interface ForeignResult {
  readonly output: object[]
  readonly found: readonly string[]
}

type ReadResult = (result: Fields, param: string, skip: SkipContent) => string | object[]

/** Reads the content of a result, by its type. */
const RESULTS: { readonly [type: string]: ReadResult } = {
  code_execution_result: readExecution,
  bash_code_execution_result: readExecution,
  encrypted_code_execution_result: readExecution,
  text_editor_code_execution_view_result: (result, param) => textIn(result, 'content', param),
  text_editor_code_execution_create_result: (result) => (fieldOf(result, 'is_file_update') ? 'Updated.' : 'Created.'),
  text_editor_code_execution_str_replace_result: (result) => {
    const lines = fieldOf(result, 'lines')
    return Array.isArray(lines) ? lines.map(String).join('\n') : 'Replaced.'
  },
  tool_search_tool_search_result: (result, param, skip) =>
    readBlocks(fieldOf(result, 'tool_references') ?? [], `${param}.tool_references`, skip),
  web_fetch_result: (result, param, skip) => [
    ...readBlocks(optionalTextIn(result, 'url', param) ?? '', param, skip),
    ...readBlock(objectIn(result, 'content', param), `${param}.content`, skip),
  ],
  advisor_result: (result, param) => textIn(result, 'text', param),
  advisor_redacted_result: () => '[encrypted]',
}

/** The types of blocks with the results of such calls. */
const BLOCKS: readonly string[] = [
  ...['code_execution_tool_result', 'bash_code_execution_tool_result', 'text_editor_code_execution_tool_result'],
  ...['tool_search_tool_result', 'web_fetch_tool_result', 'advisor_tool_result'],
]

export function isForeignResult(type: string): boolean {
  return BLOCKS.includes(type)
}

/** Reads a block with a result. @throws RequestError */
export function readForeignResult(block: Fields, param: string, skip: SkipContent): ForeignResult {
  const at = `${param}.content`
  const result = fieldOf(block, 'content')
  if (!isFields(result)) return { output: readBlocks(result ?? '', at, skip), found: [] }
  const type = textIn(result, 'type', at)
  const read = Object.hasOwn(RESULTS, type) ? RESULTS[type] : undefined
  const output = read?.(result, at, skip) ?? errorOf(result, type)
  const references = fieldOf(result, 'tool_references')
  const found = Array.isArray(references) ? references.map((each) => String(fieldOf(Object(each), 'tool_name'))) : []
  return { output: typeof output === 'string' ? readBlocks(output, at, skip) : output, found }
}

/** Returns the output of a program: its streams, its files, and how it ended, like that of a shell. */
function readExecution(result: Fields, param: string): string {
  const streams = ['stdout', 'stderr'].map((name) => optionalTextIn(result, name, param) ?? '')
  const hidden = fieldOf(result, 'encrypted_stdout') === undefined ? [] : ['[encrypted]']
  const files = objectsAt(fieldOf(result, 'content') ?? [], `${param}.content`).map(
    (file, index) => `[file ${textIn(file, 'file_id', `${param}.content[${index}]`)}]`,
  )
  const code = fieldOf(result, 'return_code') ?? 0
  const lines = [...streams.map((text) => text.replace(/\n$/, '')), ...hidden, ...files]
  return [...lines, code === 0 ? '' : `[exit code ${String(code)}]`].filter((line) => line !== '').join('\n')
}

/** Returns the text of an error, or of a result that nobody knows. */
function errorOf(result: Fields, type: string): string {
  const code = fieldOf(result, 'error_code')
  if (typeof code === 'string') return `Error: ${code}`
  const text = fieldOf(result, 'text') ?? fieldOf(result, 'content')
  return typeof text === 'string' ? text : `[${type}]`
}
