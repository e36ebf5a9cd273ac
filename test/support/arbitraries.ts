import fc from 'fast-check'
import type { HarmonyMessage } from '../../src/harmony/events.js'
import { markerText, VOCABULARY_SIZE } from '../../src/harmony/vocabulary.js'
import type { CustomTool, FunctionTool, McpTool, RequestTool, ResponseRequest } from '../../src/responses/request.js'
import type { HarmonyToken, HostTokens, TokenChunk } from '../../src/tokens/token-source.js'
import { cut, encodeText, m, showToken, spellsMarker } from './tokens.js'

// ---------------------------------------------------------------------------------------------------------------------
// Text

const PLAIN = [
  'Hello',
  ' world',
  'The answer is 42.',
  ' assistant',
  'analysis',
  ' to=functions.x',
  'commentary json',
  '{"a": 1}',
  '```ts\nconst x = 1\n```',
  'line\r\n\r\nline\n',
  ' ',
  '\n\n',
  '\t',
  "it's",
  '12345',
  '<',
  '<|',
  '<|en',
  '|>',
  '<|unknown|>',
  '【4†L5-L7】',
  'https://example.com/?q=1&b=2',
]

const UNICODE = [
  'é',
  'e\u0301',
  'Z\u0335\u0321\u0352a\u0301\u0327\u0323l\u034ego',
  '日本語',
  '龘靐齉',
  '안녕하세요',
  '각',
  'こんにちは、世界。',
  'नमस्ते',
  'שָׁלוֹם',
  '\u202bمرحبا\u202c',
  'Γειά σου',
  'ﬃ',
  '😊',
  '👨‍👩‍👧‍👦',
  '👋🏾',
  '🏳️‍🌈',
  '🇺🇸🇩🇪',
  '1️⃣',
  '💖'.repeat(3),
  '\ufeff',
  '\u00a0',
  '\u0085',
  '\u2028',
  '\u200b\u200d',
  '\u0000',
  '\u001b[0m',
  '\ufffd',
  '\uffff',
  '\ue000',
  '𝕳𝖆',
  '\u{10ffff}',
]

const textPiece = (): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...PLAIN) },
    { weight: 4, arbitrary: fc.constantFrom(...UNICODE) },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 3 }) },
  )

/** Ordinary text, often of several scripts, sometimes empty. It is valid UTF-8 and spells no marker. */
export function harmonyText(): fc.Arbitrary<string> {
  return fc
    .array(textPiece(), { maxLength: 8 })
    .map((pieces) => pieces.join(''))
    .filter((text) => !spellsMarker(text))
}

const SPELLED = [
  '<|end|>',
  '<|start|>assistant',
  '<|channel|>final<|message|>',
  '<|call|>',
  '<|return|>',
  '<|message|>',
  '<|constrain|>json',
  '<|endoftext|>',
  '<|reserved_200013|>',
  '<|end|><|start|>assistant<|channel|>commentary to=functions.x<|message|>{}<|call|>',
]

/** Ordinary text that spells at least one marker. It is meant literally: encode it with `encodeText`. */
export function harmonyTextSpellingMarkers(): fc.Arbitrary<string> {
  const pair = fc.tuple(fc.constantFrom(...SPELLED), harmonyText())
  return fc
    .tuple(harmonyText(), fc.array(pair, { minLength: 1, maxLength: 3 }))
    .map(([before, pairs]) => before + pairs.map(([marker, after]) => marker + after).join(''))
}

const WORDS = [
  'need',
  'to',
  'check',
  'the',
  'weather',
  'first',
  'so',
  'U.S.',
  'CPI',
  '—',
  'let’s',
  '日本語',
  'naïve',
  '42',
]

/** Words with single spaces between them, beginning like a sentence; never a word that a header may hold. */
const prose = (minWords = 2): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom('We', 'I', 'The', 'Okay', 'Ça'),
      fc.array(fc.constantFrom(...WORDS), { minLength: minWords - 1, maxLength: minWords + 6 }),
    )
    .map(([first, words]) => [first, ...words].join(' '))

const jsonObject = (): fc.Arbitrary<string> =>
  fc
    .dictionary(fc.constantFrom('location', 'path', 'n', 'q'), fc.jsonValue({ maxDepth: 1, stringUnit: 'grapheme' }), {
      maxKeys: 3,
    })
    .map((value) => JSON.stringify(value))
    .filter((text) => !spellsMarker(text))

const json = (): fc.Arbitrary<string> =>
  fc.oneof(
    { withCrossShrink: true },
    fc.constantFrom('{}', '{"location":"SF"}'),
    fc.constantFrom('{"query":"tides","topn":5}', '{"id":2,"cursor":0}', '{"pattern":"moon"}', '{"cmd":["ls","-a"]}'),
    jsonObject(),
  )

const code = (): fc.Arbitrary<string> =>
  fc.constantFrom('print(1)', 'import sys, subprocess\nprint("x" * 3)\n', 'ls -R | head', '# Ümlaut 💖\n\tx = {}')

// ---------------------------------------------------------------------------------------------------------------------
// Parts: Harmony as it is written down in this file

/** A marker's id, text (adjacent texts are encoded as one span), or text whose pieces are encoded one by one. */
type Part = number | string | { readonly split: readonly string[] }

/** A stretch that one side wrote. */
interface Segment {
  readonly origin: 'model' | 'host'
  readonly parts: readonly Part[]
}

const model = (...parts: readonly Part[]): Segment => ({ origin: 'model', parts })
const host = (...parts: readonly Part[]): Segment => ({ origin: 'host', parts })

function encodeParts(parts: readonly Part[]): number[] {
  const ids: number[] = []
  let span = ''
  const flush = (): void => {
    ids.push(...encodeText(span))
    span = ''
  }
  for (const part of parts) {
    if (typeof part === 'string') {
      span += part
      continue
    }
    flush()
    if (typeof part === 'number') ids.push(part)
    else ids.push(...part.split.flatMap(encodeText))
  }
  flush()
  return ids
}

const showPieces = (pieces: readonly string[]): string =>
  pieces.length > 12 ? `${pieces.slice(0, 4).join('·')}·… (${pieces.length} pieces)` : pieces.join('·')

function showParts(parts: readonly Part[]): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part
      if (typeof part !== 'number') return showPieces(part.split)
      return part < VOCABULARY_SIZE ? markerText(part) : `⟨${part}⟩`
    })
    .join('')
}

function textOfParts(parts: readonly Part[]): string {
  return parts
    .map((part) =>
      typeof part === 'string' ? part : typeof part === 'number' ? markerText(part) : part.split.join(''),
    )
    .join('')
}

const joinsToText = (parts: readonly Part[]): boolean =>
  !parts.some((part) =>
    typeof part === 'number'
      ? part >= VOCABULARY_SIZE
      : spellsMarker(typeof part === 'string' ? part : part.split.join('')),
  )

/** The forms in which a token stream is handed over. */
export interface TokenStream {
  /** All ids, the host's included. */
  readonly tokens: number[]
  /** The same with the host's stretches marked: `number[]` and `{ host: number[] }`. */
  readonly chunks: TokenChunk[]
  /** The same as text with literal markers; absent where some text spells a marker or an id has no name. */
  readonly textChunks?: TokenChunk[]
  /** For reading: the host's stretches in ⟦⟧, ids outside the vocabulary as ⟨201088⟩. */
  readonly text: string
}

function streamOf(segments: readonly Segment[]): TokenStream {
  const written = segments.filter(({ parts }) => parts.length > 0)
  const encoded = written.map(({ origin, parts }) => ({ origin, ids: encodeParts(parts), text: textOfParts(parts) }))
  const hasText = written.every(({ parts }) => joinsToText(parts))
  return {
    tokens: encoded.flatMap(({ ids }) => ids),
    chunks: encoded.map(({ origin, ids }) => (origin === 'host' ? { host: ids } : ids)),
    ...(hasText ? { textChunks: encoded.map(({ origin, text }) => (origin === 'host' ? { host: text } : text)) } : {}),
    text: written.map(({ origin, parts }) => (origin === 'host' ? `⟦${showParts(parts)}⟧` : showParts(parts))).join(''),
  }
}

/** Lets fast-check print a value in its own words, without that showing in comparisons. */
function shown<T extends object>(value: T, show: () => string): T {
  return Object.defineProperty(value, fc.toStringMethod, { value: show, enumerable: false })
}

