import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import type { HistoryEntry } from '../../../src/endpoint/prompt/history.js'
import { countWork, type WorkCounter } from '../../support/count-work.js'
import { sized } from '../../support/runs.js'
import { describeSlow } from '../../support/slow-suites.js'
import { encodeHarmony } from '../../support/tokens.js'

/** A number of something, and then a multiple of it. */
const FEW = sized(1000, 100)
const TIMES = 4

interface Shape {
  readonly request: object
  readonly history?: readonly HistoryEntry[]
}

const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))

const call = (at: number, name = 'f') => ({ type: 'function_call', call_id: `c${at}`, name, arguments: '{}' })
const output = (at: number) => ({ type: 'function_call_output', call_id: `c${at}`, output: 'x' })
const fn = (at: number) => ({ type: 'function', name: `f${at}` })
const listing = (at: number, label: string, name: string) => {
  return { type: 'mcp_list_tools', id: `l${at}`, server_label: label, tools: [{ name, annotations: {} }] }
}
const server = (label: string, more: object = {}) => ({ type: 'mcp', server_label: label, ...more })
const request = (at: number) => {
  return { type: 'mcp_approval_request', id: `r${at}`, server_label: 's', name: 't', arguments: '{}' }
}
const declares = (...tools: object[]) => ({ type: 'additional_tools', role: 'developer', tools })
const denial = (at: number) => ({ type: 'mcp_approval_response', approval_request_id: `r${at}`, approve: false })

const RUN = '<|start|>assistant<|channel|>analysis to=python code<|message|>x<|call|>'
const RAN = '<|start|>python to=assistant<|channel|>analysis<|message|>1<|end|>'
const SAID = '<|start|>assistant<|channel|>commentary<|message|>Hm.<|end|>'
const idsOf = new Map([RUN, RAN, SAID].map((message) => [message, encodeHarmony(message)]))
/** Without the `<|start|>assistant` that the prompt ended in. */
const transcript = (...messages: string[]): HistoryEntry => ({
  tokens: messages.flatMap((message) => idsOf.get(message) ?? []).slice(2),
})
const ran = { type: 'code_interpreter_call', code: 'x', container_id: 'c', outputs: null }
const said = { role: 'assistant', phase: 'commentary', content: 'Hm.' }

