import type { Fields } from '../../../../shared/fields.js'
import { isTerminalType } from '../../event-kind.js'
import { jsonIn } from '../../json-text.js'
import { asFields, asList, asString, type StreamEvent } from '../../stream-event.js'
import { TextHash } from '../text-hash.js'
import { HostedCallTexts, textIn } from './hosted-call-texts.js'

/** Reports a call that is not shown, or shown differently. */
export type ReportLoss = (rule: 'ai-sdk-hosted-call' | 'ai-sdk-code-call', expected: string, words: string) => void

/** An item that was added and is not done yet. */
interface OpenItem {
  readonly type: string
  readonly id: unknown
}

/**
 * The SDK's view of hosted calls, and of calls that the application runs although they are not its own functions, by
 * the ids that the SDK uses for them.
 */
export class HostedCalls {
  /** The shown entries, in order: `call NAME HASH`, `result NAME HASH`. */
  readonly shown: string[] = []
  /** The names that items are shown by, by their ids. */
  readonly items: Map<string, string> = new Map()
  readonly #reportLoss: ReportLoss
  /** The open calls of any type, including functions, by output_index. */
  readonly #open = new Map<number, { readonly type: string; readonly id: string }>()
  /** The shown calls without a result yet: their names, by id. */
  readonly #awaited = new Map<string, string>()
  /** The ids of shown calls that the application runs. */
  readonly #clientCalls = new Set<string>()
  readonly #pending = new Map<number, OpenItem>()
  readonly #texts = new HostedCallTexts()
  /** The ids of items that the terminal response lists as completed. */
  readonly #ended = new Set<unknown>()
  /** The ids of all shown calls. */
  readonly #called = new Set<string>()
  /** The ids of web searches with a completed event. */
  readonly #searched = new Set<unknown>()

  constructor(reportLoss: ReportLoss) {
    this.#reportLoss = reportLoss
  }

  isOpen(index: number): boolean {
    return this.#open.has(index)
  }

  /** A call of the application's own function was added. */
  open(index: number, type: string, id: string): void {
    this.#open.set(index, { type, id })
  }

  close(index: number): void {
    this.#open.delete(index)
  }

  add(index: number, item: Fields): void {
    const type = item['type'] as string
    const id = item['id'] as string
    if (SHOWN_AT_DONE.has(type) || SHOWN_AT_ADDED.has(type)) this.#pending.set(index, { type, id })
    this.#texts.added(item)
    if (OPENS.has(type)) this.#open.set(index, { type, id })
    const name = SHOWN_AT_ADDED.get(type)
    if (name !== undefined) this.#call(name, id)
  }