// ---------------------------------------------------------------------------------------------------------------------
// Well-formed transcripts

export type CallItemType =
  | 'function_call'
  | 'custom_tool_call'
  | 'mcp_call'
  | 'code_interpreter_call'
  | 'web_search_call'
  | 'shell_call'

/** Whom a call is addressed to, and what the declared tools make of it. */
export interface CalledTool {
  readonly recipient: string
  readonly itemType: CallItemType
  /** The item's `name`, where it has one and the recipient says it. */
  readonly name?: string
  /** Of an `mcp_call`. */
  readonly serverLabel?: string
  /** The tool in the request that this call is for. */
  readonly declaration: RequestTool
}

/** A message of a transcript, and who wrote it. */
export interface TranscriptMessage {
  readonly origin: 'model' | 'host'
  readonly message: HarmonyMessage
  readonly terminator: 'end' | 'call' | 'return'
  /** Of a call, and of the host's result for it. */
  readonly tool?: CalledTool
}

/**
 * What a model wrote, with the results that the host put between. The first message begins behind
 * `<|start|>assistant`; what the host says ends in the next `<|start|>assistant`, if a message of the model follows.
 */
export interface Transcript extends TokenStream {
  readonly entries: TranscriptMessage[]
  /** The messages of the entries: what the official parser makes of `tokens`, role `assistant`. */
  readonly messages: HarmonyMessage[]
  /** Declares every tool that is called. */
  readonly request: ResponseRequest
}

export interface TranscriptOptions {
  /** What messages say. Default `harmonyText()`; with `harmonyTextSpellingMarkers()` there are no `textChunks`. */
  readonly text?: fc.Arbitrary<string>
  /** Whether tools are called. Default true. */
  readonly calls?: boolean
  /** Whether the host answers some calls. Default true. */
  readonly results?: boolean
  /** How many messages, or groups of calls, at most. Default 5. */
  readonly maxSteps?: number
}

type Builtin = 'python' | 'browser' | 'container'

/** Which tool a call is for; what a built-in is declared as is one choice for the whole transcript. */
type ToolChoice =
  | { readonly kind: 'function' | 'custom'; readonly name: string }
  | {
      readonly kind: 'mcp'
      readonly label: string
      readonly tool: string
      readonly form: 'label' | 'mcp' | 'bare' | 'mcp bare'
    }
  | { readonly kind: Builtin; readonly recipient: string }

interface CallSpec {
  readonly tool: ToolChoice
  readonly recipientIn: 'channel' | 'role'
  readonly channel: 'commentary' | 'analysis'
  readonly type: { readonly name: string; readonly constrain: 'no' | 'spaced' | 'adjacent' } | undefined
  readonly body: string
  /** Results of one group of calls come in the order of `rank`. */
  readonly result: { readonly text: string; readonly rank: number } | undefined
}

type Step =
  | { readonly kind: 'analysis' | 'commentary' | 'final'; readonly text: string }
  | { readonly kind: 'calls'; readonly calls: readonly CallSpec[] }

type BuiltinDeclarations = Readonly<Record<Builtin, 'builtin' | 'preview' | 'mcp'>>

const FUNCTION_NAMES = ['get_weather', 'x', 'math.sum', 'my-tool', 'python', 'search', 'Get_Weather2']
const CUSTOM_NAMES = ['apply_patch', 'run-sql', 'grammar.v1']
const MCP_LABELS = ['deepwiki', 'my-server', 'acme.v2', 'acme', 'git-hub.enterprise-cloud']
const MCP_TOOLS = ['ask', 'read-file', 'repo.search', 'list_items']

const functionName = (): fc.Arbitrary<string> =>
  fc.oneof(
    { withCrossShrink: true },
    { weight: 3, arbitrary: fc.constantFrom(...FUNCTION_NAMES) },
    {
      weight: 1,
      arbitrary: fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_-]{0,15}$/).filter((name) => !CUSTOM_NAMES.includes(name)),
    },
  )

const toolChoice = (): fc.Arbitrary<ToolChoice> =>
  fc.oneof(
    { withCrossShrink: true },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('function' as const), name: functionName() }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('custom' as const), name: fc.constantFrom(...CUSTOM_NAMES) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('mcp' as const),
        label: fc.constantFrom(...MCP_LABELS),
        tool: fc.constantFrom(...MCP_TOOLS),
        form: fc.constantFrom('label' as const, 'label' as const, 'mcp' as const, 'bare' as const, 'mcp bare' as const),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: 'python' as const, recipient: 'python' }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('browser' as const),
        recipient: fc.constantFrom('browser.search', 'browser.open', 'browser.find'),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: 'container' as const, recipient: 'container.exec' }) },
  )

const declareFunction = (name: string): FunctionTool => ({
  type: 'function',
  name,
  description: null,
  parameters: { type: 'object', properties: {}, additionalProperties: true },
  strict: false,
})

const declareMcp = (label: string): McpTool & { server_url: string } => ({
  type: 'mcp',
  server_label: label,
  server_url: `https://${label}.invalid/mcp`,
})

const BUILTIN_TOOLS: Record<
  Builtin,
  { itemType: CallItemType; declared: RequestTool; preview: RequestTool; label: string }
> = {
  python: {
    itemType: 'code_interpreter_call',
    declared: { type: 'code_interpreter', container: { type: 'auto' } } as RequestTool,
    preview: { type: 'code_interpreter', container: 'cntr_1' } as RequestTool,
    label: 'code_interpreter',
  },
  browser: {
    itemType: 'web_search_call',
    declared: { type: 'web_search' },
    preview: { type: 'web_search_preview' },
    label: 'web_search_preview',
  },
  container: {
    itemType: 'shell_call',
    declared: { type: 'shell', environment: { type: 'container_auto' } } as RequestTool,
    preview: { type: 'shell' },
    label: 'container',
  },
}

function calledTool(tool: ToolChoice, builtins: BuiltinDeclarations): CalledTool {
  switch (tool.kind) {
    case 'function': {
      const { name } = tool
      return { recipient: `functions.${name}`, itemType: 'function_call', name, declaration: declareFunction(name) }
    }
    case 'custom': {
      const { name } = tool
      const declaration: CustomTool = { type: 'custom', name }
      return { recipient: `functions.${name}`, itemType: 'custom_tool_call', name, declaration }
    }
    case 'mcp': {
      const { label, tool: name, form } = tool
      const common = { itemType: 'mcp_call', serverLabel: label, declaration: declareMcp(label) } as const
      if (form === 'bare') return { recipient: label, ...common }
      if (form === 'mcp bare') return { recipient: `mcp.${label}`, ...common }
      return { recipient: `${form === 'mcp' ? 'mcp.' : ''}${label}.${name}`, name, ...common }
    }
    default: {
      const { recipient, kind } = tool
      const { itemType, declared, preview, label } = BUILTIN_TOOLS[kind]
      if (builtins[kind] !== 'mcp')
        return { recipient, itemType, declaration: builtins[kind] === 'preview' ? preview : declared }
      const name = recipient.slice(recipient.indexOf('.') + 1)
      return { recipient, itemType: 'mcp_call', name, serverLabel: label, declaration: declareMcp(label) }
    }
  }
}

/** What the browser tool that gpt-oss knows shows of a page. */
const page = (): fc.Arbitrary<string> =>
  fc.constantFrom(
    '[4] Tides (https://www.example.com/tides)\n**viewing lines [0 - 1] of 1**\n\nL0: high',
    '[5] moon\n**viewing lines [0 - 1] of 1**\n\nL0: * 【0†Moon†example.org】',
  )

const callSpec = (text: fc.Arbitrary<string>, results: boolean): fc.Arbitrary<CallSpec> =>
  fc.record({
    tool: toolChoice(),
    recipientIn: fc.constantFrom('channel' as const, 'role' as const),
    channel: fc.constantFrom('commentary' as const, 'analysis' as const),
    type: fc.oneof(
      { withCrossShrink: true },
      fc.constant(undefined),
      fc.record({
        name: fc.constantFrom('json', 'code', 'text/plain'),
        constrain: fc.constantFrom('spaced' as const, 'adjacent' as const, 'no' as const),
      }),
    ),
    body: fc.oneof({ withCrossShrink: true }, json(), code(), text),
    result: results
      ? fc.option(fc.record({ text: fc.oneof(text, page()), rank: fc.nat({ max: 9 }) }), { nil: undefined, freq: 2 })
      : fc.constant(undefined),
  })

