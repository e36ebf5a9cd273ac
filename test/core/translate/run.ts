import type { Diagnostic } from '../../../src/core/diagnostics/diagnostic.js'
import { type CompleteItem, hostItem } from '../../../src/core/items/host/host-item.js'
import type { ToolResult } from '../../../src/core/items/parts/tool-result.js'
import type { TranslatorOptions } from '../../../src/core/options/options.js'
import type { Trace } from '../../../src/core/trace/tracer.js'
import { traceTo } from '../../../src/core/trace/tracer.js'
import type { HostTokens, OutputItem, Response, ResponseStreamEvent, TokenChunk } from '../../../src/index.js'
import { accumulated, accumulatorsFor } from '../../support/accumulators.js'
import { expectSame } from '../../support/expect-same.js'
import { Translator } from '../../support/translator.js'

/** The moment at which every response of these tests is made. */
export const NOW = 1_700_000_000

/** Options that make a response a reader can predict: ids are `msg_0`, `fc_1`, `call_2`, by prefix and ordinal. */
export const FIXED: Pick<TranslatorOptions, 'responseId' | 'clock' | 'ids'> = {
  responseId: 'resp_test',
  clock: () => NOW,
  ids: (prefix, ordinal) => `${prefix}_${ordinal}`,
}

/** A translator and everything it emitted. Events are frozen when emitted, so a later change to one throws. */
export interface Run {
  readonly translator: Translator
  /** All events so far. */
  readonly events: ResponseStreamEvent[]
  readonly diagnostics: Diagnostic[]
  readonly traces: Trace[]
  /** Each gives the events of its own call alone. */
  start(): ResponseStreamEvent[]
  push(...chunks: TokenChunk[]): ResponseStreamEvent[]
  /** A tool's message in the transcript, as the host writes it. */
  answer(author: string, output: string): ResponseStreamEvent[]
  toolResult(result: ToolResult): ResponseStreamEvent[]
  insert(item: CompleteItem): ResponseStreamEvent[]
  end(...reason: Parameters<Translator['end']>): ResponseStreamEvent[]
  fail(error: unknown): ResponseStreamEvent[]
  abort(...message: Parameters<Translator['abort']>): ResponseStreamEvent[]
  cancel(): ResponseStreamEvent[]
}

export function createRun(options: Partial<TranslatorOptions> = {}): Run {
  const diagnostics: Diagnostic[] = []
  const traces: Trace[] = []
  const all: TranslatorOptions = {
    ...FIXED,
    onDiagnostic: (diagnostic) => diagnostics.push(deepFreeze(diagnostic)),
    trace: traceTo((trace) => traces.push(deepFreeze(trace))),
    ...options,
  }
  return runOf(new Translator(all), diagnostics, traces)
}

/** The same around a translator that exists. */
export function runOf(translator: Translator, diagnostics: Diagnostic[] = [], traces: Trace[] = []): Run {
  const events: ResponseStreamEvent[] = []
  const keep = (made: ResponseStreamEvent[]): ResponseStreamEvent[] => {
    events.push(...deepFreeze(made))
    // Every stream of these tests that has a beginning and an end passes through the SDK's own accumulator.
    if (made.length > 0 && isOver(translator) && events[0]?.type === 'response.created') {
      const response = JSON.parse(JSON.stringify(translator.response))
      for (const accumulate of accumulatorsFor(events)) expectSame(accumulated(accumulate, events), response)
    }
    return made
  }
  return {
    translator,
    events,
    diagnostics,
    traces,
    start: () => keep(translator.start()),
    push: (...chunks) => chunks.flatMap((chunk) => keep(translator.push(chunk))),
    answer: (author, output) => keep(translator.push(toolMessage(author, output))),
    toolResult: (result) => keep(translator.toolResult(result)),
    insert: (item) => keep(translator.insert(hostItem(item))),
    end: (...reason) => keep(translator.end(...reason)),
    fail: (error) => keep(translator.fail(error as Error)),
    abort: (...message) => keep(translator.abort(...message)),
    cancel: () => keep(translator.cancel()),
  }
}

