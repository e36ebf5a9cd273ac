import { expect, test } from 'vitest'
import { parseEvent } from '../../../src/judge/conformance/schemas/index.js'
import { fieldDamages } from '../../judge/conformance/schemas/field-damages.js'
import { eventSpecimens, itemSpecimens, responseSpecimen } from '../../judge/conformance/schemas/specimens.js'
import { sdkTypes } from '../../support/openai-sdk.js'
import { RUNS, sampled } from '../../support/runs.js'
import { typeOracle } from '../../support/type-oracle.js'

const isByTypes = typeOracle(sdkTypes('resources/responses/responses'), 'ResponseStreamEvent')

type Event = { readonly type: string; readonly [field: string]: unknown }

/** The response as the types have it: with what only the SDKs make, and with none of their exceptions. */
const { tool_usage, ...settings } = responseSpecimen
const response = {
  ...settings,
  output_text: '',
  user: 'U',
  error: { code: 'server_error', message: 'M' },
  tools: [
    { type: 'function', name: 'f', parameters: {}, strict: true, description: null },
    { type: 'custom', name: 'c' },
  ],
}
const { sources, ...action } = itemSpecimens.web_search_call.action as { sources?: unknown; type: 'search' }
const items: readonly Event[] = [...Object.values(itemSpecimens), { ...itemSpecimens.web_search_call, action }]

const EVENTS: readonly Event[] = [
  // The other events of the response's life have the same one.
  { ...eventSpecimens['response.completed'], response },
  ...(Object.values(eventSpecimens) as readonly Event[]).filter((event) => !('response' in event)),
  ...items.map((item) => ({ type: 'response.output_item.done', sequence_number: 7, output_index: 0, item })),
]

/**
 * What the types of openai 7.59 forbid and the schemas let through, and why: the fields, by the ends of their names.
 */
const LET_THROUGH: readonly (readonly [field: RegExp, reason: string])[] = [
  [/^(empty|other): response\.error\.code /, 'OpenAI sends more codes than the types list'],
  [/^(empty|other): response\.incomplete_details\.reason /, 'new reasons come, and clients take them'],
  [/^(empty|other): response\.(service_tier|prompt_cache_retention) /, 'OpenAI and Azure send others: provisioned'],
  [/^null: response\.(usage|user) /, 'null until the response is over, and if no user was named'],
  [/^missing: response\.(access_programs|output_text) /, 'not on the wire, or made by the SDKs'],
  [/: response\.output_text /, 'made by the SDKs; the rule no-output-text looks at it'],
  [/^missing: response\.usage\.input_tokens_details\.cache_write_tokens /, 'not on the wire before 2026-07'],
  [
    /: response\.(image|input_transformations|instructions|conversation|prompt_cache_diagnostics|prompt_cache_options|prompt)\b/,
    'echoed settings of the request: no client reads them, and they change with the release',
  ],
  [
    /: (response|item<tool_search_output>|item<additional_tools>)\.tools\[\]/,
    'declarations of tools, as the request had them',
  ],
  [/: response\.(tools|tool_choice<)/, 'declarations of tools, as the request had them'],
  [/^missing: item<computer_call>\.actions\[\]<double_click>\.keys /, 'computer-use-preview leaves it out'],
  [/^missing: item<image_generation_call>\.result /, 'missing when the call is announced'],
  [/^(empty|other): item<image_generation_call>\.size /, 'any size, by later models'],
  [/^missing: item<shell_call>\.environment/, 'missing in captures of gpt-5.1'],
  [/^missing: item<web_search_call>\.action/, 'missing when the call is announced'],
  [/^null: item<web_search_call>\.action<search>\.query /, 'the AI SDK takes null there'],
]

test('the types of openai 7.59 know every event but those of the wire alone', () => {
  const unknown = EVENTS.filter((event) => !isByTypes(event)).map(({ type }) => type)
  // A nested error, and what `extraEvents` names; web searches of live feeds.
  expect([...new Set(unknown)]).toEqual([
    'error',
    'keepalive',
    'response.apply_patch_call_operation_diff.delta',
    'response.apply_patch_call_operation_diff.done',
    'response.output_item.done',
  ])
})

test('values of a field that the types of openai 7.59 forbid are refused, except where the wire differs', () => {
  let forbidden = 0
  const missed = new Set<string>()
  for (const event of EVENTS) {
    if (!isByTypes(event)) continue
    for (const { kind, event: damage } of sampled(fieldDamages(event))) {
      const damaged = damage()
      if (isByTypes(damaged)) continue
      forbidden++
      if (parseEvent(damaged).problem !== undefined) continue
      if (!LET_THROUGH.some(([field]) => field.test(kind))) missed.add(kind)
    }
  }
  expect([...missed]).toEqual([])
  expect(forbidden).toBeGreaterThan(5000 * Math.min(1, RUNS / 500))
})
