import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { builtinOf, HOSTED_BUILTINS, type HostedBuiltin } from '../../../src/core/recipients/builtin-tools.js'
import { policies } from '../../../src/core/recipients/policy.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import { renderPrompt } from '../../../src/endpoint/prompt/render-prompt.js'
import { teachTools } from '../../../src/endpoint/prompt/taught-tools.js'
import { runs } from '../../support/runs.js'

const tokenTable = await loadTokenTable()
const DATE = '2026-01-31'

const UNADDRESSED = ['computer', 'image_generation', 'tool_search'] as const
const tool = fc.constantFrom(
  ...[
    'code_interpreter',
    'web_search',
    'web_search_preview',
    'file_search',
    'local_shell',
    'apply_patch',
    ...UNADDRESSED,
  ].map((type) => ({ type })),
  { type: 'shell' },
  { type: 'shell', environment: { type: 'local' } },
  { type: 'shell', environment: { type: 'container_auto' } },
  { type: 'function', name: 'f' },
)

describe('tools that nothing runs', () => {
  test('every declared type is either taught or reported as untaught, and only types that are run are taught', () => {
    fc.assert(
      fc.property(fc.array(tool), fc.subarray([...HOSTED_BUILTINS]), (tools, hosted: HostedBuiltin[]) => {
        const { builtins, untaught, declared } = teachTools({ tools }, [], policies.openai, hosted)
        const types = [...new Set(tools.map(({ type }) => type))].filter((type) => type !== 'function')
        for (const type of types) {
          const builtin = builtinOf(type)
          expect(untaught.includes(type)).toBe(builtin === undefined || !builtins.has(builtin))
        }
        expect(untaught.filter((type) => !types.includes(type))).toEqual([])
        expect(new Set(untaught).size).toBe(untaught.length)
        const isContainer = declared.shell === 'container'
        for (const builtin of builtins) {
          const isClients =
            builtin === 'local_shell' || builtin === 'apply_patch' || (builtin === 'shell' && !isContainer)
          expect(isClients || hosted.includes(builtin as HostedBuiltin)).toBe(true)
        }
      }),
      { numRuns: runs(500) },
    )
  })

  test('a prompt teaches every declared built-in tool unless the host lists the ones that it runs', () => {
    const request = { input: 'Hi', tools: [{ type: 'web_search' }, { type: 'code_interpreter' }] }
    const size = (hosted?: readonly HostedBuiltin[]): number =>
      renderPrompt(request, { tokenTable, date: DATE, ...(hosted && { hosted }) }).tokens.length
    expect(size()).toBe(size(HOSTED_BUILTINS))
    expect(size([])).toBe(renderPrompt({ input: 'Hi' }, { tokenTable, date: DATE }).tokens.length)
    expect(size(['code_interpreter'])).toBeLessThan(size(['web_search']))
  })

  test('calls of the past keep their recipients where the tool is not taught', () => {
    const search = { type: 'web_search_call', id: 'ws_1', action: { type: 'search', query: 'x' }, status: 'completed' }
    const request = { tools: [{ type: 'web_search' }], input: [search, { role: 'user', content: 'Hi' }] }
    const { messages } = renderPrompt(request, { tokenTable, date: DATE, hosted: [] })
    expect(messages.map(({ recipient }) => recipient)).toContain('browser.search')
  })

  test('a type that is no type of the API is not reported as untaught', () => {
    const tools = ['image_generation\n12:00:00  GET /admin 200', '__proto__', 'web_search_9999_99_99\n', '<|end|>']
    const { untaught } = teachTools({ tools: tools.map((type) => ({ type })) }, [], policies.openai, [])
    expect(untaught).toEqual([])
  })

  test.each([['web'], [['web']], [[1]], [{}]])('%j is no list of built-in tools that the host runs', (hosted) => {
    const render = () => renderPrompt({ input: 'Hi' }, { tokenTable, date: DATE, hosted: hosted as never })
    expect(render).toThrow(/^hosted(\[0\])?: expected .*code_interpreter'?, '?file_search'?, '?shell'?, '?web_search/)
  })
})
