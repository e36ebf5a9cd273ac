import { isItemDone, isPartAdded, isPartDone } from '../event-kind.js'
import { type Invariant, of, stateless } from '../invariant.js'
import { differing, fieldsOf, isFields, isSame, listOf, textOf } from '../stream-event.js'
import { isToldBy, type OpenPart, toldBy } from '../stream-state.js'
import { tellApart } from '../tell-apart.js'

const ANNOTATION = 'response.output_text.annotation.added'

/** The text of a part, whatever it is of. */
function partText({ text, refusal }: { readonly [field: string]: unknown }): string {
  return textOf(text ?? refusal)
}

/** Of the parts of messages and of reasoning: their order, their text, their annotations. */
export const PARTS: readonly Invariant[] = [
  {
    id: 'part-order',
    sentence: 'Parts are announced in the order of their indexes, from 0 in each item.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isPartAdded,
    begin: stateless((event, { kind, item }, tell) => {
      if (item === undefined) return
      const isSummary = kind.isOfSummary
      const expected = (isSummary ? item.summary : item.parts).length
      const index = isSummary ? event['summary_index'] : event['content_index']
      if (index !== expected) tell(`${isSummary ? 'summary' : 'content'}_index ${expected}`, index)
    }),
  },
  {
    id: 'part-kind',
    sentence: 'A message has text and refusals, and reasoning has reasoning.',
    neededBy: ['openai'],
    severity: 'error',
    on: of('response.content_part.added', 'response.content_part.done'),
    begin: stateless((event, { item }, tell) => {
      if (item === undefined) return
      const kind = textOf(fieldsOf(event['part'])['type'])
      const isRight =
        item.type === 'reasoning' ? kind === 'reasoning_text' : kind === 'output_text' || kind === 'refusal'
      if (!isRight) tell(`a part of ${item.type}`, kind)
    }),
  },
  {
    id: 'within-part',
    sentence: 'Text comes between the announcement of its part and the part’s end.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: ({ type, isText, isPartDone }) => isText || isPartDone || type === ANNOTATION,
    begin: stateless((_event, { kind, item, part }, tell) => {
      if (item === undefined) return
      const part_ = kind.isOfSummary ? 'summary part' : 'part'
      if (part === undefined) tell(`an event that announced this ${part_} before`, undefined, 'none')
      else if (part.done !== undefined) tell(`a ${part_} that is open`, undefined, 'one that is done')
    }),
  },
  {
    id: 'every-part-done',
    sentence: 'Every part that was announced is done before its item is.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isItemDone,
    begin: stateless((_event, { item }, tell) => {
      if (item === undefined) return
      for (const [what, parts] of [
        ['part', item.parts],
        ['summary', item.summary],
      ] as const) {
        for (const [index, part] of parts.entries()) {
          if (part.done !== undefined || isOver(part)) continue
          const about = what === 'part' ? { contentIndex: index } : { summaryIndex: index }
          tell(`the end of ${what} ${index}`, undefined, 'the end of its item', { about: { ...about, since: part.at } })
        }
      }
    }),
  },
  {
    id: 'announced-part-empty',
    sentence: 'A part is announced empty; text with its lists of annotations and probabilities.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isPartAdded,
    begin: stateless((event, _reading, tell) => {
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
    on: ({ isText, isDone }) => isText && isDone,
    begin: stateless((event, { part }, tell) => {
      if (part === undefined) return
      const said = part.deltas.join('')
      if (!isToldBy(toldBy(event), said, part)) tellApart('the text of its deltas,', said, toldBy(event), tell)
    }),
  },
  {
    id: 'text-told',
    sentence: 'The text of a part is told as a whole before the part is done.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isPartDone,
    begin: stateless((event, { part }, tell) => {
      if (part === undefined) return
      const text = partText(fieldsOf(event['part']))
      if (part.told === undefined) {
        if (!part.isResumed) tell('an event with the whole text', undefined, 'none')
      } else tellApart('the text that was told,', part.told, text, tell)
    }),
  },
  {
    id: 'item-is-its-parts',
    sentence: 'What an item holds when it is done is its parts as they were done.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isItemDone,
    begin: stateless((event, { item }, tell) => {
      if (item === undefined) return
      const { content, summary } = fieldsOf(event['item'])
      for (const [parts, held] of [
        [item.parts, listOf(content)],
        [item.summary, listOf(summary)],
      ] as const) {
        if (held.length > parts.length && !item.isResumed)
          tell(`as many parts as were announced, ${parts.length}`, undefined, `${held.length}`)
        for (const [index, { done }] of parts.entries()) {
          if (done !== undefined && !isSamePart(done, held[index])) tell(`part ${index} as it was done`, held[index])
        }
      }
    }),
  },
  {
    id: 'message-closing-order',
    sentence: 'The last text, the end of the part and the end of a message come one behind the other.',
    neededBy: ['openai'],
    severity: 'error',
    on: of('response.content_part.done', 'response.output_item.done'),
    begin: stateless((_event, { kind, item }, tell) => {
      if (item?.type !== 'message' || item.parts.length === 0 || item.last === '') return
      const before = kind.isItemDone ? 'response.content_part.done' : 'response.output_text.done'
      const isRefusal = item.parts.at(-1)?.announced['type'] === 'refusal'
      if (!isRefusal && item.last !== before) tell(`${before} before it`, undefined, item.last)
    }),
  },
  {
    id: 'part-follows-message',
    sentence: 'A message’s part is announced right behind it.',
    neededBy: ['openai'],
    severity: 'warning',
    begin: stateless((event, { before, previous }, tell) => {
      const isMessage = before?.isItemAdded && fieldsOf(previous?.['item'])['type'] === 'message'
      if (isMessage && event.type !== 'response.content_part.added')
        tell('response.content_part.added', undefined, event.type)
    }),
  },
  {
    id: 'text-logprobs',
    sentence: 'Text has a list of probabilities, empty if nobody asked.',
    neededBy: ['openai'],
    severity: 'warning',
    on: of('response.output_text.delta', 'response.output_text.done'),
    begin: stateless((event, { lacks }, tell) => {
      if (!Array.isArray(event['logprobs']) && lacks.size === 0) tell('logprobs []', event['logprobs'])
    }),
  },
  {
    id: 'annotation-index',
    sentence: 'annotation_index is 0, 1, 2, ... in each part, and the annotation is the part’s when it is done.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: of(ANNOTATION, 'response.content_part.done'),
    begin: stateless((event, { part }, tell) => {
      if (part === undefined) return
      if (event.type === ANNOTATION) {
        const { annotation_index: index } = event
        if (index !== part.annotations.length && !part.isResumed)
          tell(`annotation_index ${part.annotations.length}`, index)
      } else {
        const held = listOf(fieldsOf(event['part'])['annotations'])
        if (!isSame(part.isResumed ? held.slice(held.length - part.annotations.length) : held, part.annotations))
          tell('its annotations', held)
      }
    }),
  },
]

/** OpenAI tells probabilities with the text and in the item, and an empty list of them at the end of the part. */
function isSamePart(done: unknown, held: unknown): boolean {
  if (isSame(done, held)) return true
  const isEarly = isFields(done) && isFields(held) && listOf(done['logprobs']).length === 0
  return isEarly && Array.isArray(held['logprobs']) && differing(done, held).join() === 'logprobs'
}

/** Whether a part may have been done before the stream was resumed: nothing is told of it. */
function isOver(part: OpenPart | undefined): boolean {
  return part?.isResumed === true && part.told === undefined && part.deltas.length === 0
}