const step = (text: fc.Arbitrary<string>, calls: boolean, results: boolean): fc.Arbitrary<Step> => {
  const plain = fc.record({ kind: fc.constantFrom('final' as const, 'analysis' as const, 'commentary' as const), text })
  if (!calls) return plain
  const group = fc.array(callSpec(text, results), { minLength: 1, maxLength: 3 })
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 3, arbitrary: plain },
    { weight: 2, arbitrary: group.map((specs): Step => ({ kind: 'calls', calls: specs })) },
  )
}

const START: readonly Part[] = [m.start, 'assistant']

/** The header behind `<|start|>assistant`, up to and with `<|message|>`. */
function callHeader(tool: CalledTool, spec: Pick<CallSpec, 'recipientIn' | 'channel' | 'type'>): Part[] {
  const to = ` to=${tool.recipient}`
  const parts: Part[] = []
  if (spec.recipientIn === 'role') parts.push(to)
  parts.push(m.channel, spec.channel)
  if (spec.recipientIn === 'channel') parts.push(to)
  if (spec.type !== undefined) {
    if (spec.type.constrain !== 'adjacent') parts.push(' ')
    if (spec.type.constrain !== 'no') parts.push(m.constrain)
    parts.push(spec.type.name)
  }
  parts.push(m.message)
  return parts
}

function callMessage(tool: CalledTool, spec: CallSpec): HarmonyMessage {
  return {
    role: 'assistant',
    recipient: tool.recipient,
    channel: spec.channel,
    ...(spec.type === undefined ? {} : { contentType: spec.type.name }),
    ...(spec.type === undefined || spec.type.constrain === 'no' ? {} : { constrained: true }),
    content: spec.body,
  }
}

/** Writes steps down. `started` says whether the `<|start|>assistant` of the first message is already there. */
class Writer {
  readonly segments: Segment[] = []
  readonly entries: TranscriptMessage[] = []
  private started: boolean
  private readonly builtins: BuiltinDeclarations

  constructor(started: boolean, builtins: BuiltinDeclarations) {
    this.started = started
    this.builtins = builtins
  }

  write(step: Step, last: boolean): void {
    if (step.kind === 'calls') this.calls(step.calls, last)
    else {
      const terminator = step.kind === 'final' && last ? 'return' : 'end'
      this.say([m.channel, step.kind, m.message, step.text, m[terminator]])
      const message: HarmonyMessage = { role: 'assistant', channel: step.kind, content: step.text }
      this.entries.push({ origin: 'model', message, terminator })
    }
  }

  private say(parts: readonly Part[]): void {
    this.segments.push(model(...(this.started ? [] : START), ...parts))
    this.started = false
  }

  private calls(specs: readonly CallSpec[], last: boolean): void {
    const calls = specs.map((spec) => ({ spec, tool: calledTool(spec.tool, this.builtins) }))
    for (const { spec, tool } of calls) {
      this.say([...callHeader(tool, spec), spec.body, m.call])
      this.entries.push({ origin: 'model', message: callMessage(tool, spec), terminator: 'call', tool })
    }
    const answers = calls.flatMap(({ spec, tool }) =>
      spec.result ? [{ ...spec.result, tool, channel: spec.channel }] : [],
    )
    if (answers.length === 0) return
    answers.sort((a, b) => a.rank - b.rank)
    const parts: Part[] = []
    for (const { tool, channel, text } of answers) {
      parts.push(m.start, `${tool.recipient} to=assistant`, m.channel, channel, m.message, text, m.end)
      const message: HarmonyMessage = {
        role: 'tool',
        name: tool.recipient,
        recipient: 'assistant',
        channel,
        content: text,
      }
      this.entries.push({ origin: 'host', message, terminator: 'end', tool })
    }
    if (!last) parts.push(...START)
    this.started = !last
    this.segments.push(host(...parts))
  }
}

function writeSteps(steps: readonly Step[], started: boolean, builtins: BuiltinDeclarations, ends = true): Writer {
  const writer = new Writer(started, builtins)
  for (const [index, step] of steps.entries()) writer.write(step, ends && index === steps.length - 1)
  return writer
}

function requestFor(declarations: readonly RequestTool[]): ResponseRequest {
  const tools = new Map(declarations.map((tool) => [JSON.stringify(tool), tool]))
  return { model: 'gpt-oss-20b', input: 'Hi', tools: [...tools.values()] }
}

/**
 * A transcript that is Harmony as it should be: the official parser accepts it and reads the same messages. Reasoning,
 * preambles, answers and calls come in any order; `<|call|>` ends calls, `<|return|>` an answer that is last, `<|end|>`
 * the rest. There is no content type without a recipient, which the official parser takes for a recipient.
 */
export function wellFormedTranscript(options: TranscriptOptions = {}): fc.Arbitrary<Transcript> {
  const { text = harmonyText(), calls = true, results = true, maxSteps = 5 } = options
  const declared = (): fc.Arbitrary<'builtin' | 'preview' | 'mcp'> => fc.constantFrom('builtin', 'preview', 'mcp')
  return fc
    .record({
      steps: fc.array(step(text, calls, results), { minLength: 1, maxLength: maxSteps }),
      builtins: fc.record({ python: declared(), browser: declared(), container: declared() }),
    })
    .map(({ steps, builtins }) => {
      const { segments, entries } = writeSteps(steps, true, unambiguous(steps, builtins))
      const stream = streamOf(segments)
      const messages = entries.map(({ message }) => message)
      const request = requestFor(entries.flatMap(({ tool }) => (tool ? [tool.declaration] : [])))
      return shown({ ...stream, entries, messages, request }, () => show(stream, request))
    })
}

/** A bare `python` is a declared function of that name before it is an MCP server's: then it is not declared so. */
function unambiguous(steps: readonly Step[], builtins: BuiltinDeclarations): BuiltinDeclarations {
  const calls = steps.flatMap((step) => (step.kind === 'calls' ? step.calls : []))
  const named = calls.some(({ tool }) => tool.kind === 'function' && tool.name === 'python')
  return named && builtins.python === 'mcp' ? { ...builtins, python: 'builtin' } : builtins
}

const toolLabel = (tool: RequestTool): string => {
  const name = 'name' in tool ? tool.name : 'server_label' in tool ? tool.server_label : undefined
  return name === undefined ? tool.type : `${tool.type} ${String(name)}`
}

function show(stream: TokenStream, request: ResponseRequest): string {
  const tools = (request.tools ?? []).map(toolLabel).join(', ')
  return `Transcript(${JSON.stringify(stream.text)}, tools: [${tools}])`
}

// ---------------------------------------------------------------------------------------------------------------------
// Malformed transcripts

/** How many shapes `reference/harmony-input.md` lists. */
export const MALFORMED_ROWS = 49

/** A transcript with one malformed stretch in it. */
export interface MalformedTranscript extends TokenStream {
  /** The row of `reference/harmony-input.md`, section 5: 1 to 49. */
  readonly row: number
  /** Which of the row's shapes. */
  readonly variant: string
  /** The well-formed messages before and after the stretch; the host's messages of row 47 are in neither. */
  readonly before: HarmonyMessage[]
  readonly after: HarmonyMessage[]
  /** What the stretch says, in order: bodies and free text, without the header words and junk that say nothing. */
  readonly texts: string[]
  /** The calls that the row's best behaviour makes of the stretch, in order: recipients with their namespace. */
  readonly calls: { readonly recipient: string; readonly arguments: string }[]
  /** Whether some text of the stretch spells a marker that is not one. */
  readonly spelled: boolean
  /** Whether the stream stops inside a header or a message. */
  readonly open: boolean
  /** Declares the functions that are called, but none of the tools that a row says are undeclared. */
  readonly request: ResponseRequest
}

interface Stretch {
  readonly variant: string
  /** What follows `<|start|>assistant`, or with `bare` what follows the message before. */
  readonly segments: readonly Segment[]
  readonly bare?: boolean
  readonly texts?: readonly string[]
  readonly calls?: readonly { readonly recipient: string; readonly arguments: string }[]
  /** Names of declared functions. */
  readonly functions?: readonly string[]
  readonly spelled?: boolean
  /** The stream stops here, between messages (`closed`) or within one (`open`). */
  readonly last?: 'closed' | 'open'
  /** Gives the ids one by one, and the text in pieces of these lengths. */
  readonly textCuts?: readonly number[]
}