export function toolMessage(author: string, output: string): HostTokens {
  return { host: `<|start|>${author} to=assistant<|channel|>commentary<|message|>${output}<|end|>` }
}

/** Messages of the model, one after the other. The first `<|start|>assistant` is the prompt's. */
export function inTurn(...messages: string[]): string {
  return messages.join('<|start|>assistant')
}

/** A message with a recipient, up to its arguments. */
export function callTo(recipient: string, text = ''): string {
  return `<|channel|>commentary to=${recipient} <|constrain|>json<|message|>${text}`
}

/** A message without a recipient, up to its text. */
export function messageOn(channel: 'analysis' | 'commentary' | 'final', text = ''): string {
  return `<|channel|>${channel}<|message|>${text}`
}

/** Events in a line each: `output_item.added 0`, `output_text.delta 0 "Hi"`, `output_item.done 0 completed`. */
export function brief(events: readonly ResponseStreamEvent[]): string[] {
  return events.map((event) => {
    const words = [event.type.replace('response.', '')]
    if ('output_index' in event) words.push(String(event.output_index))
    if ('delta' in event) words.push(JSON.stringify(event.delta))
    if (event.type === 'response.output_item.done') words.push(statusOf(event.item))
    return words.join(' ')
  })
}

/** An item in a line: `message completed "Hi"`, `mcp_call github.search failed "{}"`. */
export function briefItem(item: OutputItem): string {
  switch (item.type) {
    case 'message':
    case 'reasoning':
      return `${item.type} ${item.status} ${JSON.stringify(item.content.map(({ text }) => text).join('|'))}`
    case 'function_call':
      return `${item.type} ${item.name} ${item.status} ${JSON.stringify(item.arguments)}`
    case 'custom_tool_call':
      return `${item.type} ${item.name} ${item.status} ${JSON.stringify(item.input)}`
    case 'mcp_call':
      return `${item.type} ${item.server_label}.${item.name} ${item.status} ${JSON.stringify(item.arguments)}`
    case 'code_interpreter_call':
      return `${item.type} ${item.status} ${JSON.stringify(item.code)}`
    case 'mcp_approval_request':
      return `${item.type} ${item.server_label}.${item.name} ${JSON.stringify(item.arguments)}`
    case 'mcp_list_tools':
      return `${item.type} ${item.server_label} ${item.error ?? item.tools.map(({ name }) => name).join(',')}`
    case 'web_search_call':
      return `${item.type} ${item.status} ${JSON.stringify(item.action)}`
    case 'file_search_call':
      return `${item.type} ${item.status} ${JSON.stringify(item.queries)}`
    case 'shell_call':
      return `${item.type} ${item.status} ${JSON.stringify(item.action.commands)}`
    case 'shell_call_output':
      return `${item.type} ${item.status} ${JSON.stringify(item.output.map(({ stdout }) => stdout))}`
    case 'local_shell_call':
      return `${item.type} ${item.status} ${JSON.stringify(item.action.command)}`
    case 'apply_patch_call':
      return `${item.type} ${item.status} ${JSON.stringify(item.operation)}`
    // Of kinds that are yet to come.
    default:
      return `${(item as OutputItem).type} ${statusOf(item)}`
  }
}

/** An item's status; `-` for the kinds that have none. */
export function statusOf(item: OutputItem): string {
  return 'status' in item ? item.status : '-'
}

/** The output of a response, an item in a line. */
export function briefOutput(response: Response): string[] {
  return response.output.map(briefItem)
}

/** The response of the last event. */
export function terminal(events: readonly ResponseStreamEvent[]): Response {
  const last = events.at(-1)
  if (last === undefined || !('response' in last)) throw new Error(`expected a terminal event, got ${last?.type}`)
  return last.response
}

/** The diagnostics, by code. */
export function codes(diagnostics: readonly Diagnostic[]): string[] {
  return diagnostics.map(({ code }) => code)
}

/** Freezes a value and everything in it, so that any later change throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) deepFreeze(part)
  }
  return value
}

function isOver(translator: Translator): boolean {
  return translator.response.status !== 'in_progress'
}
