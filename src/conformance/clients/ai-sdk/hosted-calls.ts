import { type Fields, fieldsOf, isFields, listOf, type StreamEvent, textOf } from '../../stream-event.js'
import { TextHash } from '../text-hash.js'
import { Said } from './said.js'

/** Reports a call that is not shown, or not as it was. */
export type Lost = (rule: 'ai-sdk-hosted-call' | 'ai-sdk-code-call', expected: string, words: string) => void

/** An item that was added and is not done. */
interface OpenItem {
  readonly type: string
  readonly id: unknown
}

/** What places of the stream say of a call that the SDK shows. */
interface SaidOfCall {
  readonly type: string
  readonly name: Said
  readonly text: Said
  readonly deltas: TextHash
}

/**
 * Calls that the server runs, and those that the application runs though they are no functions of its own: what the SDK
 * shows of them, under the ids that it knows them by.
 */
export class HostedCalls {
  /** In the order in which they are shown: `call NAME TEXT`, `result NAME`, as digests. */
  readonly shown: string[] = []
  readonly #lost: Lost
  /** Calls of any type, functions too, that are open: by index. */
  readonly #open = new Map<number, { readonly type: string; readonly id: string }>()
  /** Calls that are shown and wait for their result. */
  readonly #awaited = new Map<string, string>()
  /** Calls that were shown, which the application runs. */
  readonly #given = new Set<string>()
  readonly #pending = new Map<number, OpenItem>()
  readonly #said = new Map<string, SaidOfCall>()
  /** Ids of items of which the terminal response says that they are completed. */
  readonly #ended = new Set<unknown>()
  /** Ids of all calls that are shown. */
  readonly #called = new Set<string>()
  /** Searches of which an event says that they are completed. */
  readonly #searched = new Set<unknown>()

  constructor(lost: Lost) {
    this.#lost = lost
  }

  isOpen(index: number): boolean {
    return this.#open.has(index)
  }

  /** A call of the application's own function begins, or is over. */
  open(index: number, type: string, id: string): void {
    this.#open.set(index, { type, id })
  }

  close(index: number): void {
    this.#open.delete(index)
  }

  add(index: number, item: Fields): void {
    const type = item['type'] as string
    const id = item['id'] as string
    if (AT_DONE.has(type) || AT_ADDED.has(type)) this.#pending.set(index, { type, id })
    // What is added has most fields, but what is still to be streamed.
    const text = type === 'local_shell_call' || type === 'mcp_approval_request' ? textIn(item) : undefined
    if (text !== undefined && text !== '') this.#of(item).text.add('added', text)
    if (typeof item['name'] === 'string') this.#of(item).name.add('added', item['name'])
    if (OPENS.has(type)) this.#open.set(index, { type, id })
    const name = AT_ADDED.get(type)
    if (name !== undefined) this.#call(name, id)
  }