/** Where a stretch stands: `first` in the stream, `between` messages (one is before it), or `any` of the two. */
type Place = 'any' | 'first' | 'between'

const call = (name: string, body: string): { recipient: string; arguments: string } => ({
  recipient: `functions.${name}`,
  arguments: body,
})

const either = <const T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values)

const withType = (how: 'spaced' | 'adjacent' | 'plain'): Part[] =>
  how === 'plain' ? [' json'] : how === 'spaced' ? [' ', m.constrain, 'json'] : [m.constrain, 'json']

const typeForm = (): fc.Arbitrary<'spaced' | 'adjacent' | 'plain'> => either('spaced', 'adjacent', 'plain')

const finalMessage = (text: string): Part[] => [...START, m.channel, 'final', m.message, text]

const words = { name: either('bash', 'get_weather', 'geo'), json: json(), text: harmonyText(), prose: prose(4) }

const stretch = <T>(
  values: { [K in keyof T]: fc.Arbitrary<T[K]> },
  build: (values: T) => Stretch,
): fc.Arbitrary<Stretch> => fc.record(values).map((picked) => build(picked as T))

const ROWS: Record<number, [Place, fc.Arbitrary<Stretch>]> = {
  1: [
    'any',
    stretch(
      { name: words.name, body: words.json, form: typeForm(), inRole: fc.boolean(), spelled: fc.boolean() },
      ({ name, body, form, inRole, spelled }) => {
        const glued: Part[] = spelled ? ['<|channel|>commentary'] : [m.channel, 'commentary']
        const to = ` to=functions.${name}`
        const header = inRole ? [to, ...glued, m.channel, 'commentary'] : [m.channel, 'commentary', to, ...glued]
        return {
          variant: `recipient in the ${inRole ? 'role' : 'channel'} section`,
          segments: [model(...header, ...withType(form), m.message, body, m.call)],
          texts: [body],
          calls: [call(name, body)],
          functions: [name],
          spelled,
        }
      },
    ),
  ],
  2: [
    'any',
    stretch(
      { name: words.name, body: words.json, form: typeForm(), spelled: fc.boolean() },
      ({ name, body, form, spelled }) => ({
        variant: 'channel twice',
        segments: [
          model(
            ...(spelled ? ['<|channel|>commentary'] : [m.channel, 'commentary']),
            m.channel,
            `commentary to=functions.${name}`,
            ...withType(form),
            m.message,
            body,
            m.call,
          ),
        ],
        texts: [body],
        calls: [call(name, body)],
        functions: [name],
        spelled,
      }),
    ),
  ],
  3: [
    'any',
    stretch({ name: words.name, body: words.json, triple: fc.boolean() }, ({ name, body, triple }) => ({
      variant: triple ? 'tool as the second of three channels' : 'tool as the first of two channels',
      segments: [
        model(
          ...(triple ? [m.channel, 'commentary'] : []),
          m.channel,
          name,
          m.channel,
          'commentary json',
          m.message,
          body,
          m.call,
        ),
      ],
      texts: [body],
      calls: [call(name, body)],
      functions: [name],
    })),
  ],
  4: [
    'any',
    stretch(
      {
        text: words.text,
        first: either('commentary', 'analysis', 'final'),
        second: either('analysis', 'final', 'commentary'),
      },
      ({ text, first, second }) => ({
        variant: 'two channels',
        segments: [model(m.channel, first, m.channel, second, m.message, text, m.end)],
        texts: [text],
      }),
    ),
  ],
  5: [
    'any',
    stretch({ junk: either('?', '', '...', ' ?'), to: either('assistant', 'user') }, ({ junk, to }) => ({
      variant: 'header without message or text',
      segments: [model(m.channel, `commentary to=${to}`, m.channel, `commentary${junk}`, m.end)],
    })),
  ],
  6: [
    'any',
    stretch({ junk: either('??', 'commentary 2?', '?', 'analysis ?!', 'commentary ??') }, ({ junk }) => ({
      variant: 'end in the header',
      segments: [model(m.channel, junk, m.end)],
    })),
  ],
  7: [
    'any',
    stretch({ text: words.prose }, ({ text }) => ({
      variant: 'free text for a channel',
      segments: [model(m.channel, text, m.end)],
      texts: [text],
    })),
  ],
  8: [
    'any',
    stretch({ lead: words.prose, text: words.text }, ({ lead, text }) => ({
      variant: 'free text behind the channel',
      segments: [model(m.channel, `analysis ${lead}`, m.message, text, m.end)],
      texts: [lead, text],
    })),
  ],
  9: [
    'any',
    stretch(
      {
        junk: either('––commentary', '–– ', '…', 'commentary', '-- commentary', '?!'),
        name: fc.option(words.name, { nil: undefined }),
        body: words.json,
        text: words.text,
      },
      ({ junk, name, body, text }) =>
        name === undefined
          ? {
              variant: 'junk behind the channel',
              segments: [model(m.channel, `commentary ${junk}`, m.message, text, m.end)],
              texts: [text],
            }
          : {
              variant: 'junk between channel and recipient',
              segments: [
                model(
                  m.channel,
                  `commentary ${junk.trimEnd()} to=functions.${name} `,
                  m.constrain,
                  'json',
                  m.message,
                  body,
                  m.call,
                ),
              ],
              texts: [body],
              calls: [call(name, body)],
              functions: [name],
            },
    ),
  ],
  10: [
    'any',
    stretch(
      {
        text: fc.oneof(either('{"answer":42}', '{"answer": [1, 2]}'), words.prose),
        gap: either(' ', '\n'),
        channel: either('final', 'analysis'),
      },
      ({ text, gap, channel }) => ({
        variant: `${channel} without message`,
        segments: [model(m.channel, `${channel}${gap}${text}`, channel === 'final' ? m.return : m.end)],
        texts: [text],
      }),
    ),
  ],
  11: [
    'any',
    stretch({ text: prose(2) }, ({ text }) => ({
      variant: 'constrain for message',
      segments: [model(m.channel, 'final', m.constrain, text, m.return)],
      texts: [text],
    })),
  ],
  12: [
    'first',
    stretch({ text: prose(2) }, ({ text }) => ({
      variant: 'no header',
      segments: [model(text, m.end)],
      texts: [text],
    })),
  ],
  13: [
    'first',
    stretch({ body: jsonObject(), returned: fc.boolean() }, ({ body, returned }) => ({
      variant: 'no markup',
      segments: [model(body, ...(returned ? [m.return] : []))],
      texts: [body],
      last: returned ? 'closed' : 'open',
    })),
  ],
  14: [
    'any',
    stretch(
      {
        thought: words.text,
        body: fc.oneof(either('{"country":"France"}'), jsonObject(), prose(4)),
        end: either(m.return, m.end),
      },
      ({ thought, body, end }) => ({
        variant: 'no header behind reasoning',
        segments: [model(m.channel, 'analysis', m.message, thought, m.end), model(body, end)],
        texts: [thought, body],
      }),
    ),
  ],
  15: [
    'any',
    stretch(
      { thought: words.text, junk: either('.\n\n', '\n', ' ', '.', '…', ' \n.'), text: words.text },
      ({ thought, junk, text }) => ({
        variant: 'junk before start',
        segments: [
          model(m.channel, 'analysis', m.message, thought, m.end),
          model(junk),
          model(...finalMessage(text), m.return),
        ],
        texts: [thought, text],
      }),
    ),
  ],
  16: [
    'any',
    stretch(
      { thought: words.text, role: fc.boolean(), channel: either('final', 'analysis', 'commentary'), text: words.text },
      ({ thought, role, channel, text }) => ({
        variant: role ? 'role without start' : 'channel without start',
        segments: [
          model(m.channel, 'analysis', m.message, thought, m.end),
          model(...(role ? ['assistant'] : []), m.channel, channel, m.message, text, m.end),
        ],
        texts: [thought, text],
      }),
    ),
  ],
  17: [
    'any',
    stretch(
      { again: either<Part[]>([], [m.start], [m.start, 'assistant']), text: words.text, bare: fc.boolean() },
      ({ again, text, bare }) => ({
        variant: bare ? 'start before start' : 'start behind the role',
        bare,
        segments: [model(...(bare && again.length === 0 ? [m.start] : again), ...finalMessage(text), m.return)],
        texts: [text],
      }),
    ),
  ],
  18: [
    'any',
    stretch({ more: fc.integer({ min: 1, max: 3 }), text: words.text }, ({ more, text }) => ({
      variant: 'role repeated',
      segments: [model('assistant'.repeat(more), m.channel, 'final', m.message, text, m.return)],
      texts: [text],
    })),
  ],
  19: [
    'any',
    stretch({ text: words.text, end: either(m.end, m.return) }, ({ text, end }) => ({
      variant: 'empty channel',
      segments: [model(m.channel, m.message, text, end)],
      texts: [text],
    })),
  ],
  20: [
    'any',
    stretch(
      {
        channel: either('finalx', 'comment', 'analysisfinal', 'summary', 'Final', 'commentry'),
        name: fc.option(words.name, { nil: undefined }),
        body: words.json,
        text: words.text,
      },
      ({ channel, name, body, text }) =>
        name === undefined
          ? {
              variant: 'unknown channel',
              segments: [model(m.channel, channel, m.message, text, m.end)],
              texts: [text],
            }
          : {
              variant: 'unknown channel with recipient',
              segments: [
                model(m.channel, `${channel} to=functions.${name} `, m.constrain, 'json', m.message, body, m.call),
              ],
              texts: [body],
              calls: [call(name, body)],
              functions: [name],
            },
    ),
  ],
  21: [
    'any',
    stretch({ body: words.json, form: typeForm() }, ({ body, form }) => ({
      variant: 'content type on the final channel',
      segments: [model(m.channel, 'final', ...withType(form), m.message, body, m.return)],
      texts: [body],
    })),
  ],
  22: [
    'any',
    stretch(
      {
        type: either('response', 'control', 'commentary'),
        gap: either('', ' '),
        name: fc.option(words.name, { nil: undefined }),
        body: words.json,
        text: words.text,
      },
      ({ type, gap, name, body, text }) =>
        name === undefined
          ? {
              variant: 'odd content type',
              segments: [model(m.channel, `commentary${gap}`, m.constrain, type, m.message, text, m.end)],
              texts: [text],
            }
          : {
              variant: 'odd content type with recipient',
              segments: [
                model(m.channel, `commentary to=functions.${name}${gap}`, m.constrain, type, m.message, body, m.call),
              ],
              texts: [body],
              calls: [call(name, body)],
              functions: [name],
            },
    ),
  ],
  23: [
    'any',
    stretch(
      { lead: either('write: edit file', 'control:'), text: prose(3), body: words.json },
      ({ lead, text, body }) => ({
        variant: 'reasoning behind constrain',
        segments: [
          model(m.channel, 'commentary to=functions.write ', m.constrain, `${lead} ${text}`, m.end),
          model(...START, m.channel, 'commentary to=functions.write ', m.constrain, 'json', m.message, body, m.call),
        ],
        texts: [`${lead} ${text}`, body],
        calls: [call('write', body)],
        functions: ['write'],
      }),
    ),
  ],
  24: [
    'any',
    stretch({ name: words.name, body: words.json }, ({ name, body }) => ({
      variant: 'space behind constrain',
      segments: [model(m.channel, `commentary to=functions.${name} `, m.constrain, ' json', m.message, body, m.call)],
      texts: [body],
      calls: [call(name, body)],
      functions: [name],
    })),
  ],
  25: [
    'any',
    stretch({ name: words.name, body: words.json, form: typeForm() }, ({ name, body, form }) => ({
      variant: 'recipient twice',
      segments: [
        model(
          m.channel,
          `commentary to=functions.${name} to=functions.${name}`,
          ...withType(form),
          m.message,
          body,
          m.call,
        ),
      ],
      texts: [body],
      calls: [call(name, body)],
      functions: [name],
    })),
  ],
  26: [
    'any',
    stretch(
      { name: words.name, body: words.json, extra: either('code json', 'json code', 'code json python') },
      ({ name, body, extra }) => ({
        variant: 'extra words',
        segments: [model(m.channel, `commentary to=functions.${name} ${extra}`, m.message, body, m.call)],
        texts: [body],
        calls: [call(name, body)],
        functions: [name],
      }),
    ),
  ],
  27: [
    'between',
    stretch(
      {
        role: either('final', 'analysis', 'tool name'),
        name: either('bash', 'geo'),
        body: words.json,
        text: words.text,
      },
      ({ role, name, body, text }) =>
        role === 'tool name'
          ? {
              variant: 'tool for a role',
              bare: true,
              segments: [model(m.start, name, m.channel, 'commentary', m.message, body, m.call)],
              texts: [body],
              calls: [call(name, body)],
              functions: [name],
            }
          : {
              variant: 'channel for a role',
              bare: true,
              segments: [model(m.start, role, m.message, text, m.end)],
              texts: [text],
            },
    ),
  ],
  28: [
    'any',
    stretch(
      { name: either('get_weather', 'geo'), body: words.json, form: typeForm(), inRole: fc.boolean() },
      ({ name, body, form, inRole }) => ({
        variant: 'recipient without namespace',
        segments: [
          model(
            ...(inRole ? [` to=${name}`, m.channel, 'commentary'] : [m.channel, `commentary to=${name}`]),
            ...withType(form),
            m.message,
            body,
            m.call,
          ),
        ],
        texts: [body],
        calls: [call(name, body)],
        functions: [name],
      }),
    ),
  ],
  29: [
    'any',
    stretch(
      {
        channel: either('analysis', 'final', 'comment'),
        name: words.name,
        body: words.json,
        type: either(' code', '', ' json'),
      },
      ({ channel, name, body, type }) => ({
        variant: 'call on another channel',
        segments: [model(m.channel, `${channel} to=functions.${name}${type}`, m.message, body, m.call)],
        texts: [body],
        calls: [call(name, body)],
        functions: [name],
      }),
    ),
  ],
  30: [
    'any',
    stretch(
      {
        recipient: either(
          'python',
          'container.exec',
          'browser.search',
          'apply_patch',
          'repo_browser.print_tree',
          'multi_tool_use.parallel',
        ),
        channel: either('analysis', 'commentary'),
        body: fc.oneof(words.json, code()),
      },
      ({ recipient, channel, body }) => ({
        variant: 'undeclared tool',
        segments: [model(m.channel, `${channel} to=${recipient} code`, m.message, body, m.call)],
        texts: [body],
        calls: [{ recipient, arguments: body }],
      }),
    ),
  ],
  31: [
    'any',
    stretch({ name: either('python', 'bash'), body: code() }, ({ name, body }) => ({
      variant: 'code for arguments',
      segments: [model(m.channel, `commentary to=functions.${name} code`, m.message, body, m.call)],
      texts: [body],
      calls: [call(name, body)],
      functions: [name],
    })),
  ],
  32: [
    'any',
    stretch(
      { to: either('assistant', 'user', ''), channel: either('commentary', 'final', 'analysis'), text: words.text },
      ({ to, channel, text }) => ({
        variant: to === '' ? 'empty recipient' : 'recipient that is no tool',
        segments: [model(m.channel, `${channel} to=${to}`, m.message, text, m.end)],
        texts: [text],
      }),
    ),
  ],
  33: [
    'any',
    stretch(
      { name: words.name, first: words.json, second: words.json, channel: fc.boolean() },
      ({ name, first, second, channel }) => {
        const to = `commentary to=functions.${name} `
        return {
          variant: channel ? 'channel word before channel' : 'channel word for a header',
          segments: [
            model(m.channel, to, m.constrain, 'json', m.message, first, m.call),
            model(...(channel ? ['commentary', m.channel] : []), to, m.constrain, 'json', m.message, second, m.call),
          ],
          texts: [first, second],
          calls: [call(name, first), call(name, second)],
          functions: [name],
        }
      },
    ),
  ],
  34: [
    'any',
    stretch({ text: words.text }, ({ text }) => ({
      variant: 'empty message without end',
      segments: [model(m.channel, 'commentary', m.message), model(...finalMessage(text), m.return)],
      texts: [text],
    })),
  ],
  35: [
    'any',
    stretch({ thought: words.text, start: fc.boolean(), text: words.text }, ({ thought, start, text }) => ({
      variant: start ? 'start in content' : 'channel in content',
      segments: [
        model(m.channel, 'analysis', m.message, thought),
        model(...(start ? START : []), m.channel, 'final', m.message, text, m.return),
      ],
      texts: [thought, text],
    })),
  ],
  36: [
    'any',
    stretch({ text: words.text }, ({ text }) => ({
      variant: 'preamble',
      segments: [model(m.channel, 'commentary', m.message, text, m.end)],
      texts: [text],
    })),
  ],
  37: [
    'any',
    stretch({ body: jsonObject() }, ({ body }) => ({
      variant: 'arguments without recipient',
      segments: [model(m.channel, 'commentary', m.message, body, m.end)],
      texts: [body],
    })),
  ],
  38: [
    'any',
    stretch(
      { name: words.name, body: either('{"a":1', '{}""', '{"a":[1}}', '{"a": "b', '{"a":1}}', '') },
      ({ name, body }) => ({
        variant: 'arguments that are no JSON',
        segments: [model(m.channel, `commentary to=functions.${name} `, m.constrain, 'json', m.message, body, m.call)],
        texts: [body],
        calls: [call(name, body)],
        functions: [name],
      }),
    ),
  ],
  39: [
    'any',
    stretch({ name: words.name, body: words.json, end: either('end', 'return', 'nothing') }, ({ name, body, end }) => ({
      variant: `call ended by ${end}`,
      segments: [
        model(
          m.channel,
          `commentary to=functions.${name} `,
          m.constrain,
          'json',
          m.message,
          body,
          ...(end === 'nothing' ? [] : [end === 'end' ? m.end : m.return]),
        ),
      ],
      texts: [body],
      calls: [call(name, body)],
      functions: [name],
      ...(end === 'nothing' ? { last: 'open' } : {}),
    })),
  ],
  40: [
    'any',
    stretch(
      { names: fc.array(words.name, { minLength: 1, maxLength: 3 }), thought: prose(4), body: words.json },
      ({ names, thought, body }) => ({
        variant: names.length === 1 ? 'planned two calls, made one' : 'parallel calls',
        segments: [
          model(m.channel, 'analysis', m.message, thought, m.end),
          ...names.map((name) =>
            model(
              ...START,
              m.channel,
              `commentary to=functions.${name} `,
              m.constrain,
              'json',
              m.message,
              body,
              m.call,
            ),
          ),
        ],
        texts: [thought, ...names.map(() => body)],
        calls: names.map((name) => call(name, body)),
        functions: names,
      }),
    ),
  ],
  41: [
    'first',
    stretch(
      { thoughts: fc.array(words.text, { minLength: 1, maxLength: 3 }), end: either(m.end, m.return) },
      ({ thoughts, end }) => ({
        variant: 'reasoning only',
        segments: thoughts.map((thought, index) =>
          model(
            ...(index === 0 ? [] : START),
            m.channel,
            'analysis',
            m.message,
            thought,
            index === thoughts.length - 1 ? end : m.end,
          ),
        ),
        texts: thoughts,
        last: 'closed',
      }),
    ),
  ],
  42: [
    'any',
    stretch({ name: words.name, at: fc.nat({ max: 9 }) }, ({ name, at }) => {
      const header: Part[] = [m.channel, 'comment', 'ary', ' to=', 'functions.', name, ' ', m.constrain, 'json']
      return {
        variant: 'cut in the header',
        segments: [model(...header.slice(0, at))],
        functions: [name],
        last: 'open',
      }
    }),
  ],
  43: [
    'first',
    stretch(
      {
        thought: prose(4),
        answer: prose(2),
        name: fc.option(words.name, { nil: undefined }),
        body: words.json,
        returned: fc.boolean(),
      },
      ({ thought, answer, name, body, returned }) => {
        const rest =
          name === undefined ? `assistantfinal${answer}` : `assistantcommentary to=functions.${name} json${body}`
        const text = `analysis${thought}${rest}`
        return {
          variant: 'markers stripped',
          segments: [model(text, ...(returned ? [m.return] : []))],
          texts: [text],
          ...(name === undefined ? {} : { functions: [name] }),
          last: returned ? 'closed' : 'open',
        }
      },
    ),
  ],
  44: [
    'any',
    stretch({ odd: fc.boolean(), text: words.text, body: words.json }, ({ odd, text, body }) => {
      const split = (...pieces: string[]): Part => (odd ? { split: pieces } : pieces.join(''))
      return {
        variant: odd ? 'header words in odd tokens' : 'commentary in two tokens',
        segments: [
          model(m.channel, split('comment', 'ary'), m.message, text, m.end),
          model(...START, m.channel, split('an', 'aly', 'sis'), m.message, text, m.end),
          model(
            m.start,
            split('ass', 'istant'),
            split(' ', 't', 'o', '=', 'func', 'tions', '.g', 'eo'),
            m.channel,
            split('comm', 'entary'),
            m.constrain,
            split('j', 'son'),
            m.message,
            body,
            m.call,
          ),
        ],
        texts: [text, text, body],
        calls: [call('geo', body)],
        functions: ['geo'],
      }
    }),
  ],
  45: [
    'any',
    stretch(
      { text: words.text, body: words.json, cuts: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 40 }) },
      ({ text, body, cuts }) => ({
        variant: 'text cut in markers and header words',
        segments: [
          model(m.channel, 'analysis', m.message, text, m.end),
          model(...START, m.channel, 'commentary to=functions.geo ', m.constrain, 'json', m.message, body, m.call),
        ],
        texts: [text, body],
        calls: [call('geo', body)],
        functions: ['geo'],
        textCuts: cuts,
      }),
    ),
  ],
  46: [
    'any',
    stretch({ count: fc.oneof(fc.integer({ min: 4, max: 40 }), fc.integer({ min: 240, max: 700 })) }, ({ count }) => ({
      variant: 'endless channel',
      segments: [model(m.channel, { split: Array.from({ length: count }, () => '!') })],
      last: 'open',
    })),
  ],
  47: [
    'any',
    stretch({ body: words.json, data: harmonyTextSpellingMarkers(), text: words.text }, ({ body, data, text }) => ({
      variant: 'markers spelled in a tool result',
      segments: [
        model(m.channel, 'commentary to=functions.geo ', m.constrain, 'json', m.message, body, m.call),
        host(m.start, 'functions.geo to=assistant', m.channel, 'commentary', m.message, data, m.end, ...START),
        model(m.channel, 'final', m.message, text, m.return),
      ],
      texts: [body, text],
      calls: [call('geo', body)],
      functions: ['geo'],
      spelled: true,
    })),
  ],
  48: [
    'any',
    stretch(
      {
        id: either(201088, 201089, 250000, 4_000_000_000),
        place: either('content', 'header', 'between', 'end of text'),
        before: words.text,
        after: words.text,
      },
      ({ id, place, before, after }): Stretch => {
        const open: Part[] = [m.channel, 'final', m.message, before]
        const texts = [before, after]
        const variant = place === 'end of text' ? 'endoftext in content' : `unknown id in ${place}`
        if (place === 'end of text') {
          return { variant, segments: [model(...open, m.endoftext)], texts: [before], last: 'closed' }
        }
        if (place === 'content') return { variant, segments: [model(...open, id, after, m.return)], texts }
        const final: Part[] = [m.channel, 'final', m.message, after, m.return]
        if (place === 'header')
          return { variant, segments: [model(m.channel, id, 'final', ...final.slice(2))], texts: [after] }
        return { variant, segments: [model(...open, m.end), model(id), model(...START, ...final)], texts }
      },
    ),
  ],
  49: [
    'any',
    stretch(
      { shape: either('end', 'final', 'call'), name: words.name, body: words.json },
      ({ shape, name, body }): Stretch => {
        if (shape === 'end') return { variant: 'garbled header', segments: [model(m.channel, 'commentary??', m.end)] }
        if (shape === 'final') {
          return {
            variant: 'garbled message marker',
            segments: [model(m.channel, `final? ${body}`, m.return)],
            texts: [body],
          }
        }
        return {
          variant: 'garbled word before the recipient',
          segments: [
            model(m.channel, `commentary ? to=functions.${name} `, m.constrain, 'json', m.message, body, m.call),
          ],
          texts: [body],
          calls: [call(name, body)],
          functions: [name],
        }
      },
    ),
  ],
}

