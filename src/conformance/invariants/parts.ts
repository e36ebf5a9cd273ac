import { type Invariant, stateless } from '../invariant.js'
import { isOfSummary, toldBy } from '../reading.js'
import { canonical, fieldsOf, listOf, type StreamEvent, textOf } from '../stream-event.js'

const PART = /^response\.(content|reasoning_summary)_part\.(added|done)$/
const TEXT = /^response\.(output_text|refusal|reasoning_text|reasoning|reasoning_summary_text)\.(delta|done)$/

const ANNOTATION = 'response.output_text.annotation.added'

const isItemDone = ({ type }: StreamEvent): boolean => type === 'response.output_item.done'
const momentOf = ({ type }: StreamEvent): string | undefined => PART.exec(type)?.[2]

/** The text of a part, whatever it is of. */
function partText({ text, refusal }: { readonly [field: string]: unknown }): string {
  return textOf(text ?? refusal)
}

/** Of the parts of messages and of reasoning: their order, their text, their annotations. */
export const PARTS: readonly Invariant[] = [
  {
    id: 'part-order',
    sentence: 'Parts are announced in the order of their indexes, from 0 in each item.',
    neededBy: ['openai', 'open-responses', 'client:openai'],
    severity: 'error',
    begin: stateless((event, reading, tell) => {
      const item = reading.itemOf(event)
      if (momentOf(event) !== 'added' || item === undefined) return
      const isSummary = isOfSummary(event)
      const expected = (isSummary ? item.summary : item.parts).length
      const index = isSummary ? event['summary_index'] : event['content_index']
      if (index !== expected) tell(`${isSummary ? 'summary' : 'content'}_index ${expected}`, index)
    }),
  },
  {
    id: 'part-kind',
    sentence: 'A message has text and refusals, and reasoning has reasoning.',
    neededBy: ['openai', 'client:openai'],
    severity: 'error',
    begin: stateless((event, reading, tell) => {
      const item = reading.itemOf(event)
      if (!event.type.startsWith('response.content_part.') || item === undefined) return
      const kind = textOf(fieldsOf(event['part'])['type'])
      const isRight =
        item.type === 'reasoning' ? kind === 'reasoning_text' : kind === 'output_text' || kind === 'refusal'
      if (!isRight) tell(`a part of ${item.type}`, kind)
    }),
  },
  {
    id: 'within-part',
    sentence: 'Text comes between the announcement of its part and the part’s end.',
    neededBy: ['openai', 'open-responses', 'client:openai'],
    severity: 'error',
    begin: stateless((event, reading, tell) => {
      const isInPart = TEXT.test(event.type) || momentOf(event) === 'done' || event.type === ANNOTATION
      if (reading.itemOf(event) === undefined || !isInPart) return
      const part = reading.partOf(event)
      if (part === undefined) tell('a part that was announced', 'none at this index')
      else if (part.done !== undefined) tell('a part that is open', 'one that is done')
    }),
  },
  {
    id: 'every-part-done',
    sentence: 'Every part that was announced is done before its item is.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    begin: stateless((event, reading, tell) => {
      const item = reading.itemOf(event)
      if (!isItemDone(event) || item === undefined) return
      for (const [what, parts] of [
        ['part', item.parts],
        ['summary', item.summary],
      ] as const) {
        for (const [index, { done }] of parts.entries()) {
          if (done === undefined) tell(`the end of ${what} ${index}`, 'the end of its item')
        }
      }
    }),
  },
  {
    id: 'announced-part-empty',
    sentence: 'A part is announced empty; text with its lists of annotations and probabilities.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    begin: stateless((event, _reading, tell) => {
      if (momentOf(event) !== 'added') return
      const part = fieldsOf(event['part'])
      const { type, annotations } = part
      if (partText(part) !== '') tell('no text yet', partText(part))
      if (type === 'output_text' && !(Array.isArray(annotations) && annotations.length === 0)) {
        tell('annotations []', annotations)
      }
    }),
  },
  {
    id: 'text-is-deltas',
    sentence: 'The text of a part is its deltas.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    begin: stateless((event, reading, tell) => {
      const part = reading.partOf(event)
      if (part === undefined || !(TEXT.test(event.type) && event.type.endsWith('.done'))) return
      const said = part.deltas.join('')
      if (toldBy(event) !== said) tell(`the text of its deltas, ${JSON.stringify(said.slice(0, 40))}`, toldBy(event))
    }),
  },
  {
    id: 'text-told',
    sentence: 'The text of a part is told as a whole before the part is done.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    begin: stateless((event, reading, tell) => {
      const part = reading.partOf(event)
      if (momentOf(event) !== 'done' || part === undefined) return
      const text = partText(fieldsOf(event['part']))
      if (part.told === undefined) tell('an event with the whole text', 'none')
      else if (part.told !== text) tell(`the text that was told, ${JSON.stringify(part.told.slice(0, 40))}`, text)
    }),
  },
  {
    id: 'item-is-its-parts',
    sentence: 'What an item holds when it is done is its parts as they were done.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    begin: stateless((event, reading, tell) => {
      const item = reading.itemOf(event)
      if (!isItemDone(event) || item === undefined) return
      const { content, summary } = fieldsOf(event['item'])
      for (const [parts, held] of [
        [item.parts, listOf(content)],
        [item.summary, listOf(summary)],
      ] as const) {
        if (held.length > parts.length) tell(`${parts.length} parts, as they were announced`, `${held.length} parts`)
        for (const [index, { done }] of parts.entries()) {
          if (done !== undefined && canonical(done) !== canonical(held[index]))
            tell(`part ${index} as it was done`, held[index])
        }
      }
    }),
  },
  {
    id: 'text-has-delta',
    sentence: 'Text that a message holds was streamed: clients show nothing else.',
    neededBy: ['client:ai-sdk', 'client:openai-agents', 'client:langchain'],
    severity: 'error',
    begin: stateless((event, reading, tell) => {
      const item = reading.itemOf(event)
      if (!isItemDone(event) || item?.type !== 'message') return
      const parts = listOf(fieldsOf(event['item'])['content']).map(fieldsOf)
      const deltas = [...item.parts.flatMap((part) => part.deltas), ...item.deltas]
      const isStreamed = deltas.some((delta) => delta !== '')
      if (parts.some(({ text }) => textOf(text) !== '') && !isStreamed) tell('response.output_text.delta', 'none')
    }),
  },
  {
    id: 'message-closing-order',
    sentence: 'The last text, the end of the part and the end of a message come one behind the other.',
    neededBy: ['openai'],
    severity: 'error',
    begin: stateless((event, reading, tell) => {
      const item = reading.itemOf(event)
      if (item?.type !== 'message' || item.parts.length === 0) return
      const before = isItemDone(event)
        ? 'response.content_part.done'
        : event.type === 'response.content_part.done'
          ? 'response.output_text.done'
          : undefined
      const isRefusal = item.parts.at(-1)?.announced['type'] === 'refusal'
      if (before !== undefined && !isRefusal && item.last !== before) tell(`${before} before it`, item.last)
    }),
  },
  {
    id: 'part-follows-message',
    sentence: 'A message’s part is announced right behind it.',
    neededBy: ['openai'],
    severity: 'warning',
    begin: stateless((event, { previous }, tell) => {
      const isMessage =
        previous?.type === 'response.output_item.added' && fieldsOf(previous['item'])['type'] === 'message'
      if (isMessage && event.type !== 'response.content_part.added') tell('response.content_part.added', event.type)
    }),
  },
  {
    id: 'text-logprobs',
    sentence: 'Text has a list of probabilities, empty if nobody asked.',
    neededBy: ['openai'],
    severity: 'warning',
    begin: stateless((event, _reading, tell) => {
      const isText = event.type === 'response.output_text.delta' || event.type === 'response.output_text.done'
      if (isText && !Array.isArray(event['logprobs'])) tell('logprobs []', event['logprobs'])
    }),
  },
  {
    id: 'annotation-index',
    sentence: 'annotation_index is 0, 1, 2, ... in each part, and the annotation is the part’s when it is done.',
    neededBy: ['openai', 'open-responses', 'client:openai'],
    severity: 'error',
    begin: stateless((event, reading, tell) => {
      const part = reading.partOf(event)
      if (part === undefined) return
      if (event.type === 'response.output_text.annotation.added') {
        const { annotation_index: index } = event
        if (index !== part.annotations.length) tell(`annotation_index ${part.annotations.length}`, index)
      } else if (event.type === 'response.content_part.done') {
        const held = listOf(fieldsOf(event['part'])['annotations'])
        if (canonical(held) !== canonical(part.annotations)) tell('its annotations', held)
      }
    }),
  },
]
