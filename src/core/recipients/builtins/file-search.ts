import { fieldOf, listAt, objectAt, optionalTextIn, textsIn } from '../../../shared/request-fields.js'
import type { CitableFiles } from '../../responses/call-result.js'
import type { FileSearchResult } from '../../responses/items.js'
import { type Arguments, parseArguments } from '../arguments.js'
import type { Builtin, BuiltinNamespace } from './builtin.js'

const NAMESPACE = 'file_search'
const SEARCH = `${NAMESPACE}.search`

/** The argument that has the queries. */
export const QUERIES = 'queries'

/** Returns a text in the style of the browser's. gpt-oss has no such tool of its own, but was trained on the browser's marks. */
function namespace(): BuiltinNamespace {
  return {
    name: NAMESPACE,
    description: [
      'Tool for searching the files that were provided.',
      'Each passage that it finds begins with its mark, for example: `【3fa1c:0†report.pdf】`.',
      'Cite a passage that you use by writing its mark, unchanged, behind what you say.',
    ].join('\n'),
    tools: [
      {
        name: 'search',
        description: 'Searches the files for each of `queries`, and displays the passages that fit best.',
        parameters: {
          type: 'object',
          properties: { [QUERIES]: { type: 'array', items: { type: 'string' } } },
          required: [QUERIES],
        },
      },
    ],
  }
}

/** Returns the queries in the arguments, where models also write a single string; undefined without a usable one. */
export function queriesIn(given: Arguments): string[] | undefined {
  const queries = [given[QUERIES] ?? given['query']].flat()
  const isText = (query: unknown): query is string => typeof query === 'string' && query.trim() !== ''
  return queries.every(isText) && queries.length > 0 ? queries : undefined
}

/**
 * Returns the key of a result in citation marks: the end of its call's id, which distinguishes the searches of a conversation,
 * and the result's index. Short, because models have to copy it.
 */
export function fileMark(callId: string, index: number): string {
  const end = callId
    .replace(/[^a-z\d]/gi, '')
    .slice(-5)
    .toLowerCase()
  // A client may send an item whose id has no letter, and a mark without one is not recognized.
  return `${end || 'fs'}:${index}`
}

/** Returns the files of a search by the keys of their marks. @param callId - the search's item */
export function citableFiles(files: readonly Omit<FileSearchResult, 'text'>[], callId: string): CitableFiles {
  return Object.fromEntries(
    files.map(({ file_id, filename }, index) => [fileMark(callId, index), { file_id, filename }]),
  )
}

/** Matches the beginning of a passage's mark, up to its key. */
const MARKS = /【([a-z\d]{1,5}:\d{1,4})†/g

/** Returns the files whose marks are in the texts; undefined if there are none. */
export function filesMarkedIn(texts: readonly string[], files: CitableFiles): CitableFiles | undefined {
  const marked: { [mark: string]: CitableFiles[string] } = {}
  for (const text of texts) {
    for (const [, key = ''] of text.matchAll(MARKS)) {
      const file = files[key]
      if (file !== undefined) marked[key] = file
    }
  }
  return Object.keys(marked).length === 0 ? undefined : marked
}

/** Characters that would end a mark, control characters and halves of surrogate pairs. File names are untrusted. */
const UNMARKABLE = /[【】†\s\p{Cc}\p{Cs}]+/gu
/** The maximum length of a name in a mark, in UTF-16 units. */
const MAX_NAME_LENGTH = 60

type Result = Pick<FileSearchResult, 'filename' | 'text'>

function resultsText(files: readonly Result[], callId: string): string {
  if (files.length === 0) return 'No passages were found.'
  return files
    .map(({ filename, text }, index) => {
      // Cut first: that may halve a character.
      const name = filename.trim().slice(0, MAX_NAME_LENGTH).replace(UNMARKABLE, ' ').trim()
      return `【${fileMark(callId, index)}†${name || 'file'}】\n${text}`
    })
    .join('\n\n')
}

export const fileSearch: Builtin<'file_search_call', 'host'> = {
  item: 'file_search_call',
  runBy: 'host',
  recipients: { [SEARCH]: null },
  callee: () => ({ kind: 'file_search_call' }),
  namespace,
  address: SEARCH,
  channel: 'analysis',
  recipientAfter: 'channel',
  body: 'code',
  replacedBy: null,
  example: { type: 'file_search_call', id: '', status: 'searching', queries: [], results: null },
  isHosted: () => true,
  isWaiting: ({ status }) => status === 'searching',
  isInsertable: true,
  recipientOf: () => SEARCH,
  actionOf: () => undefined,
  asked: ({ queries }) => queries,
  shown: (content) => (queriesIn(parseArguments(content, QUERIES) ?? {}) ?? []).join('\n'),
  written(item, param, isDeclared) {
    const content = JSON.stringify({ [QUERIES]: textsIn(item, 'queries', param) })
    const results = fieldOf(item, 'results')
    // Without the tool, the model cannot have searched: a host inserted the item for its client.
    if (results === undefined) return isDeclared ? { recipient: SEARCH, content } : undefined
    const found = listAt(results, `${param}.results`).map((result, at) => {
      const path = `${param}.results[${at}]`
      const textOf = (name: string): string => optionalTextIn(objectAt(result, path), name, path) ?? ''
      return { filename: textOf('filename'), text: textOf('text') }
    })
    return { recipient: SEARCH, content, result: resultsText(found, optionalTextIn(item, 'id', param) ?? '') }
  },
  data: ['files'],
  resultText: ({ files }, callId) => files && resultsText(files, callId),
}
