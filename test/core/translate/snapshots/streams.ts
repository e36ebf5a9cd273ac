import type { urlCitations } from '../../../../src/core/citations/url-citations.js'
import type { hostItem } from '../../../../src/core/items/index.js'
import type { TranslatorOptions } from '../../../../src/core/options/options.js'
import type { Translator } from '../../../../src/core/translate/translator.js'
import type { ResponseStreamEvent } from '../../../../src/index.js'

/** What the streams need of the library, whichever version of it. */
interface Library {
  readonly urlCitations: typeof urlCitations
  readonly hostItem: typeof hostItem
}

interface Stream {
  options(library: Library): Partial<TranslatorOptions>
  /** What came before the snapshot. */
  before(translator: Translator, library: Library): unknown
  after(translator: Translator): ResponseStreamEvent[]
}

export const OPTIONS: Pick<TranslatorOptions, 'responseId' | 'clock'> = {
  responseId: 'resp_snapshot',
  clock: () => 1_700_000_000,
}

const request = {
  model: 'gpt-oss-20b',
  tools: [
    { type: 'function', name: 'f', parameters: { type: 'object', properties: {} } },
    { type: 'mcp', server_label: 'github', server_url: 'https://example.com/', require_approval: 'never' },
    { type: 'code_interpreter', container: { type: 'auto' } },
    { type: 'web_search' },
    { type: 'file_search', vector_store_ids: ['vs_1'] },
    { type: 'shell', environment: { type: 'container_auto' } },
  ],
  include: ['code_interpreter_call.outputs', 'file_search_call.results'],
} as TranslatorOptions['request'] & object

const START = '<|start|>assistant'
const call = (to: string, text: string): string =>
  `<|channel|>commentary to=${to} <|constrain|>json<|message|>${text}<|call|>`
const result = (author: string, text: string) => ({
  host: `<|start|>${author} to=assistant<|channel|>commentary<|message|>${text}<|end|>`,
})

/** Streams that stop in each kind of state: their snapshots, taken by the first version, are beside this file. */
export const STREAMS: Readonly<Record<string, Stream>> = {
  'a message with a citation mark that is held back': {
    options: ({ urlCitations }) => ({ request, citations: urlCitations() }),
    before(translator) {
      translator.push(`<|channel|>analysis<|message|>Hm.<|end|>${START}${call('browser.search', '{"query":"q"}')}`)
      translator.push(result('browser.search', '[3] A page (https://example.com/a)\ntext'))
      translator.push(`${START}<|channel|>final<|message|>See【3†L`)
    },
    after: (translator) => [...translator.push('1】, and more.<|return|>'), ...translator.end('stop')],
  },
  'hosted calls that wait for their results': {
    options: () => ({ request }),
    before(translator) {
      const calls = [
        call('github.search', '{"q":1} and more'),
        call('python', 'print(1)'),
        call('file_search.search', '{"queries":["q"]}'),
        call('container.exec', '{"cmd":["ls"]}'),
      ]
      translator.push(calls.join(START))
    },
    after(translator) {
      const events = ['github.search', 'python', 'file_search.search', 'container.exec'].flatMap((author) =>
        translator.push(result(author, `of ${author}`)),
      )
      return [...events, ...translator.end('stop')]
    },
  },
  'a function call within its arguments': {
    options: () => ({ request }),
    before: (translator) => translator.push('<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a":'),
    after: (translator) => [...translator.push('1} Done.<|call|>'), ...translator.end('stop')],
  },
  'an undeclared function and a whole call that are not added yet': {
    options: () => ({ request, calls: 'whole' }),
    before: (translator) =>
      translator.push(`${call('functions.g', '{}')}${START}<|channel|>commentary to=functions.f<|message|>{"b"`),
    after: (translator) => [...translator.push(':2}<|call|>'), ...translator.end('stop')],
  },
  'an inserted item and open reasoning in both forms': {
    options: () => ({ request, reasoning: 'both' }),
    before(translator, { hostItem }) {
      translator.push('<|channel|>analysis<|message|>One')
      translator.insert(hostItem({ type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'aGk=' }))
    },
    after: (translator) => [
      ...translator.push(` two.<|end|>${START}<|channel|>final<|message|>Hi<|return|>`),
      ...translator.fail('The engine stopped.'),
    ],
  },
}
