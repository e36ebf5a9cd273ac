import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResponseStreamEvent } from '../../../src/core/responses/events.js'
import type { OutputItem } from '../../../src/core/responses/items.js'
import { anyStream, endReason, run } from '../../laws/streams.js'
import { RUNS } from '../../support/runs.js'
import { describeWithShared, sharedFolder } from '../../support/shared-data.js'

/*
 * The allowed events between `output_item.added` and `output_item.done`, and their order: as seen in real streams of
 * OpenAI, Azure and LM Studio, and, if the API has no event, as listed here, each with its reason. One delta stands for
 * any number of them.
 */

type Kind = OutputItem['type']

/** As in `reference`: names without `response.`; `*` any number of times, `|` either. */
const REAL: Readonly<Record<Kind, readonly string[]>> = {
  message: ['content_part.added (output_text.delta|output_text.annotation.added)* output_text.done content_part.done'],
  reasoning: [
    '',
    'content_part.added reasoning_text.delta* reasoning_text.done content_part.done',
    'reasoning_summary_part.added reasoning_summary_text.delta* reasoning_summary_text.done reasoning_summary_part.done',
  ],
  function_call: ['function_call_arguments.delta* function_call_arguments.done'],
  custom_tool_call: ['custom_tool_call_input.delta* custom_tool_call_input.done'],
  mcp_list_tools: ['mcp_list_tools.in_progress mcp_list_tools.completed'],
  mcp_approval_request: [''],
  mcp_call: ['mcp_call.in_progress mcp_call_arguments.delta* mcp_call_arguments.done mcp_call.completed'],
  code_interpreter_call: [
    'code_interpreter_call.in_progress code_interpreter_call_code.delta* code_interpreter_call_code.done code_interpreter_call.interpreting code_interpreter_call.completed',
  ],
  web_search_call: ['web_search_call.in_progress web_search_call.searching web_search_call.completed'],
  file_search_call: ['file_search_call.in_progress file_search_call.searching file_search_call.completed'],
  shell_call: ['shell_call_command.added shell_call_command.delta* shell_call_command.done'],
  shell_call_output: ['shell_call_output_content.delta* shell_call_output_content.done'],
  local_shell_call: [''],
  apply_patch_call: [''],
}

/** Shapes that no capture has, and where they come from. docs/hosted-tools.md has the same table. */
const EXTENSIONS: readonly { readonly kind: Kind; readonly grammar: string; readonly when: string }[] = [
  {
    kind: 'reasoning',
    grammar:
      'content_part.added reasoning_summary_part.added (reasoning_text.delta|reasoning_summary_text.delta)* reasoning_text.done content_part.done reasoning_summary_text.done reasoning_summary_part.done',
    when: "`reasoning: 'both'`",
  },
  { kind: 'mcp_list_tools', grammar: 'mcp_list_tools.in_progress mcp_list_tools.failed', when: 'the server failed' },
  {
    kind: 'mcp_call',
    grammar: 'mcp_call.in_progress mcp_call_arguments.delta* mcp_call_arguments.done mcp_call.failed',
    when: 'the tool failed, or may not be called',
  },
  {
    kind: 'mcp_call',
    grammar: 'mcp_call.in_progress mcp_call_arguments.delta* mcp_call_arguments.done',
    when: 'no result came',
  },
  {
    kind: 'code_interpreter_call',
    grammar:
      'code_interpreter_call.in_progress code_interpreter_call_code.delta* code_interpreter_call_code.done code_interpreter_call.interpreting',
    when: 'the code failed, or no result came',
  },
  {
    kind: 'code_interpreter_call',
    grammar: 'code_interpreter_call.in_progress code_interpreter_call_code.delta* code_interpreter_call_code.done',
    when: 'the code was cut off',
  },
  {
    kind: 'web_search_call',
    grammar: 'web_search_call.in_progress web_search_call.searching',
    when: 'the search failed, or no result came',
  },
  { kind: 'web_search_call', grammar: 'web_search_call.in_progress', when: 'the arguments were cut off' },
  {
    kind: 'file_search_call',
    grammar: 'file_search_call.in_progress file_search_call.searching',
    when: 'the search failed, or no result came',
  },
  { kind: 'file_search_call', grammar: 'file_search_call.in_progress', when: 'the arguments were cut off' },
  { kind: 'shell_call', grammar: '', when: 'the arguments name no command' },
  { kind: 'shell_call_output', grammar: '', when: 'the call had no command, or the result no output' },
]

