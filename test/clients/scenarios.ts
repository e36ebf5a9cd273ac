import { urlCitations } from '../../src/core/citations/index.js'
import type { CompleteItem } from '../../src/core/items/index.js'
import { createNonce, createSeal, type Seal } from '../../src/endpoint/seal/index.js'
import type { HostTokens, StreamEnd, TokenChunk, TranslateOptions } from '../../src/index.js'
import { encodeHarmony } from '../support/tokens.js'
import type { Played } from './play.js'

export interface FunctionTool {
  readonly type: 'function'
  readonly name: string
  readonly description: string
  readonly parameters: {
    type: 'object'
    properties: Record<string, { type: 'string' }>
    required: string[]
    additionalProperties: boolean
  }
  readonly strict: boolean
}

/** Tools as the request declares them. */
export type WireTool =
  | FunctionTool
  | { readonly type: 'custom'; readonly name: string; readonly description: string }
  | {
      readonly type: 'mcp'
      readonly server_label: string
      readonly server_url: string
      readonly require_approval: 'never' | 'always'
    }
  | { readonly type: 'code_interpreter'; readonly container: { readonly type: 'auto' } }
  | { readonly type: 'web_search' }
  | { readonly type: 'shell'; readonly environment: { readonly type: 'container_auto' } }
  | { readonly type: 'file_search'; readonly vector_store_ids: string[] }
  | { readonly type: 'image_generation' }

/** An item that the host puts into the output. */
export interface Insertion {
  readonly insert: CompleteItem
}

/** The model's behaviour after one request. */
export interface Script {
  /** Text with markers, sampled token by token; sampled ids; and the host's text in between. */
  readonly tokens: readonly (TokenChunk | Insertion)[]
  /** How it stops; `throws` an error of the engine's, `breaks` with one of the host's, `hangs` until it is closed. */
  readonly end: StreamEnd | 'throws' | 'breaks' | 'hangs'
}

export interface Scenario {
  readonly name: string
  readonly prompt: string
  readonly tools: readonly WireTool[]
  readonly include: readonly string[]
  readonly options: Pick<
    TranslateOptions,
    'approvedCalls' | 'citations' | 'mcpListings' | 'reasoning' | 'calls' | 'policy' | 'sealReasoning'
  >
  readonly turns: readonly Script[]
  readonly shows: Played
  /** Its scripts are any transcripts, which engines and tools cannot produce: only `translate` plays them. */
  readonly isTranscript?: true
}

/** The error that a client gets when the engine fails. */
export const ENGINE_ERROR = 'The server had an internal error.'
/** Text that no client may see. */
export const HOST_ERROR = 'cannot open secret.gguf'

const GET_WEATHER: FunctionTool = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather in a city, now.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  strict: true,
}

const DOCS: WireTool = {
  type: 'mcp',
  server_label: 'docs',
  server_url: 'https://docs.example.com/mcp',
  require_approval: 'never',
}

const DOCS_ON_APPROVAL: WireTool = {
  type: 'mcp',
  server_label: 'docs',
  server_url: 'https://docs.example.com/mcp',
  require_approval: 'always',
}

/** The weather tool's data. */
export const WEATHER: Readonly<Record<string, string>> = { Oslo: '4 degrees, rain', Rome: '21 degrees, sun' }

/** What the client's tools answer. */
export function runTool(name: string, input: unknown): string {
  if (name === 'apply_patch') return `applied ${String(input).length} characters`
  return WEATHER[(input as { city: string }).city] ?? 'no such city'
}

/** A file, the patch that the model makes of it, and what is in the file then. */
export const PATCHED_FILE = { name: 'hello.py', text: 'print("helo")\n' } as const
export const PATCH = '*** Begin Patch\n*** Update File: hello.py\n-print("helo")\n+print("hello")\n*** End Patch\n'
export const FIXED_FILE = 'print("hello")\n'

/** The server's seal. */
export const seal: Seal = createSeal([{ id: 'k1', key: new Uint8Array(32).fill(1) }])