const SURROUNDING: BuiltinDeclarations = { python: 'builtin', browser: 'builtin', container: 'builtin' }

/** A well-formed message around a malformed stretch: it calls functions only, whose names no row uses. */
const surroundingStep = (): fc.Arbitrary<Step> => {
  const spec = fc.record({
    tool: fc.record({ kind: fc.constant('function' as const), name: fc.constantFrom('look_up', 'get_time') }),
    recipientIn: fc.constantFrom('channel' as const, 'role' as const),
    channel: fc.constant('commentary' as const),
    type: fc.constantFrom(undefined, { name: 'json', constrain: 'spaced' as const }),
    body: json(),
    result: fc.constant(undefined),
  })
  return fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom('analysis' as const, 'commentary' as const, 'final' as const),
        text: harmonyText(),
      }),
    },
    { weight: 1, arbitrary: spec.map((made): Step => ({ kind: 'calls', calls: [made] })) },
  )
}

/** Transcripts of one of the 49 malformed shapes, alone and between well-formed messages. */
export function malformedRow(row: number): fc.Arbitrary<MalformedTranscript> {
  const entry = ROWS[row]
  if (entry === undefined) throw new Error(`rows are 1 to ${MALFORMED_ROWS}, not ${row}`)
  const [place, arbitrary] = entry
  const first = place === 'first'
  const before = first
    ? fc.constant([])
    : fc.array(surroundingStep(), { minLength: place === 'between' ? 1 : 0, maxLength: 2 })
  return fc
    .record({ before, made: arbitrary, after: fc.array(surroundingStep(), { maxLength: 2 }) })
    .map((parts) => writeMalformed(row, parts))
}