function patternOf(grammar: string): RegExp {
  const pattern = grammar.replaceAll(' ', '').length === 0 ? '' : grammar
  const named = pattern.replaceAll(/[a-z_]+(?:\.[a-z_]+)+/g, (name) => `(?:${name.replaceAll('.', '\\.')} )`)
  return new RegExp(`^${named.replaceAll(/ (?![)])/g, '')}$`)
}

const isReal = (kind: Kind, names: string): boolean => REAL[kind].some((grammar) => patternOf(grammar).test(names))

const extensionOf = (kind: Kind, names: string): string | undefined =>
  EXTENSIONS.find((extension) => extension.kind === kind && patternOf(extension.grammar).test(names))?.when

/** The events between an item's announcement and its end, for every item that has an end. */
function bodies(events: readonly ResponseStreamEvent[]): { kind: Kind; names: string }[] {
  const open = new Map<number, { kind: Kind; names: string }>()
  const done: { kind: Kind; names: string }[] = []
  for (const event of events) {
    if (!('output_index' in event)) continue
    const body = open.get(event.output_index)
    if (event.type === 'response.output_item.added') {
      open.set(event.output_index, { kind: event.item.type, names: '' })
    } else if (event.type === 'response.output_item.done') {
      if (body !== undefined) done.push(body)
    } else if (body !== undefined) body.names += `${event.type.replace('response.', '')} `
  }
  return done
}

test('patterns are read as they are meant', () => {
  const pattern = patternOf('a.b (c.d|e.f)* g.h')
  for (const names of ['a.b g.h ', 'a.b c.d e.f c.d g.h ']) expect(names).toMatch(pattern)
  for (const names of ['', 'a.b ', 'g.h ', 'a.b c.d ', 'a.b g.h g.h ']) expect(names).not.toMatch(pattern)
  expect('').toMatch(patternOf(''))
  expect('a.b ').not.toMatch(patternOf(''))
})

test('every item has the order of events that real streams have, or one of the table', () => {
  fc.assert(
    fc.property(anyStream(), endReason, ({ chunks, setup }, reason) => {
      for (const { kind, names } of bodies(run(chunks, setup, reason).events)) {
        if (!isReal(kind, names)) expect(`${kind}: ${names}`).toBe(extensionOf(kind, names) && `${kind}: ${names}`)
      }
    }),
    { numRuns: RUNS },
  )
})

test('docs/hosted-tools.md has every extension with its reason', () => {
  const page = readFileSync(new URL('../../../docs/hosted-tools.md', import.meta.url), 'utf8')
  for (const { kind, when } of EXTENSIONS)
    expect(page).toMatch(new RegExp(`\\| \`${kind}\` \\| [^\\n]*${literal(when)}`))
})

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

describeWithShared('in captured streams', () => {
  const files = ['openai', 'azure', 'lmstudio'].flatMap((from) => {
    const folder = join(String(sharedFolder()), 'data/captured', from)
    return readdirSync(folder).map((file) => join(folder, file))
  })
  const streams = files.map((file) => {
    const lines = readFileSync(file, 'utf8').split('\n')
    const events = lines.flatMap((line) => (/^(data: )?\{/.test(line) ? [JSON.parse(line.replace('data: ', ''))] : []))
    return events as ResponseStreamEvent[]
  })

  test('every item in captured streams of a kind that is made here has an order of the table', () => {
    let seen = 0
    for (const events of streams.flatMap(responsesIn)) {
      for (const { kind, names } of bodies(events)) {
        if (!(kind in REAL)) continue
        seen++
        expect(
          isReal(
            kind,
            names.replace('mcp_call.in_progress mcp_call_arguments.delta mcp_call.in_progress', 'mcp_call.in_progress'),
          )
            ? ''
            : `${kind}: ${names}`,
        ).toBe('')
      }
    }
    expect(seen).toBeGreaterThan(30)
  })
})

/** A file may hold several streams, one after the other. */
function responsesIn(events: readonly ResponseStreamEvent[]): ResponseStreamEvent[][] {
  const streams: ResponseStreamEvent[][] = []
  for (const event of events) {
    if (event.type === 'response.created') streams.push([])
    streams.at(-1)?.push(event)
  }
  return streams
}