/** A compaction by the host, which the server can open when a client sends it back. */
function compaction(id: string, summary: string): CompleteItem & { readonly encrypted_content: string } {
  const { sealCompaction } = seal.forResponse({ caller: 'anonymous', nonce: createNonce() })
  return { type: 'compaction', id, encrypted_content: sealCompaction(summary, id) }
}
const FIRST_COMPACTION = compaction('cmp_1', 'The user wants an umbrella, or not.')
const LAST_COMPACTION = compaction('cmp_2', 'It rains.')

/** A PNG of one pixel. */
const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const PAGE_URL = 'https://tides.example.com/brest?day=1'

export const think = (text: string): string => `<|channel|>analysis<|message|>${text}<|end|><|start|>assistant`
export const say = (text: string): string => `<|channel|>commentary<|message|>${text}<|end|><|start|>assistant`
export const answer = (text: string): string => `<|channel|>final<|message|>${text}<|return|>`
export const call = (recipient: string, input: string, type = '<|constrain|>json'): string =>
  ` to=${recipient}<|channel|>commentary ${type}<|message|>${input}<|call|>`
const result = (author: string, output: string): HostTokens => ({
  host: `<|start|>${author} to=assistant<|channel|>commentary<|message|>${output}<|end|><|start|>assistant`,
})

const STOP: StreamEnd = { reason: 'stop', usage: { inputTokens: 100, cachedTokens: 20 } }

export const turn = (...tokens: Script['tokens']): Script => ({ tokens, end: STOP })

/** The tokens as an engine gives them that was asked for log-probabilities. */
const scored = (text: string): TokenChunk[] =>
  encodeHarmony(text).map((id) => ({ id, logprob: -0.25, topLogprobs: [{ id, logprob: -0.25 }] }))

export function scenario(
  name: string,
  turns: Script[],
  shows: Partial<Played>,
  rest: Partial<Pick<Scenario, 'prompt' | 'tools' | 'include' | 'options'>> = {},
): Scenario {
  const { prompt = 'Go on.', tools = [], include = [], options = {} } = rest
  const defaults = { text: [], reasoning: '', calls: [], hosted: [], citations: [], ending: 'completed' } as const
  return { name, prompt, tools, include, options, turns, shows: { ...defaults, ...shows } }
}