function writeMalformed(
  row: number,
  { before, made, after }: { before: readonly Step[]; made: Stretch; after: readonly Step[] },
): MalformedTranscript {
  const head = writeSteps(before, true, SURROUNDING, false)
  const tail = writeSteps(made.last === undefined ? after : [], false, SURROUNDING)
  const started = before.length === 0 || made.bare === true
  const [opening, ...rest] = made.segments
  // `<|start|>assistant` and what follows it are one span.
  const begun = started || opening === undefined ? made.segments : [model(...START, ...opening.parts), ...rest]
  const stream = streamOf([...head.segments, ...begun, ...tail.segments])
  const entries = [...head.entries, ...tail.entries]
  const functions = (made.functions ?? []).map(declareFunction)
  const request = requestFor([...functions, ...entries.flatMap(({ tool }) => (tool ? [tool.declaration] : []))])
  const value: MalformedTranscript = {
    row,
    variant: made.variant,
    ...stream,
    ...(made.textCuts === undefined ? {} : inPieces(stream, made.textCuts)),
    before: head.entries.map(({ message }) => message),
    after: tail.entries.map(({ message }) => message),
    texts: [...(made.texts ?? [])],
    calls: [...(made.calls ?? [])],
    spelled: made.spelled === true,
    open: made.last === 'open',
    request,
  }
  return shown(value, () => `Row ${row}, ${made.variant}: ${show(stream, request)}`)
}