const SHAPES: Readonly<Record<string, (count: number) => Shape>> = {
  messages: (n) => ({ request: { input: many(n, (at) => ({ role: at % 2 ? 'assistant' : 'user', content: 'Hi' })) } }),
  'words of a message': (n) => ({ request: { input: 'Lorem ipsum, 3 dolor.\n'.repeat(n) } }),
  'letters of a word': (n) => ({ request: { input: 'lorem'.repeat(n) } }),
  'white space': (n) => ({ request: { input: ' \n'.repeat(n) + ' '.repeat(n) } }),
  'parts of a message': (n) => ({
    request: { input: [{ role: 'user', content: many(n, () => ({ type: 'input_text', text: 'Hi' })) }] },
  }),
  'messages of the developer': (n) => ({ request: { input: many(n, () => ({ role: 'developer', content: 'Hi' })) } }),
  reasoning: (n) => ({
    request: {
      input: many(n, (at) => ({ type: 'reasoning', id: `r${at}`, summary: [{ type: 'summary_text', text: 'x' }] })),
    },
  }),
  'calls, and then their outputs': (n) => ({ request: { input: [...many(n, (at) => call(at)), ...many(n, output)] } }),
  'outputs, and then their calls': (n) => ({ request: { input: [...many(n, output), ...many(n, (at) => call(at))] } }),
  'calls of different functions': (n) => ({
    request: { tools: many(n, fn), input: many(n, (at) => [call(at, `f${at}`), output(at)]).flat() },
  }),
  'approvals that were denied': (n) => ({
    request: { tools: [server('s')], input: [...many(n, request), ...many(n, denial)] },
  }),
  functions: (n) => ({ request: { tools: many(n, fn) } }),
  'tools of a namespace': (n) => ({ request: { tools: [{ type: 'namespace', name: 'ns', tools: many(n, fn) }] } }),
  'allowed tools': (n) => ({
    request: { tools: many(n, fn), tool_choice: { type: 'allowed_tools', tools: many(n, (at) => fn(n - 1 - at)) } },
  }),
  'listed tools': (n) => ({
    request: {
      tools: [server('s')],
      input: [{ ...listing(0, 's', 't'), tools: many(n, (at) => ({ name: `t${at}` })) }],
    },
  }),
  'listed tools with a rule about read-only ones': (n) => ({
    request: {
      tools: [server('s', { allowed_tools: { read_only: false } })],
      input: [{ ...listing(0, 's', 't'), tools: many(n, (at) => ({ name: `t${at}` })) }],
    },
  }),
  'listings of one server': (n) => ({
    request: { tools: [server('s')], input: many(n, (at) => listing(at, 's', `t${at}`)) },
  }),
  'listings of one server that is declared again and again': (n) => ({
    request: { tools: many(n, () => server('s')), input: many(n, (at) => listing(at, 's', `t${at}`)) },
  }),
  'listings of servers': (n) => ({
    request: { tools: many(n, (at) => server(`s${at}`)), input: many(n, (at) => listing(at, `s${at}`, 't')) },
  }),
  namespaces: (n) => ({
    request: { tools: many(n, (at) => ({ type: 'namespace', name: `ns${at}`, tools: [fn(0)] })) },
  }),
  'items that declare a tool each': (n) => ({
    request: { tools: many(n, fn), input: many(n, (at) => [said, declares(fn(at), fn(n + at))]).flat() },
  }),
  'items that declare the same tool again and again': (n) => ({
    request: { tools: many(n, fn), input: many(n, () => [said, declares(fn(0))]).flat() },
  }),
  'items that declare a tool otherwise each time': (n) => ({
    request: { input: many(n, (at) => [said, declares({ ...fn(0), description: `${at}` })]).flat() },
  }),
  'items that declare a server each': (n) => ({
    request: {
      input: many(n, (at) => [said, declares(server(`s${at}`)), listing(at, `s${at}`, 't')]).flat(),
    },
  }),
  'items that declare one server with many tools': (n) => ({
    request: {
      tools: [server('s')],
      input: [
        { ...listing(0, 's', 't'), tools: many(n, (at) => ({ name: `t${at}` })) },
        ...many(n, () => [said, declares(server('s'))]).flat(),
      ],
    },
  }),
  'items that declare another tool of a namespace each': (n) => ({
    request: { input: many(n, (at) => [said, declares({ type: 'namespace', name: 'ns', tools: [fn(at)] })]).flat() },
  }),
  'properties of a schema': (n) => ({
    request: {
      tools: [
        {
          ...fn(0),
          parameters: {
            properties: Object.fromEntries(many(n, (at) => [`p${at}`, {}])),
            required: many(n, (at) => `p${at}`),
          },
        },
      ],
    },
  }),
  'a transcript of messages': (n) => ({
    request: { input: many(n, () => said) },
    history: [transcript(...many(n, () => SAID))],
  }),
  transcripts: (n) => ({ request: { input: many(n, () => said) }, history: many(n, () => transcript(SAID)) }),
  'a transcript of calls and results that the items do not have': (n) => ({
    request: { tools: [{ type: 'code_interpreter' }], input: many(n, (at) => ({ ...ran, id: `ci${at}` })) },
    history: [transcript(...many(n, () => [RUN, RAN]).flat())],
  }),
  'a transcript of parallel calls, and then their results': (n) => ({
    request: { tools: [{ type: 'code_interpreter' }], input: many(n, (at) => ({ ...ran, id: `ci${at}` })) },
    history: [transcript(...many(n, () => RUN), ...many(n, () => RAN))],
  }),
  'sealed reasoning': (n) => ({
    request: { input: many(n, (at) => ({ type: 'reasoning', summary: [], encrypted_content: `s${at}` })) },
    history: many(n, (at) => ({ sealed: `s${at}`, text: 'Hm.' })),
  }),
}

type Prompting = typeof import('../../../src/endpoint/prompt/render-prompt.js')

const tokenTable = await loadTokenTable()

describeSlow('bounded work', () => {
  describe('the work is linear in', () => {
    let counter: WorkCounter<Prompting>
    beforeAll(async () => {
      counter = await countWork<Prompting>('endpoint/prompt/render-prompt.ts')
      // Creates the encoder of the table.
      counter.module.renderPrompt({}, { tokenTable, date: '2026-01-31' })
    }, 60_000)
    afterAll(() => counter.stop())

    test.each(Object.entries(SHAPES))('the work of rendering a prompt is linear in %s', (_name, shape) => {
      const work = (count: number): number => {
        const { request, history = [] } = shape(count)
        return counter.count(() => counter.module.renderPrompt(request, { tokenTable, date: '2026-01-31', history }))
      }
      const few = work(FEW)
      expect(few).toBeGreaterThan(FEW)
      expect(work(FEW * TIMES) / few).toBeLessThan(TIMES * 1.1)
    })
  })
})