  /** An item is done, with whatever the SDK shows of it then. */
  done(index: number, item: Fields): void {
    const type = item['type'] as string
    const id = item['id'] as string
    this.#settle(index, type, id)
    const open = this.#open.get(index)
    if (!KEEPS_OPEN.has(type)) this.#open.delete(index)
    switch (type) {
      case 'web_search_call': {
        const { status } = item
        if (this.#searched.has(id) && status !== 'completed') {
          this.#lost('ai-sdk-hosted-call', 'status "completed" of the web search', `"${status}": shown as an error`)
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
        this.#sayDone(item)
        this.#result('code_interpreter', id)
        break
      case 'mcp_call':
        this.#sayDone(item)
        this.#show('call', `mcp.${textOf(item['name'])}`, asInput(textOf(item['arguments'])))
        this.#show('result', `mcp.${textOf(item['name'])}`)
        break
      case 'mcp_approval_request':
        this.#sayDone(item)
        this.#show('call', `mcp.${textOf(item['name'])}`, asInput(textOf(item['arguments'])))
        this.#show('approval', '')
        break
      case 'computer_call':
        this.#give('computer', item, '')
        break
      case 'tool_search_call':
        if (open === undefined) this.#unopened(type)
        else this.#give('tool_search', item, textIn(item) ?? '')
        break
      case 'tool_search_output':
        this.#show('result', 'tool_search')
        break
      case 'apply_patch_call':
        if (open === undefined) this.#unopened(type)
        else if (item['status'] === 'completed') this.#give('apply_patch', item, textIn(item) ?? '')
        break
      case 'shell_call':
        this.#give('shell', item, textIn(item) ?? '')
        break
      case 'shell_call_output':
        this.#show('result', 'shell')
        break
      case 'local_shell_call':
        this.#give('local_shell', item, textIn(item) ?? '')
        break
      case 'program':
        this.#show('call', 'programmatic_tool_calling', textOf(item['code']))
        break
      case 'program_output':
        this.#show('result', 'programmatic_tool_calling')
        break
      case 'compaction':
        this.#show('custom', 'openai.compaction')
        break
    }
  }

  /** The code of a call is whole: the call is shown. Returns whether the SDK survives it. */
  codeDone(index: number, code: string): boolean {
    const open = this.#open.get(index)
    if (open === undefined) return true
    if (open.type !== 'code_interpreter_call') {
      this.#lost('ai-sdk-code-call', 'the output_index of a code interpreter call', `${index}, that of a ${open.type}`)
      return false
    }
    this.#sayTo(open.id, open.type, (said) => said.text.show('told', code))
    this.#call('code_interpreter', open.id, code)
    return true
  }

  /** A partial image: ai shows it as a result, like the whole one. */
  partialImage(id: string): void {
    this.#show('result', 'image_generation', this.#called.has(id) ? '' : WITHOUT_CALL)
  }

  /** What other events say of calls, whether the SDK reads them or not. */
  hear(event: StreamEvent): void {
    const { type, item_id: id } = event
    if (type === 'response.web_search_call.completed') this.#searched.add(id)
    const of = /^response\.(code_interpreter_call_code|mcp_call_arguments)\.(delta|done)$/.exec(type)
    if (of !== null && typeof id === 'string') {
      const text = event['delta'] ?? event['arguments']
      if (typeof text !== 'string') return
      this.#sayTo(id, of[1] === 'mcp_call_arguments' ? 'mcp_call' : 'code_interpreter_call', (said) => {
        if (of[2] === 'delta') said.deltas.append(text)
        else said.text.add('told', text)
      })
    }
    if (!/^response\.(completed|incomplete|failed)$/.test(type)) return
    for (const item of listOf(fieldsOf(event['response'])['output']).map(fieldsOf)) {
      const said = this.#said.get(textOf(item['id']))
      const { status = 'completed' } = item
      if (status === 'completed') this.#ended.add(item['id'])
      if (said === undefined || said.type !== item['type']) continue
      const text = textIn(item)
      if (text !== undefined) said.text.add('terminal', text)
      if (typeof item['name'] === 'string') said.name.add('terminal', item['name'])
    }
  }