const inPieces = (
  { tokens, textChunks }: TokenStream,
  cuts: readonly number[],
): Pick<TokenStream, 'chunks' | 'textChunks'> => ({
  chunks: tokens,
  ...(textChunks === undefined ? {} : { textChunks: cutText(textChunks, cuts) }),
})

/** Transcripts of all 49 malformed shapes, or of some of them. */
export function malformedTranscript(rows: readonly number[] = ALL_ROWS): fc.Arbitrary<MalformedTranscript> {
  return fc.oneof(...rows.map(malformedRow))
}

const ALL_ROWS: readonly number[] = Array.from({ length: MALFORMED_ROWS }, (_, index) => index + 1)

// ---------------------------------------------------------------------------------------------------------------------
// Token soup

const SOUP_MARKERS = [m.channel, m.start, m.end, m.message, m.constrain, m.return, m.call]
const SOUP_RESERVED = [199998, 199999, 200000, 200001, 200004, 200009, 200013, 200018, 201087]
const SOUP_UNKNOWN = [201088, 201089, 250000]
const SOUP_HEADER = [
  'assistant',
  'analysis',
  'commentary',
  'final',
  ' to',
  '=functions',
  '.x',
  'json',
  ' code',
  'python',
  'user',
  'tool',
].map(encodeText)
/** Halves of characters, bytes that no character begins with, and a token that is text and half a character. */
const SOUP_BYTES = [9552, 187, 186, 169, 254, 222, 124, 107, 172, 253, 240]
const SOUP_WORDS = [12083, 220, 198, 2375, 13225, 55, 135596, 17, 0, 5574]

/** Random token sequences, 0 to 60 ids long: mostly nonsense, now and then a message. */
export function tokenSoup(): fc.Arbitrary<number[]> {
  const one = (ids: readonly number[]): fc.Arbitrary<number[]> => fc.constantFrom(...ids).map((id) => [id])
  const piece = fc.oneof(
    { weight: 6, arbitrary: one(SOUP_MARKERS) },
    { weight: 5, arbitrary: fc.constantFrom(...SOUP_HEADER) },
    { weight: 3, arbitrary: one(SOUP_WORDS) },
    { weight: 2, arbitrary: one(SOUP_BYTES) },
    { weight: 1, arbitrary: one(SOUP_RESERVED) },
    { weight: 1, arbitrary: one(SOUP_UNKNOWN) },
    { weight: 1, arbitrary: fc.nat({ max: VOCABULARY_SIZE - 1 }).map((id) => [id]) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        [m.start, ...encodeText('assistant')],
        [m.channel, ...encodeText('final'), m.message],
        [m.channel, ...encodeText('analysis'), m.message],
        [...encodeText(' to=functions.x'), m.channel, ...encodeText('commentary'), m.constrain, ...encodeText('json')],
      ),
    },
  )
  return fc.array(piece, { maxLength: 40, size: 'max' }).map((pieces) => {
    const ids = pieces.flat().slice(0, 60)
    return shown(ids, () => `[${ids.map((id) => `${id} ${showToken(id)}`).join(', ')}]`)
  })
}

const HEADER_WORDS = [
  'assistant',
  'user',
  'system',
  'developer',
  'tool',
  'python',
  'functions.x',
  'x',
  'to=functions.x',
  'to=assistant',
  'to=python',
  'to=x',
  'to=',
  'to',
  '=',
  'analysis',
  'commentary',
  'final',
  'Final',
  'summary',
  'json',
  'code',
  'text/plain',
  'response',
  'user:al',
  'assistantassistant',
  'We',
  'é',
  '?',
  '{',
]
/** White space to JavaScript or to the official parser, not always to both. */
const HEADER_SPACE = ['', '  ', '\n', '\t', '\u00a0', '\u000b', '\f', '\u0085', '\u2028', '\u3000', '\ufeff', '\u200b']

/**
 * Whole messages, bodies and stop tokens as they should be, whose headers are rows of words and markers of any kind.
 * More than one in ten is Harmony, and the rest is close to it.
 */
