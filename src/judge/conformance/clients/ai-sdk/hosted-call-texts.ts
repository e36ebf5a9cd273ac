import { type Fields, isFields } from '../../../../shared/fields.js'
import { isTerminalType } from '../../event-kind.js'
import { asFields, asList, asString, type StreamEvent } from '../../stream-event.js'
import { TextHash } from '../text-hash.js'
import { StatedText } from './stated-text.js'

/** The texts of a call in the places of the stream. */
interface CallTexts {
  readonly type: string
  readonly name: StatedText
  readonly text: StatedText
  readonly deltas: TextHash
}

/** The names and texts of hosted calls in all places that state them, whether the SDK reads these or not. */
export class HostedCallTexts {
  readonly #texts = new Map<string, CallTexts>()

  /** Collects the texts of an added item. */
  added(item: Fields): void {
    const { type, name } = item
    // Other added items do not have their streamed text yet.
    const text = type === 'local_shell_call' || type === 'mcp_approval_request' ? textIn(item) : undefined
    if (text !== undefined && text !== '') this.#of(item).text.add('added', text)
    if (typeof name === 'string') this.#of(item).name.add('added', name)
  }

  /** Collects the texts of a done item, which the SDK shows except for code. */
  done(item: Fields): void {
    const { name, text } = this.#of(item)
    const given = textIn(item)
    if (given === undefined) return
    if (item['type'] === 'code_interpreter_call') text.add('done', given)
    else text.show('done', given)
    if (typeof item['name'] === 'string') name.show('done', item['name'])
  }

  /** Collects the complete code of a call, which the SDK shows. */
  codeDone(id: string, code: string): void {
    this.#of({ id, type: 'code_interpreter_call' }).text.show('textDone', code)
  }

  /** Collects the texts of any other event. */
  observe({ type, item_id: id, delta, arguments: given, response }: StreamEvent): void {
    const of = OF_TEXT.get(type)
    if (of !== undefined && typeof id === 'string') {
      const text = delta ?? given
      if (typeof text !== 'string') return
      const texts = this.#of({ id, type: of.type })
      if (of.isDelta) texts.deltas.append(text)
      else texts.text.add('textDone', text)
    }
    if (!isTerminalType(type)) return
    for (const item of asList(asFields(response)['output']).map(asFields)) {
      const texts = this.#texts.get(asString(item['id']))
      if (texts === undefined || texts.type !== item['type']) continue
      const text = textIn(item)
      if (text !== undefined) texts.text.add('terminal', text)
      if (typeof item['name'] === 'string') texts.name.add('terminal', item['name'])
    }
  }

  /** Ends the stream. Yields the shown names and texts that most places contradict. */
  *contradictions(): Generator<{ readonly type: string; readonly stated: TextHash; readonly shown: TextHash }> {
    for (const { type, name, text, deltas } of this.#texts.values()) {
      if (deltas.length > 0) text.addHash('deltas', deltas)
      for (const wrong of [name.contradiction, text.contradiction]) if (wrong !== undefined) yield { type, ...wrong }
    }
  }

  #of(item: Fields): CallTexts {
    const id = item['id'] as string
    let texts = this.#texts.get(id)
    if (texts === undefined) {
      texts = { type: item['type'] as string, name: new StatedText(), text: new StatedText(), deltas: new TextHash() }
      this.#texts.set(id, texts)
    }
    return texts
  }
}

/** The events with the text of a hosted call. */
const OF_TEXT: ReadonlyMap<string, { readonly type: string; readonly isDelta: boolean }> = new Map(
  [
    { field: 'code_interpreter_call_code', type: 'code_interpreter_call' },
    { field: 'mcp_call_arguments', type: 'mcp_call' },
  ].flatMap(({ field, type }) =>
    ['delta', 'done'].map((moment) => [`response.${field}.${moment}`, { type, isDelta: moment === 'delta' }] as const),
  ),
)

/** The text of a call; undefined if the item has none, or one of the wrong type. */
export function textIn(item: Fields): string | undefined {
  const { type, action, operation } = item
  if (type === 'code_interpreter_call') return stringIn(item['code'])
  if (type === 'mcp_call' || type === 'mcp_approval_request') return stringIn(item['arguments'])
  if (type === 'shell_call') return listIn(asFields(action)['commands'])
  if (type === 'local_shell_call') return listIn(asFields(action)['command'])
  if (type === 'tool_search_call') return JSON.stringify(item['arguments'])
  if (type !== 'apply_patch_call' || !isFields(operation)) return undefined
  const { type: kind, path, diff } = operation
  return JSON.stringify([kind, path, kind === 'delete_file' ? undefined : diff])
}

const stringIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const listIn = (value: unknown): string | undefined => (Array.isArray(value) ? JSON.stringify(value) : undefined)