  /** The stream is over. */
  end(isCompleted: boolean): void {
    for (const { type, name, text, deltas } of this.#said.values()) {
      if (deltas.length > 0) text.addDigest('deltas', deltas)
      for (const wrong of [name.isShownWrong, text.isShownWrong]) {
        if (wrong !== undefined) this.#lost('ai-sdk-hosted-call', `the ${type} ${wrong.said}`, `${wrong.shown}`)
      }
    }
    for (const { type, id } of this.#pending.values()) {
      // Of a response that was cut off, so may be its last item.
      if (isCompleted || this.#ended.has(id))
        this.#lost('ai-sdk-hosted-call', `output_item.done of the ${type}`, 'none: it is never shown to be over')
    }
    if (!isCompleted || this.#pending.size > 0) return
    for (const name of this.#awaited.values()) {
      this.#lost('ai-sdk-hosted-call', `output_item.done of the ${name} under the id that it was added with`, 'none')
    }
  }

  /** An item is found by its id, and by its index where the server makes new ids. */
  #settle(index: number, type: string, id: string): void {
    for (const [at, item] of this.#pending) {
      if (item.id !== id) continue
      this.#pending.delete(at)
      return
    }
    if (this.#pending.get(index)?.type === type) this.#pending.delete(index)
  }

  /** A call that the server runs. */
  #call(name: string, id: string, text = ''): void {
    this.#show('call', name, text)
    if (this.#awaited.has(id)) {
      this.#lost('ai-sdk-hosted-call', `one call of ${name}`, 'the same id again: the call is shown twice')
    }
    this.#awaited.set(id, name)
    this.#called.add(id)
  }

  #result(name: string, id: string, kind: 'result' | 'error' = 'result'): void {
    this.#show(kind, name, this.#called.has(id) ? '' : WITHOUT_CALL)
    if (this.#awaited.delete(id)) return
    const what = name === 'code_interpreter' ? 'code_interpreter_call_code.done' : 'output_item.added'
    this.#lost('ai-sdk-hosted-call', `${what} of the ${name} before`, 'a result without a call, or a second one')
  }

  /** A call that the application runs. */
  #give(name: string, item: Fields, text: string): void {
    const id = item['id'] as string
    this.#sayDone(item)
    this.#show('call', name, text)
    if (this.#given.has(id)) this.#lost('ai-sdk-hosted-call', `one call of ${name}`, 'the same id again: it runs twice')
    this.#given.add(id)
  }

  #unopened(type: string): void {
    this.#lost(
      'ai-sdk-hosted-call',
      `output_item.added of the ${type} at the same index`,
      'none: the call is not shown',
    )
  }

  #show(kind: string, name: string, text = ''): void {
    this.shown.push(`${kind} ${name} ${TextHash.of(text).key}`)
  }

  #sayDone(item: Fields): void {
    const { name, text } = this.#of(item)
    const given = textIn(item)
    if (given === undefined) return
    if (item['type'] === 'code_interpreter_call') text.add('done', given)
    else text.show('done', given)
    if (typeof item['name'] === 'string') name.show('done', item['name'])
  }

  #of(item: Fields): SaidOfCall {
    const id = item['id'] as string
    let said = this.#said.get(id)
    if (said === undefined) {
      said = { type: item['type'] as string, name: new Said(), text: new Said(), deltas: new TextHash() }
      this.#said.set(id, said)
    }
    return said
  }

  #sayTo(id: string, type: string, say: (said: SaidOfCall) => void): void {
    say(this.#of({ id, type }))
  }
}

/** What is shown of a result whose call is not. */
const WITHOUT_CALL = 'without its call'

/** The calls that are shown when they are added, by the names that they are shown under. */
const AT_ADDED = new Map([
  ['web_search_call', 'web_search'],
  ['file_search_call', 'file_search'],
  ['image_generation_call', 'image_generation'],
])

/** Items that are shown when they are done. */
const AT_DONE = new Set([
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

/** The calls that are kept by their index from `added` on. */
const OPENS = new Set([
  'web_search_call',
  'computer_call',
  'code_interpreter_call',
  'tool_search_call',
  'apply_patch_call',
  'shell_call',
])

/** Items whose end leaves the call at their index as it is. */
const KEEPS_OPEN = new Set([
  'program',
  'program_output',
  'image_generation_call',
  'tool_search_output',
  'shell_call_output',
  'compaction',
])

/** What a call is about, as one text; undefined where the item does not say, or says nonsense. */
function textIn(item: Fields): string | undefined {
  const { type, action, operation } = item
  if (type === 'code_interpreter_call') return stringIn(item['code'])
  if (type === 'mcp_call' || type === 'mcp_approval_request') return stringIn(item['arguments'])
  if (type === 'shell_call') return listIn(fieldsOf(action)['commands'])
  if (type === 'local_shell_call') return listIn(fieldsOf(action)['command'])
  if (type === 'tool_search_call') return JSON.stringify(item['arguments'])
  if (type !== 'apply_patch_call' || !isFields(operation)) return undefined
  const { type: kind, path, diff } = operation
  return JSON.stringify([kind, path, kind === 'delete_file' ? undefined : diff])
}

const stringIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const listIn = (value: unknown): string | undefined => (Array.isArray(value) ? JSON.stringify(value) : undefined)

/** Arguments as the SDK shows them: parsed where they are JSON, an empty object where they are empty. */
function asInput(given: string): string {
  if (given.trim() === '') return '{}'
  try {
    return JSON.stringify(JSON.parse(given))
  } catch {
    return JSON.stringify(given)
  }
}