export function headerSoup(): fc.Arbitrary<number[]> {
  const space = fc.oneof(
    { weight: 12, arbitrary: fc.constant(' ') },
    { weight: 1, arbitrary: fc.constantFrom(...HEADER_SPACE) },
  )
  const channel = fc.constantFrom('analysis', 'commentary', 'final', 'commentary', 'summary', '')
  const recipient = fc.constantFrom('to=functions.x', 'to=assistant', 'to=python', 'to=')
  const type = fc.constantFrom('json', 'code', 'response', '')
  const word = fc.constantFrom(...HEADER_WORDS)
  const rest = fc.array(
    fc.tuple(space, word).map(([before, text]) => before + text),
    { maxLength: 2 },
  )
  const segment = fc.oneof(
    { weight: 3, arbitrary: fc.tuple(space, recipient).map(([before, to]) => before + to) },
    {
      weight: 2,
      arbitrary: fc.tuple(rest, fc.constantFrom('', '', ' ', '\n')).map(([words, end]) => words.join('') + end),
    },
    { weight: 4, arbitrary: fc.constant('') },
  )
  const marked = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(channel, segment).map(([name, more]): Part[] => [m.channel, `${name}${more}`]),
    },
    { weight: 3, arbitrary: fc.tuple(type, segment).map(([name, more]): Part[] => [m.constrain, `${name}${more}`]) },
    { weight: 1, arbitrary: segment.map((more): Part[] => [m.start, more]) },
  )
  const author = fc.oneof(
    { weight: 4, arbitrary: fc.constant('assistant') },
    { weight: 1, arbitrary: fc.constantFrom('user', 'tool', 'functions.x to=assistant', 'python to=assistant') },
    { weight: 1, arbitrary: rest.map((words) => words.join('')) },
  )
  const message = fc.record({
    author,
    segment,
    marked: fc.array(marked, { maxLength: 3 }),
    body: fc.constantFrom('Hi', '', '{}', 'a b'),
    end: fc.constantFrom(m.end, m.call, m.return),
  })
  return fc.array(message, { minLength: 1, maxLength: 2 }).map((messages) => {
    const parts = messages.flatMap(({ author, segment, marked, body, end }, index): Part[] => [
      ...(index === 0 ? [] : [m.start, author]),
      segment,
      ...marked.flat(),
      m.message,
      body,
      end,
    ])
    return shown(encodeParts(parts), () => showParts(parts))
  })
}

/** The tokens of well-formed transcripts, in which some are lost, repeated, replaced or added: none to three. */
export function editedTranscript(): fc.Arbitrary<number[]> {
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    remove: fc.integer({ min: 0, max: 2 }),
    insert: fc.oneof(
      fc.constant([]),
      fc.constantFrom(...SOUP_MARKERS).map((id) => [id]),
      fc.constantFrom(...HEADER_WORDS).map((text) => encodeText(text)),
      fc.constantFrom(...HEADER_WORDS).map((text) => encodeText(` ${text}`)),
      fc.constantFrom(...HEADER_SPACE).map(encodeText),
    ),
  })
  return fc
    .tuple(wellFormedTranscript({ maxSteps: 3 }), fc.array(edit, { maxLength: 3 }))
    .map(([{ tokens }, edits]) => {
      const ids = [...tokens]
      for (const { at, remove, insert } of edits) ids.splice(Math.floor(at * (ids.length + 1)), remove, ...insert)
      return shown(ids, () => ids.map(showToken).join(' '))
    })
}

// ---------------------------------------------------------------------------------------------------------------------
// Cutting

/**
 * How to cut a stream: the sizes and forms of its chunks, over and over. No pieces leave it as few chunks as it can be.
 * It does not depend on the stream, so that a property can draw both beside each other and shrink each for itself.
 */
export type ChunkPlan = readonly {
  readonly size: number
  readonly form: 'ids' | 'array' | 'uint32' | 'scored' | 'mixed'
}[]

export interface ChunkPlanOptions {
  /** Whether some ids carry probabilities, which then stand in the output. Default false. */
  readonly scored?: boolean
}

const planSize = (): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(1) },
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 6 }) },
    { weight: 1, arbitrary: fc.integer({ min: 7, max: 40 }) },
    { weight: 1, arbitrary: fc.constant(0) },
  )

export function chunkPlan(options: ChunkPlanOptions = {}): fc.Arbitrary<ChunkPlan> {
  const forms: ChunkPlan[number]['form'][] = ['array', 'ids', 'uint32']
  if (options.scored === true) forms.push('scored', 'mixed')
  return fc.array(fc.record({ size: planSize(), form: fc.constantFrom(...forms) }), { maxLength: 12 })
}

/** Cuts a stream of ids by a plan. What the host said stays the host's, and is cut as well. */
export function cutChunks(chunks: readonly TokenChunk[], plan: ChunkPlan): TokenChunk[] {
  let at = 0
  const next = (): ChunkPlan[number] => plan[at++ % plan.length] ?? { size: Number.POSITIVE_INFINITY, form: 'array' }
  return runs(chunks).flatMap(({ origin, ids }): TokenChunk[] => {
    const out: TokenChunk[] = []
    let from = 0
    let empty = 0
    while (from < ids.length) {
      const { size, form } = next()
      // A plan of nothing but empty chunks still has to end.
      const taken = size > 0 || ++empty > plan.length ? Math.max(size, 1) : 0
      const piece = ids.slice(from, from + taken)
      from += taken
      if (origin === 'host') out.push({ host: form === 'uint32' ? Uint32Array.from(piece) : piece })
      else if (form === 'ids') out.push(...piece)
      else if (form === 'uint32') out.push(Uint32Array.from(piece))
      else if (form === 'scored') out.push(...piece.map(scored))
      else
        out.push(form === 'mixed' ? piece.map((id, index): HarmonyToken => (index % 2 === 0 ? scored(id) : id)) : piece)
    }
    return out
  })
}

const scored = (id: number): HarmonyToken => ({
  id,
  logprob: -(id % 7) / 4,
  topLogprobs: [{ id, logprob: -(id % 7) / 4 }],
})

interface Run {
  readonly origin: 'model' | 'host'
  readonly ids: number[]
}

/** The ids of a stream, in runs of one origin. Text is no ids, and is refused. */
function runs(chunks: readonly TokenChunk[]): Run[] {
  const found: Run[] = []
  const add = (origin: Run['origin'], ids: Iterable<number>): void => {
    const last = found.at(-1)
    if (last?.origin === origin) last.ids.push(...ids)
    else found.push({ origin, ids: [...ids] })
  }
  for (const chunk of chunks) {
    if (isHost(chunk)) {
      if (typeof chunk.host === 'string') throw new Error('cutText cuts text')
      add('host', chunk.host)
    } else if (typeof chunk === 'string') throw new Error('cutText cuts text')
    else if (typeof chunk === 'number') add('model', [chunk])
    else if (chunk instanceof Uint32Array) add('model', chunk)
    else add('model', 'id' in chunk ? [chunk.id] : chunk.map((token) => (typeof token === 'number' ? token : token.id)))
  }
  return found
}

function isHost(chunk: TokenChunk): chunk is HostTokens {
  return typeof chunk === 'object' && 'host' in chunk
}

/** The ids of chunks, the host's included, in order. */
export function flattenChunks(chunks: readonly TokenChunk[]): number[] {
  return runs(chunks).flatMap(({ ids }) => ids)
}

/** The same tokens in other chunks: single ids, arrays and `Uint32Array`s. Takes a transcript's `chunks`, too. */
export function chunking(tokens: readonly TokenChunk[], options: ChunkPlanOptions = {}): fc.Arbitrary<TokenChunk[]> {
  return chunkPlan(options).map((plan) => cutChunks(tokens, plan))
}

/** Lengths of pieces of text in UTF-16 units, over and over. */
export function textPlan(): fc.Arbitrary<readonly number[]> {
  return fc.array(planSize(), { maxLength: 12 })
}

/** Cuts text anywhere, inside markers and surrogate pairs as well. What the host said is cut, and stays the host's. */
export function cutText(chunks: readonly TokenChunk[], plan: readonly number[]): TokenChunk[] {
  return textRuns(chunks).flatMap(({ origin, text }) =>
    cut(text, repeat(plan, text.length)).map((piece): TokenChunk => (origin === 'host' ? { host: piece } : piece)),
  )
}

/** The text of a stream, in runs of one origin. Ids are no text, and are refused. */
function textRuns(chunks: readonly TokenChunk[]): { origin: 'model' | 'host'; text: string }[] {
  const found: { origin: 'model' | 'host'; text: string }[] = []
  for (const chunk of chunks) {
    const [origin, text] = isHost(chunk) ? (['host', chunk.host] as const) : (['model', chunk] as const)
    if (typeof text !== 'string') throw new Error('cutChunks cuts ids')
    const last = found.at(-1)
    if (last?.origin === origin) last.text += text
    else found.push({ origin, text })
  }
  return found
}

/** The plan again and again, until its sizes reach `length`. */
function repeat(plan: readonly number[], length: number): number[] {
  const sizes: number[] = []
  const step = plan.reduce((sum, size) => sum + size, 0)
  if (step === 0) return sizes
  for (let reached = 0; reached < length; reached += step) sizes.push(...plan)
  return sizes
}

/** The same text in other pieces. */
export function textChunking(text: string): fc.Arbitrary<string[]> {
  return textPlan().map((plan) => cut(text, repeat(plan, text.length)))
}
