import type { Arbitrary } from 'fast-check'
import { SPECIAL as m, type ROLES } from '../../../core/harmony/vocabulary.js'
import {
  type BuiltinDeclarations,
  type CalledTool,
  calledTool,
  type OfferedTools,
  type ToolChoice,
  toolChoice,
} from './called-tool.js'
import fc from './fast-check.js'
import { model, type Part, type Segment, START } from './stream-forms.js'
import { code, json } from './text.js'

/** A Harmony message, as the official parser returns it. */
export interface HarmonyMessage {
  /** The role. */
  role: (typeof ROLES)[number]
  /** The author of a tool message, which is the recipient of the call that it answers. */
  name?: string
  /** The addressee. Absent if the header has none. */
  recipient?: string
  /** The channel. Absent if the header has none. */
  channel?: string
  /** The type of the content, such as `json`. Absent if the header has none. */
  contentType?: string
  /** Whether the content type was marked with `<|constrain|>`. */
  constrained?: boolean
  /** The whole text. */
  content: string
}

/** A message of a transcript, and its author. */
export interface TranscriptMessage {
  /** Who wrote it. */
  readonly origin: 'model' | 'host'
  /** The message, as the official parser reads it. */
  readonly message: HarmonyMessage
  /** The stop token that ends it. */
  readonly terminator: 'end' | 'call' | 'return'
  /** The tool of a call, or of the host's result for it. */
  readonly tool?: CalledTool
}

/** How a call is written. */
interface CallSpec {
  readonly tool: ToolChoice
  readonly recipientIn: 'channel' | 'role'
  readonly channel: 'commentary' | 'analysis'
  readonly type: { readonly name: string; readonly constrain: 'no' | 'spaced' | 'adjacent' } | undefined
  readonly body: string
  /** The results for a group of calls are sorted by `rank`. */
  readonly result: { readonly text: string; readonly rank: number } | undefined
}

/** A message of the model other than a call, or a group of calls with their results. */
export type Step =
  | { readonly kind: 'analysis' | 'commentary' | 'final'; readonly text: string }
  | { readonly kind: 'calls'; readonly calls: readonly CallSpec[] }

/** The output of gpt-oss's browser tool for a page. */
const page = (): Arbitrary<string> =>
  fc.constantFrom(
    '[4] Tides (https://www.example.com/tides)\n**viewing lines [0 - 1] of 1**\n\nL0: high',
    '[5] moon\n**viewing lines [0 - 1] of 1**\n\nL0: * 【0†Moon†example.org】',
  )

const callSpec = (text: Arbitrary<string>, tools: OfferedTools, results: boolean): Arbitrary<CallSpec> =>
  fc.record({
    tool: toolChoice(tools),
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

/** A step with calls of these tools. Shrinks to an empty answer; a call shrinks to the default call. */
export const step = (text: Arbitrary<string>, tools: OfferedTools, results: boolean): Arbitrary<Step> => {
  const plain = fc.record({ kind: fc.constantFrom('final' as const, 'analysis' as const, 'commentary' as const), text })
  if (tools.types.length === 0) return plain
  const group = fc.array(callSpec(text, tools, results), { minLength: 1, maxLength: 3 })
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 3, arbitrary: plain },
    { weight: 2, arbitrary: group.map((specs): Step => ({ kind: 'calls', calls: specs })) },
  )
}

/** The header after `<|start|>assistant`, up to and including `<|message|>`. */
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

/** Writes steps as segments. `started`: the `<|start|>assistant` of the first message exists already. */
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
    this.segments.push({ origin: 'host', parts })
  }
}

/**
 * Writes steps as segments. `started`: the `<|start|>assistant` of the first one exists already. `ends`: nothing
 * follows the last one.
 */
export function writeSteps(
  steps: readonly Step[],
  { started, builtins, ends }: { started: boolean; builtins: BuiltinDeclarations; ends: boolean },
): Pick<Writer, 'segments' | 'entries'> {
  const writer = new Writer(started, builtins)
  for (const [index, step] of steps.entries()) writer.write(step, ends && index === steps.length - 1)
  return writer
}
