import type { Fields } from '../../../shared/fields.js'
import { fieldOf, objectAt, optionalTextIn, textsIn } from '../../../shared/request-fields.js'
import { BROWSER } from '../../harmony/namespaces.js'
import type { WebSearchAction } from '../../responses/items.js'
import { parseArguments } from '../arguments.js'
import type { Builtin, BuiltinNamespace } from './builtin.js'

type Action = WebSearchAction['type']

const TOOLS: Readonly<Record<Action, string>> = { search: 'search', open_page: 'open', find_in_page: 'find' }

const ACTIONS = /* @__PURE__ */ Object.keys(TOOLS) as Action[]

/** Returns the text that the models were trained on, a fact of the format: `get_tool_namespace_config('browser')`. */
function namespace(): BuiltinNamespace {
  return {
    name: BROWSER,
    description: [
      'Tool for browsing.',
      'The `cursor` appears in brackets before each browsing display: `[{cursor}]`.',
      'Cite information from the tool using the following format:',
      '`【{cursor}†L{line_start}(-L{line_end})?】`, for example: `【6†L9-L11】` or `【8†L3】`.',
      'Do not quote more than 10 words directly from the tool output.',
      'sources=web (default: web)',
    ].join('\n'),
    tools: [
      {
        name: 'search',
        description: 'Searches for information related to `query` and displays `topn` results.',
        parameters: {
          type: 'object',
          properties: { query: { type: 'string' }, topn: { type: 'number', default: 10 }, source: { type: 'string' } },
          required: ['query'],
        },
      },
      {
        name: 'open',
        description: [
          'Opens the link `id` from the page indicated by `cursor` starting at line number `loc`, showing `num_lines` ' +
            'lines.',
          'Valid link ids are displayed with the formatting: `【{id}†.*】`.',
          'If `cursor` is not provided, the most recent page is implied.',
          'If `id` is a string, it is treated as a fully qualified URL associated with `source`.',
          'If `loc` is not provided, the viewport will be positioned at the beginning of the document or centered on ' +
            'the most relevant passage, if available.',
          'Use this function without `id` to scroll to a new location of an opened page.',
        ].join('\n'),
        parameters: {
          type: 'object',
          properties: {
            id: { type: ['number', 'string'], default: -1 },
            cursor: { type: 'number', default: -1 },
            loc: { type: 'number', default: -1 },
            num_lines: { type: 'number', default: -1 },
            view_source: { type: 'boolean', default: false },
            source: { type: 'string' },
          },
        },
      },
      {
        name: 'find',
        description: 'Finds exact matches of `pattern` in the current page, or the page given by `cursor`.',
        parameters: {
          type: 'object',
          properties: { pattern: { type: 'string' }, cursor: { type: 'number', default: -1 } },
          required: ['pattern'],
        },
      },
    ],
  }
}

export const webSearch: Builtin<
  'web_search_call',
  'host',
  { readonly kind: 'web_search_call'; readonly action: Action }
> = {
  item: 'web_search_call',
  runBy: 'host',
  recipients: Object.fromEntries(ACTIONS.map((action) => [`${BROWSER}.${TOOLS[action]}`, action])),
  // Policies contain no other action: `CallOf` ensures that.
  callee: (action = 'search') => ({ kind: 'web_search_call', action: action as Action }),
  namespace,
  address: BROWSER,
  channel: 'analysis',
  recipientAfter: 'channel',
  body: 'code',
  replacedBy: { label: 'web_search_preview', tool: 'search' },
  example: { type: 'web_search_call', id: '', status: 'searching', action: { type: 'search', query: '' } },
  isHosted: () => true,
  isWaiting: ({ status }) => status === 'searching',
  isInsertable: true,
  recipientOf: ({ action }) => `${BROWSER}.${TOOLS[action.type]}`,
  actionOf: ({ action }) => action.type,
  asked({ action }) {
    const { sources: _, ...search } = action as Extract<WebSearchAction, { type: 'search' }>
    return search
  },
  shown(content, action) {
    const main = { search: 'query', find_in_page: 'pattern', open_page: undefined }[action as Action]
    const value = main && parseArguments(content, main)?.[main]
    return typeof value === 'string' ? value : ''
  },
  // The item lacks the pages that it showed; history has them.
  written(item, param) {
    const [tool, given] = callOf(objectAt(fieldOf(item, 'action') ?? {}, `${param}.action`), `${param}.action`)
    return { recipient: `${BROWSER}.${tool}`, content: JSON.stringify(given) }
  },
  data: ['sources', 'pages'],
  resultText: ({ pages, sources }) =>
    (pages ?? sources)
      ?.map((page) => ('title' in page && page.title ? `${page.title} (${page.url})` : page.url))
      .join('\n'),
}

/** Returns the browser's tool and its arguments. */
function callOf(action: Fields, param: string): [tool: string, given: Fields] {
  const type = optionalTextIn(action, 'type', param) ?? 'search'
  if (type === 'open_page') return [TOOLS.open_page, { id: optionalTextIn(action, 'url', param) ?? '' }]
  if (type !== 'search') return [TOOLS.find_in_page, { pattern: optionalTextIn(action, 'pattern', param) ?? '' }]
  const [first = ''] = textsIn(action, 'queries', param)
  return [TOOLS.search, { query: optionalTextIn(action, 'query', param) ?? first }]
}