export const scenarios: readonly Scenario[] = [
  scenario('plain answer', [turn(answer('Take an umbrella. 🌂'))], { text: ['Take an umbrella. 🌂'] }),
  scenario('reasoning', [turn(think('Rain is likely.'), answer('Take an umbrella.'))], {
    text: ['Take an umbrella.'],
    reasoning: 'Rain is likely.',
  }),
  scenario(
    'reasoning as summary',
    [turn(think('Rain is likely.'), answer('Take an umbrella.'))],
    { text: ['Take an umbrella.'], reasoning: 'Rain is likely.' },
    { options: { reasoning: 'summary' } },
  ),
  scenario(
    'reasoning, both',
    [turn(think('Rain is likely.'), answer('Take an umbrella.'))],
    // Once as it is, once as its summary.
    { text: ['Take an umbrella.'], reasoning: 'Rain is likely.Rain is likely.' },
    { options: { reasoning: 'both' } },
  ),
  scenario(
    'log-probabilities',
    [{ tokens: scored('<|channel|>final<|message|>Take an umbrella.<|return|>'), end: STOP }],
    { text: ['Take an umbrella.'] },
    { include: ['message.output_text.logprobs'] },
  ),
  scenario(
    'preamble and call',
    [
      turn(think('Ask.'), say('I look at the weather.'), call('functions.get_weather', '{"city":"Oslo"}')),
      turn(answer('It rains.')),
    ],
    {
      text: ['I look at the weather.', 'It rains.'],
      reasoning: 'Ask.',
      calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }],
    },
    { tools: [GET_WEATHER] },
  ),
  scenario(
    'two calls',
    [
      turn(
        `${call('functions.get_weather', '{"city":"Oslo"}')}<|start|>assistant`,
        call('functions.get_weather', '{"city":"Rome"}'),
      ),
      turn(answer('Rome is warmer.')),
    ],
    {
      text: ['Rome is warmer.'],
      calls: [
        { name: 'get_weather', arguments: { city: 'Oslo' } },
        { name: 'get_weather', arguments: { city: 'Rome' } },
      ],
    },
    { tools: [GET_WEATHER] },
  ),
  scenario(
    'three turns',
    [
      turn(think('Oslo first.'), call('functions.get_weather', '{"city":"Oslo"}')),
      turn(think('Now Rome.'), call('functions.get_weather', '{"city":"Rome"}')),
      turn(think('17 more.'), answer('Rome is 17 degrees warmer.')),
    ],
    {
      text: ['Rome is 17 degrees warmer.'],
      reasoning: 'Oslo first.Now Rome.17 more.',
      calls: [
        { name: 'get_weather', arguments: { city: 'Oslo' } },
        { name: 'get_weather', arguments: { city: 'Rome' } },
      ],
    },
    { tools: [GET_WEATHER] },
  ),
  scenario(
    'call, sealed reasoning',
    [turn(think('Ask.'), call('functions.get_weather', '{"city":"Oslo"}')), turn(answer('It rains.'))],
    {
      text: ['It rains.'],
      reasoning: 'Ask.',
      calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }],
    },
    {
      tools: [GET_WEATHER],
      include: ['reasoning.encrypted_content'],
      options: { reasoning: 'summary', sealReasoning: (text) => btoa(text) },
    },
  ),
  scenario(
    'custom tool',
    [turn(think('A typo.'), call('functions.apply_patch', PATCH, 'code')), turn(answer('It is fixed.'))],
    {
      text: ['It is fixed.'],
      reasoning: 'A typo.',
      calls: [{ name: 'apply_patch', arguments: PATCH }],
    },
    { tools: [{ type: 'custom', name: 'apply_patch', description: 'Changes files.' }] },
  ),
  scenario(
    'MCP call',
    [
      turn(
        think('Ask the docs.'),
        call('docs.search', '{"query":"limits"}'),
        result('docs.search', '60 requests a minute.'),
        answer('You may ask 60 times a minute.'),
      ),
    ],
    {
      text: ['You may ask 60 times a minute.'],
      reasoning: 'Ask the docs.',
      hosted: ['mcp_call docs.search {"query":"limits"} -> 60 requests a minute.'],
    },
    {
      tools: [DOCS],
      options: {
        mcpListings: [
          {
            serverLabel: 'docs',
            tools: [
              {
                name: 'search',
                description: 'Searches the docs.',
                inputSchema: { type: 'object' },
                annotations: { readOnlyHint: true },
              },
            ],
          },
        ],
      },
    },
  ),
  scenario(
    'two MCP calls at once',
    [
      turn(
        `${call('docs.search', '{"query":"limits"}')}<|start|>assistant`,
        call('docs.search', '{"query":"prices"}'),
        // The first result is the first call's: its item is done while the second is under way.
        result('docs.search', '60 requests a minute.'),
        result('docs.search', '1 cent a request.'),
        answer('At most 60 cents a minute.'),
      ),
    ],
    {
      text: ['At most 60 cents a minute.'],
      hosted: [
        'mcp_call docs.search {"query":"limits"} -> 60 requests a minute.',
        'mcp_call docs.search {"query":"prices"} -> 1 cent a request.',
      ],
    },
    { tools: [DOCS] },
  ),
  scenario(
    'MCP approval',
    [
      turn(call('docs.search', '{"query":"limits"}')),
      turn(result('docs.search', '60 requests a minute.'), answer('You may ask 60 times a minute.')),
    ],
    {
      text: ['You may ask 60 times a minute.'],
      hosted: ['mcp_call docs.search {"query":"limits"} -> 60 requests a minute.'],
    },
    { tools: [DOCS_ON_APPROVAL] },
  ),
  scenario(
    'undeclared tool',
    [turn(call('notes.write', '{"text":"hi"}'), answer('I cannot take notes.'))],
    { text: ['I cannot take notes.'], hosted: ['mcp_call notes.write {"text":"hi"} -> failed'] },
    { tools: [DOCS], options: { policy: 'agents' } },
  ),
  scenario(
    'MCP listing, bare',
    [turn(answer('They can be searched.'))],
    { text: ['They can be searched.'] },
    {
      tools: [DOCS],
      // Neither a description nor annotations, which MCP servers may leave out.
      options: { mcpListings: [{ serverLabel: 'docs', tools: [{ name: 'search', inputSchema: { type: 'object' } }] }] },
    },
  ),
  scenario(
    'code interpreter',
    [
      turn(
        think('Compute.'),
        '<|channel|>analysis to=python code<|message|>print(6 * 7)<|call|>',
        result('python', '42\n'),
        answer('It is 42.'),
      ),
    ],
    {
      text: ['It is 42.'],
      reasoning: 'Compute.',
      hosted: ['code_interpreter_call print(6 * 7) -> 42\n'],
    },
    { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }], include: ['code_interpreter_call.outputs'] },
  ),
  scenario(
    'shell in a container',
    [turn(call('container.exec', '{"cmd":["ls"]}'), result('container.exec', 'a.txt\n'), answer('There is one file.'))],
    { text: ['There is one file.'], hosted: ['shell_call_output a.txt\n'] },
    { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] },
  ),
  scenario(
    'web search',
    [
      turn(
        think('Look it up.'),
        call('browser.search', '{"query":"high tide Brest"}'),
        result(
          'browser.search',
          '[0] high tide Brest\n\nL0:\nL1: # Search Results\nL3:   * 【0†Tides in Brest†tides.example.com】',
        ),
        think('Open it.'),
        call('browser.open', '{"id":0,"cursor":0}'),
        result('browser.open', `[1] Tides in Brest (${PAGE_URL})\n\nL0:\nL1: High tide: 05:12`),
        answer('High tide is at 05:12【1†L1】.'),
      ),
    ],
    {
      text: [`High tide is at 05:12 ([tides.example.com](${PAGE_URL})).`],
      reasoning: 'Look it up.Open it.',
      hosted: ['web_search_call search high tide Brest', `web_search_call open_page ${PAGE_URL}`],
      citations: [{ url: PAGE_URL, title: 'Tides in Brest' }],
    },
    { tools: [{ type: 'web_search' }], options: { citations: urlCitations() } },
  ),
  scenario(
    'search without a runner',
    [
      turn(
        `${call('browser.search', '{"query":"high tide Brest"}')}<|start|>assistant`,
        call('functions.get_weather', '{"city":"Oslo"}'),
      ),
      turn(answer('It rains.')),
    ],
    {
      text: ['It rains.'],
      calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }],
      hosted: ['web_search_call search high tide Brest'],
    },
    { tools: [{ type: 'web_search' }, GET_WEATHER] },
  ),
  scenario(
    'code without a runner',
    [
      turn(
        '<|channel|>analysis to=python code<|message|>print(6 * 7)<|call|><|start|>assistant',
        call('functions.get_weather', '{"city":"Oslo"}'),
      ),
      turn(answer('It rains.')),
    ],
    {
      text: ['It rains.'],
      calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }],
      hosted: ['code_interpreter_call print(6 * 7) -> No such tool.'],
    },
    {
      tools: [{ type: 'code_interpreter', container: { type: 'auto' } }, GET_WEATHER],
      include: ['code_interpreter_call.outputs'],
    },
  ),
  // After a message, where OpenAI's streams put it, and among the items that a client sends back.
  scenario(
    'compaction by the host',
    [
      turn(
        think('Ask.'),
        say('I look at the weather.'),
        { insert: FIRST_COMPACTION },
        call('functions.get_weather', '{"city":"Oslo"}'),
      ),
      turn(answer('It rains.'), { insert: LAST_COMPACTION }),
    ],
    {
      text: ['I look at the weather.', 'It rains.'],
      reasoning: 'Ask.',
      calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }],
      hosted: [FIRST_COMPACTION, LAST_COMPACTION].map((item) => `compaction ${item.encrypted_content}`),
    },
    { tools: [GET_WEATHER] },
  ),
  scenario(
    'file search and image by the host',
    [
      turn(
        think('Look it up.'),
        {
          insert: {
            type: 'file_search_call',
            status: 'completed',
            queries: ['Oslo'],
            results: [{ file_id: 'file-1', filename: 'oslo.md', score: 0.5, text: 'Oslo is wet.', attributes: {} }],
          },
        },
        say('I draw it.'),
        { insert: { type: 'image_generation_call', status: 'completed', result: IMAGE } },
        call('functions.get_weather', '{"city":"Oslo"}'),
      ),
      turn(answer('It rains.')),
    ],
    {
      text: ['I draw it.', 'It rains.'],
      reasoning: 'Look it up.',
      calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }],
      hosted: ['file_search_call Oslo -> oslo.md', `image_generation_call -> ${IMAGE}`],
    },
    {
      tools: [GET_WEATHER, { type: 'file_search', vector_store_ids: ['vs_1'] }, { type: 'image_generation' }],
      include: ['file_search_call.results'],
    },
  ),
  scenario(
    'truncated answer',
    [{ tokens: [think('Long.'), '<|channel|>final<|message|>Once upon a'], end: { reason: 'max_output_tokens' } }],
    { text: ['Once upon a'], reasoning: 'Long.', ending: 'incomplete' },
  ),
  scenario(
    'truncated call',
    [
      {
        tokens: [say('I look.'), ' to=functions.get_weather<|channel|>commentary json<|message|>{"city":"Os'],
        end: { reason: 'max_output_tokens' },
      },
    ],
    { text: ['I look.'], ending: 'incomplete' },
    { tools: [GET_WEATHER] },
  ),
  scenario(
    'truncated call, whole',
    [
      {
        tokens: [say('I look.'), ' to=functions.get_weather<|channel|>commentary json<|message|>{"city":"Os'],
        end: { reason: 'max_output_tokens' },
      },
    ],
    { text: ['I look.'], ending: 'incomplete' },
    { tools: [GET_WEATHER], options: { calls: 'whole' } },
  ),
  scenario('failure', [{ tokens: ['<|channel|>final<|message|>Once upon a'], end: 'throws' }], {
    text: ['Once upon a'],
    ending: 'failed',
    error: ENGINE_ERROR,
  }),
  scenario('abort', [{ tokens: ['<|channel|>final<|message|>Once upon a'], end: 'hangs' }], {
    text: ['Once upon a'],
    ending: 'aborted',
  }),
]

/** Names of the scenarios that show reasoning, as the default sends it. */
export const withRawReasoning: readonly string[] = scenarios
  .filter(({ shows, options }) => shows.reasoning !== '' && options.reasoning === undefined)
  .map(({ name }) => name)

/** Names of the scenarios in which the client answers calls. */
export const withCalls: readonly string[] = scenarios.filter(({ turns }) => turns.length > 1).map(({ name }) => name)

/** Names of the scenarios whose calls only the host runs. */
export const withHostedCalls: readonly string[] = scenarios
  .filter(({ shows }) => shows.hosted.length > 0)
  .map(({ name }) => name)

/** Clients choose the scenario by the model's name, which each of them can give. */
export const modelOf = ({ name }: Scenario): string => `scenario:${name}`

/** The wire form of the scenario's tools, by their type. */
export function toolsOf<T extends WireTool['type']>(scenario: Scenario, type: T): Extract<WireTool, { type: T }>[] {
  return scenario.tools.filter((tool): tool is Extract<WireTool, { type: T }> => tool.type === type)
}