  /** Shows the entries that the SDK shows of a done item. */
  done(index: number, item: Fields): void {
    const type = item['type'] as string
    const id = item['id'] as string
    this.#resolvePending(index, type, id)
    const open = this.#open.get(index)
    if (!KEEPS_OPEN.has(type)) this.#open.delete(index)
    switch (type) {
      case 'web_search_call': {
        const { status } = item
        if (this.#searched.has(id) && status !== 'completed') {
          this.#reportLoss(
            'ai-sdk-hosted-call',
            'status "completed" of the web search',
            `"${status}": shown as an error`,
          )
        }
        this.#searched.delete(id)
        this.#result('web_search', id, status === 'completed' ? 'result' : 'error')
        break
      }
      case 'file_search_call':
        this.#result('file_search', id)
        break
      case 'image_generation_call':
        this.#result('image_generation', id)
        break
      case 'code_interpreter_call':
        this.#texts.done(item)
        this.#result('code_interpreter', id)
        break
      case 'mcp_call':
        this.#texts.done(item)
        this.#showOnce('call', `mcp.${asString(item['name'])}`, id, asInput(asString(item['arguments'])))
        this.#show('result', `mcp.${asString(item['name'])}`)
        break
      case 'mcp_approval_request':
        this.#texts.done(item)
        this.#showOnce('call', `mcp.${asString(item['name'])}`, id, asInput(asString(item['arguments'])))
        this.#show('approval', '')
        break
      case 'computer_call':
        this.#showClientCall('computer', item, '')
        break
      case 'tool_search_call':
        if (open === undefined) this.#reportNotAdded(type, id)
        else this.#showClientCall('tool_search', item, textIn(item) ?? '')
        break
      case 'tool_search_output':
        this.#showOnce('result', 'tool_search', id)
        break
      case 'apply_patch_call':
        if (open === undefined) this.#reportNotAdded(type, id)
        else if (item['status'] === 'completed') this.#showClientCall('apply_patch', item, textIn(item) ?? '')
        break
      case 'shell_call':
        this.#showClientCall('shell', item, textIn(item) ?? '')
        break
      case 'shell_call_output':
        this.#showOnce('result', 'shell', id)
        break
      case 'local_shell_call':
        this.#showClientCall('local_shell', item, textIn(item) ?? '')
        break
      case 'program':
        this.#showOnce('call', 'programmatic_tool_calling', id, asString(item['code']))
        break
      case 'program_output':
        this.#showOnce('result', 'programmatic_tool_calling', id)
        break
      case 'compaction':
        this.#showOnce('custom', 'openai.compaction', id)
        break
    }
  }

  /** Shows a call when its code is complete. Returns false if the SDK throws. */
  codeDone(index: number, code: string): boolean {
    const open = this.#open.get(index)
    if (open === undefined) return true
    if (open.type !== 'code_interpreter_call') {
      this.#reportLoss(
        'ai-sdk-code-call',
        'the output_index of a code interpreter call',
        `${index}, that of a ${open.type}`,
      )
      return false
    }
    this.#texts.codeDone(open.id, code)
    this.#call('code_interpreter', open.id, code)
    return true
  }

  /** Shows a partial image, which ai treats as a result like the complete image. */
  partialImage(id: string): void {
    this.#show('result', 'image_generation', this.#called.has(id) ? '' : WITHOUT_CALL)
  }

  /** Observes any event, whether the SDK reads it or not. */
  observe(event: StreamEvent): void {
    const { type, item_id: id } = event
    if (type === 'response.web_search_call.completed') this.#searched.add(id)
    this.#texts.observe(event)
    if (!isTerminalType(type)) return
    for (const { id, status = 'completed' } of asList(asFields(event['response'])['output']).map(asFields)) {
      if (status === 'completed') this.#ended.add(id)
    }
  }

  /** Ends the stream. */
  end(isCompleted: boolean): void {
    for (const { type, stated, shown } of this.#texts.contradictions()) {
      this.#reportLoss('ai-sdk-hosted-call', `the ${type} ${stated}`, `${shown}`)
    }
    for (const { type, id } of this.#pending.values()) {
      // If the response was cut off, its last item may be cut off, too.
      if (isCompleted || this.#ended.has(id))
        this.#reportLoss('ai-sdk-hosted-call', `output_item.done of the ${type}`, 'none: it is never shown as finished')
    }
    if (!isCompleted || this.#pending.size > 0) return
    for (const name of this.#awaited.values()) {
      this.#reportLoss(
        'ai-sdk-hosted-call',
        `output_item.done of the ${name} under the id that it was added with`,
        'none',
      )
    }
  }

  /** Removes a pending item, found by its id, or by its index if the server gives it a new id. */
  #resolvePending(index: number, type: string, id: string): void {
    for (const [at, item] of this.#pending) {
      if (item.id !== id) continue
      this.#pending.delete(at)
      return
    }
    if (this.#pending.get(index)?.type === type) this.#pending.delete(index)
  }

  /** Shows a call that the server runs. */
  #call(name: string, id: string, text = ''): void {
    this.#show('call', name, text)
    if (this.#called.has(id)) {
      this.#reportLoss(
        'ai-sdk-hosted-call',
        `one call of ${name}`,
        'a second one with the same id: the call is shown twice',
      )
    }
    this.#awaited.set(id, name)
    this.#called.add(id)
    this.items.set(id, name)
  }

  #result(name: string, id: string, kind: 'result' | 'error' = 'result'): void {
    this.#show(kind, name, this.#called.has(id) ? '' : WITHOUT_CALL)
    if (this.#awaited.delete(id)) return
    const what = name === 'code_interpreter' ? 'code_interpreter_call_code.done' : 'output_item.added'
    this.#reportLoss(
      'ai-sdk-hosted-call',
      `${what} of the ${name} before`,
      'a result without a call, or a second result',
    )
  }

  /** Shows a call that the application runs. */
  #showClientCall(name: string, item: Fields, text: string): void {
    const id = item['id'] as string
    this.#texts.done(item)
    this.#show('call', name, text)
    if (this.#clientCalls.has(id))
      this.#reportLoss('ai-sdk-hosted-call', `one call of ${name}`, 'a second one with the same id: it runs twice')
    this.#clientCalls.add(id)
    this.items.set(id, name)
  }

  #reportNotAdded(type: string, id: string): void {
    // It came again: the SDK shows it once.
    if (this.items.has(id)) return
    this.#reportLoss(
      'ai-sdk-hosted-call',
      `output_item.added of the ${type} at the same index`,
      'none: the call is not shown',
    )
  }

  /** Shows an entry that a response has once: a second one with the same id is shown twice. */
  #showOnce(kind: string, name: string, id: string, text = ''): void {
    if (this.items.has(id)) {
      this.#reportLoss(
        'ai-sdk-hosted-call',
        `one ${kind} of ${name}`,
        'a second one with the same id: it is shown twice',
      )
    }
    this.items.set(id, name)
    this.#show(kind, name, text)
  }

  #show(kind: string, name: string, text = ''): void {
    this.shown.push(`${kind} ${name} ${TextHash.of(text).key}`)
  }
}

/** The mark of a result whose call is not shown. */
const WITHOUT_CALL = 'without its call'

/** The calls that are shown when they are added, with the names that the SDK shows. */
const SHOWN_AT_ADDED = new Map([
  ['web_search_call', 'web_search'],
  ['file_search_call', 'file_search'],
  ['image_generation_call', 'image_generation'],
])

/** Items that are shown when they are done. */
const SHOWN_AT_DONE = new Set([
  'code_interpreter_call',
  'mcp_call',
  'mcp_approval_request',
  'computer_call',
  'tool_search_call',
  'tool_search_output',
  'apply_patch_call',
  'shell_call',
  'shell_call_output',
  'local_shell_call',
  'program',
  'program_output',
  'compaction',
])

/** The calls that the SDK remembers by their index once they are added. */
const OPENS = new Set([
  'web_search_call',
  'computer_call',
  'code_interpreter_call',
  'tool_search_call',
  'apply_patch_call',
  'shell_call',
])

/** Items whose end does not close the call at their index. */
const KEEPS_OPEN = new Set([
  'program',
  'program_output',
  'image_generation_call',
  'tool_search_output',
  'shell_call_output',
  'compaction',
])

/** Arguments as the SDK shows them: parsed if they are JSON, and an empty object if they are empty. */
function asInput(given: string): string {
  if (given.trim() === '') return '{}'
  const json = jsonIn(given)
  return JSON.stringify(json === undefined ? given : json.value)
}
