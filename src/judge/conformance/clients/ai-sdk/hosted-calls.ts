import type { Fields } from '../../../../shared/fields.js'
import { isTerminalType } from '../../event-kind.js'
import { jsonIn } from '../../json-text.js'
import { asFields, asList, asString, lookUp, type StreamEvent } from '../../stream-event.js'
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
  /** Whether the response was cancelled, which the SDK shows as complete. */
  #isCancelled = false
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
    const shown = lookUp(SHOWN, type)
    if (shown !== undefined) this.#pending.set(index, { type, id })
    this.#texts.added(item)
    if (shown?.opens) this.#open.set(index, { type, id })
    if (shown?.atAdded) this.#call(shown.name, id)
  }

  /** Shows the entries that the SDK shows of a done item. */
  done(index: number, item: Fields): void {
    const type = item['type'] as string
    const id = item['id'] as string
    this.#resolvePending(index, type, id)
    const open = this.#open.get(index)
    const shown = lookUp(SHOWN, type)
    if (!shown?.keepsOpen) this.#open.delete(index)
    if (shown === undefined) return
    const { name, as, needsAdded = false } = shown
    if (needsAdded && open === undefined) this.#reportNotAdded(type, id)
    else if (as === 'client call') {
      if (type !== 'apply_patch_call' || item['status'] === 'completed')
        this.#showClientCall(name, item, type === 'computer_call' ? '' : (textIn(item) ?? ''))
    } else if (as === 'mcp') {
      this.#texts.done(item)
      this.#showOnce('call', `mcp.${asString(item['name'])}`, id, asInput(asString(item['arguments'])))
      if (type === 'mcp_call') this.#show('result', `mcp.${asString(item['name'])}`)
      else this.#show('approval', '')
    } else if (as !== 'outcome') this.#showOnce(as, name, id, as === 'call' ? asString(item['code']) : '')
    else {
      if (type === 'code_interpreter_call') this.#texts.done(item)
      this.#result(name, id, type === 'web_search_call' && !this.#hasFound(item) ? 'error' : 'result')
    }
  }

  /** Whether a web search is shown with its results. */
  #hasFound({ id, status }: Fields): boolean {
    if (this.#searched.has(id) && status !== 'completed')
      this.#loss('status "completed" of the web search', `"${status}": shown as an error`)
    this.#searched.delete(id)
    return status === 'completed'
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
    const response = asFields(event['response'])
    this.#isCancelled = response['status'] === 'cancelled'
    for (const { id, status } of asList(response['output']).map(asFields)) {
      if (status === 'completed') this.#ended.add(id)
    }
  }

  /** Ends the stream. @param isShownComplete - how the SDK shows the response */
  end(isShownComplete: boolean): void {
    const isCompleted = isShownComplete && !this.#isCancelled
    for (const { type, stated, shown } of this.#texts.contradictions()) {
      this.#loss(`the ${type} ${stated}`, `${shown}`)
    }
    for (const { type, id } of this.#pending.values()) {
      // If the response was cut off, its last item may be cut off, too.
      if (isCompleted || this.#ended.has(id))
        this.#loss(`output_item.done of the ${type}`, 'none: it is never shown as finished')
    }
    if (!isCompleted || this.#pending.size > 0) return
    for (const name of this.#awaited.values()) {
      this.#loss(`output_item.done of the ${name} under the id that it was added with`, 'none')
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
      this.#loss(`one call of ${name}`, 'a second one with the same id: the call is shown twice')
    }
    this.#awaited.set(id, name)
    this.#called.add(id)
    this.items.set(id, name)
  }

  #result(name: string, id: string, kind: 'result' | 'error' = 'result'): void {
    this.#show(kind, name, this.#called.has(id) ? '' : WITHOUT_CALL)
    if (this.#awaited.delete(id)) return
    const what = name === 'code_interpreter' ? 'code_interpreter_call_code.done' : 'output_item.added'
    this.#loss(`${what} of the ${name} before`, 'a result without a call, or a second result')
  }

  /** Shows a call that the application runs. */
  #showClientCall(name: string, item: Fields, text: string): void {
    const id = item['id'] as string
    this.#texts.done(item)
    this.#show('call', name, text)
    if (this.#clientCalls.has(id)) this.#loss(`one call of ${name}`, 'a second one with the same id: it runs twice')
    this.#clientCalls.add(id)
    this.items.set(id, name)
  }

  #reportNotAdded(type: string, id: string): void {
    // It came again: the SDK shows it once.
    if (this.items.has(id)) return
    this.#loss(`output_item.added of the ${type} at the same index`, 'none: the call is not shown')
  }

  /** Shows an entry that a response has once: a second one with the same id is shown twice. */
  #showOnce(kind: string, name: string, id: string, text = ''): void {
    if (this.items.has(id)) {
      this.#loss(`one ${kind} of ${name}`, 'a second one with the same id: it is shown twice')
    }
    this.items.set(id, name)
    this.#show(kind, name, text)
  }

  #loss(expected: string, words: string): void {
    this.#reportLoss('ai-sdk-hosted-call', expected, words)
  }

  #show(kind: string, name: string, text = ''): void {
    this.shown.push(`${kind} ${name} ${TextHash.of(text).key}`)
  }
}

/** The mark of a result whose call is not shown. */
const WITHOUT_CALL = 'without its call'

/** How the SDK shows an item. */
interface Shown {
  /** The name that it shows; empty if the item has it. */
  readonly name: string
  /** What it shows of a done item: the outcome of an earlier call, a call that the application runs, or one entry. */
  readonly as: 'outcome' | 'client call' | 'mcp' | 'call' | 'result' | 'custom'
  /** The call is shown when it is added. */
  readonly atAdded?: true
  /** The call is remembered by its index once it is added. */
  readonly opens?: true
  /** It is shown only if it was added at its index. */
  readonly needsAdded?: true
  /** Its end does not close the call at its index. */
  readonly keepsOpen?: true
}

/** By the type of the item. */
const SHOWN: Readonly<Record<string, Shown>> = {
  web_search_call: { name: 'web_search', as: 'outcome', atAdded: true, opens: true },
  file_search_call: { name: 'file_search', as: 'outcome', atAdded: true },
  image_generation_call: { name: 'image_generation', as: 'outcome', atAdded: true, keepsOpen: true },
  code_interpreter_call: { name: 'code_interpreter', as: 'outcome', opens: true },
  mcp_call: { name: '', as: 'mcp' },
  mcp_approval_request: { name: '', as: 'mcp' },
  computer_call: { name: 'computer', as: 'client call', opens: true },
  tool_search_call: { name: 'tool_search', as: 'client call', opens: true, needsAdded: true },
  tool_search_output: { name: 'tool_search', as: 'result', keepsOpen: true },
  apply_patch_call: { name: 'apply_patch', as: 'client call', opens: true, needsAdded: true },
  shell_call: { name: 'shell', as: 'client call', opens: true },
  shell_call_output: { name: 'shell', as: 'result', keepsOpen: true },
  local_shell_call: { name: 'local_shell', as: 'client call' },
  program: { name: 'programmatic_tool_calling', as: 'call', keepsOpen: true },
  program_output: { name: 'programmatic_tool_calling', as: 'result', keepsOpen: true },
  compaction: { name: 'openai.compaction', as: 'custom', keepsOpen: true },
}

/** Arguments as the SDK shows them: parsed if they are JSON, and an empty object if they are empty. */
function asInput(given: string): string {
  if (given.trim() === '') return '{}'
  const json = jsonIn(given)
  return JSON.stringify(json === undefined ? given : json.value)
}
