import { isFields } from '../../../shared/fields.js'
import { isItemDone, isPartAdded, isPartDone } from '../event-kind.js'
import { type Invariant, of, responseRules } from '../invariant.js'
import { checkDeltas, reportDifference } from '../report-difference.js'
import { asFields, asList, asString, differingFields, isSameJson } from '../stream-event.js'
import { finalTextIn, type OpenPart } from '../stream-state.js'
import { PART_MISPLACED, TEXT_DIFFERS } from './cause-groups.js'

const ANNOTATION = 'response.output_text.annotation.added'

/** The text or refusal of a part. */
function partText({ text, refusal }: { readonly [field: string]: unknown }): string {
  return asString(text ?? refusal)
}

/** Rules for the parts of messages and reasoning: their order, text and annotations. */
export const PARTS: readonly Invariant[] = responseRules([
  {
    id: 'part-order',
    sentence: 'Parts are added in the order of their indexes, from 0 in each item.',
    fields: ['content_index', 'summary_index'],
    needsOrder: true,
    causes: { item: PART_MISPLACED },
    on: isPartAdded,
    event(event, { kind, item }, report) {
      if (item === undefined) return
      const isSummary = kind.isOfSummary
      const expected = (isSummary ? item.summary : item.parts).length
      const index = isSummary ? event['summary_index'] : event['content_index']
      if (index !== expected) report(`${isSummary ? 'summary' : 'content'}_index ${expected}`, index)
    },
  },
  {
    id: 'part-kind',
    sentence: 'The parts of a message are output_text or refusal, and those of reasoning are reasoning_text.',
    neededBy: ['openai'],
    fields: ['part'],
    causes: { item: ['event-of-its-item', 'event-shape:item', 'event-shape:part', 'item-id-prefix'] },
    on: of('response.content_part.added', 'response.content_part.done'),
    event(event, { item }, report) {
      if (item === undefined) return
      const kind = asString(asFields(event['part'])['type'])
      const isRight =
        item.type === 'reasoning' ? kind === 'reasoning_text' : kind === 'output_text' || kind === 'refusal'
      if (!isRight) report(`a part type for ${item.type}`, kind)
    },
  },
  {
    id: 'within-part',
    sentence: 'Text comes after its part was added, and before the part is done.',
    fields: ['content_index', 'summary_index'],
    needsOrder: true,
    causes: { item: [...PART_MISPLACED, 'text-done-event', 'every-part-done', 'event-of-its-item'] },
    on: ({ type, isText, isPartDone }) => isText || isPartDone || type === ANNOTATION,
    event(_event, { kind, item, part }, report) {
      if (item === undefined) return
      const part_ = kind.isOfSummary ? 'summary part' : 'part'
      if (part === undefined) report(`an earlier event that added this ${part_}`, undefined, 'none')
      else if (part.donePart !== undefined) report(`an open ${part_}`, undefined, 'one that is done')
    },
  },
  {
    id: 'every-part-done',
    sentence: 'Every added part is done before its item is done.',
    needsOrder: true,
    causes: { item: [...PART_MISPLACED, 'event-shape:part'] },
    on: isItemDone,
    event(_event, { item }, report) {
      if (item === undefined) return
      for (const [what, parts] of [
        ['part', item.parts],
        ['summary', item.summary],
      ] as const) {
        for (const [index, part] of parts.entries()) {
          if (part.donePart !== undefined || isOver(part)) continue
          const about = what === 'part' ? { contentIndex: index } : { summaryIndex: index }
          report(`the end of ${what} ${index}`, undefined, 'the end of its item', {
            about: { ...about, since: part.at },
          })
        }
      }
    },
  },
  {
    id: 'announced-part-empty',
    sentence: 'An added part is empty; output_text has an empty array of annotations.',
    fields: ['part'],
    causes: { item: ['event-shape:part', 'part-kind'] },
    on: isPartAdded,
    event(event, _state, report) {
      const part = asFields(event['part'])
      const { type, annotations } = part
      if (partText(part) !== '') report('no text yet', partText(part))
      if (type === 'output_text' && !(Array.isArray(annotations) && annotations.length === 0)) {
        report('annotations []', annotations)
      }
    },
  },
  {
    id: 'text-is-deltas',
    sentence: 'The text of a part equals its joined deltas.',
    fields: ['text', 'refusal'],
    needsOrder: true,
    causes: { item: [...PART_MISPLACED, ...TEXT_DIFFERS] },
    on: ({ isText, isDone }) => isText && isDone,
    event(event, { part }, report) {
      if (part !== undefined) checkDeltas(finalTextIn(event), part, report)
    },
  },
  {
    id: 'text-done-event',
    sentence: 'A `.done` event with the complete text comes before the part is done, and the part has the same text.',
    fields: ['part.text', 'part.refusal'],
    needsOrder: true,
    causes: { item: [...PART_MISPLACED, ...TEXT_DIFFERS] },
    on: isPartDone,
    event(event, { part }, report) {
      if (part === undefined) return
      const text = partText(asFields(event['part']))
      if (part.finalText === undefined) {
        if (!part.isResumed) report('a .done event with the complete text', undefined, 'none')
      } else reportDifference('the text of the .done event,', part.finalText, text, report)
    },
  },
  {
    id: 'item-is-its-parts',
    sentence: 'A done item holds its parts as their `.done` events gave them.',
    fields: ['item.content', 'item.summary'],
    needsOrder: true,
    causes: {
      item: [
        ...PART_MISPLACED,
        ...TEXT_DIFFERS,
        'every-part-done',
        'annotation-index',
        'message-shape',
        'item-is-object',
      ],
    },
    on: isItemDone,
    event(event, { item }, report) {
      if (item === undefined) return
      const { content, summary } = asFields(event['item'])
      for (const [parts, held] of [
        [item.parts, asList(content)],
        [item.summary, asList(summary)],
      ] as const) {
        if (held.length > parts.length && !item.isResumed)
          report(`as many parts as were added, ${parts.length}`, undefined, `${held.length}`)
        for (const [index, { donePart }] of parts.entries()) {
          if (donePart !== undefined && !isSamePart(donePart, held[index]))
            report(`part ${index} as in its .done event`, held[index])
        }
      }
    },
  },
  {
    id: 'message-closing-order',
    sentence: 'The end of the text, of the part and of the message follow each other directly.',
    neededBy: ['openai'],
    needsOrder: true,
    causes: { item: [...PART_MISPLACED, ...TEXT_DIFFERS, 'every-part-done'] },
    on: of('response.content_part.done', 'response.output_item.done'),
    event(_event, { kind, item }, report) {
      if (item?.type !== 'message' || item.parts.length === 0 || item.lastType === '') return
      const before = kind.isItemDone ? 'response.content_part.done' : 'response.output_text.done'
      const isRefusal = item.parts.at(-1)?.announced['type'] === 'refusal'
      if (!isRefusal && item.lastType !== before) report(`${before} right before it`, undefined, item.lastType)
    },
  },
  {
    id: 'part-follows-message',
    sentence: 'The first part of a message is added right after the message.',
    neededBy: ['openai'],
    severity: 'warning',
    needsOrder: true,
    causes: {
      item: PART_MISPLACED,
      event: PART_MISPLACED,
    },
    event(event, { previousKind, previous }, report) {
      const isMessage = previousKind?.isItemAdded && asFields(previous?.['item'])['type'] === 'message'
      if (isMessage && event.type !== 'response.content_part.added' && event.type !== 'keepalive')
        report('response.content_part.added', undefined, event.type)
    },
  },
  {
    id: 'text-logprobs',
    sentence: 'Text events have an array of logprobs, empty if the request did not ask for them.',
    neededBy: ['openai'],
    severity: 'warning',
    fields: ['logprobs'],
    on: of('response.output_text.delta', 'response.output_text.done'),
    event(event, { absentFields }, report) {
      if (!Array.isArray(event['logprobs']) && absentFields.size === 0) report('logprobs []', event['logprobs'])
    },
  },
  {
    id: 'annotation-index',
    sentence: 'annotation_index is 0, 1, 2, ... in each part, and the done part has the annotations of these events.',
    fields: ['annotation_index', 'part.annotations'],
    needsOrder: true,
    causes: {
      item: [
        ...PART_MISPLACED,
        'text-done-event',
        'event-shape:annotation',
        'event-shape:annotation_index',
        'event-shape:part',
      ],
    },
    on: of(ANNOTATION, 'response.content_part.done'),
    event(event, { part }, report) {
      if (part === undefined) return
      if (event.type === ANNOTATION) {
        const { annotation_index: index } = event
        if (index !== part.annotations.length && !part.isResumed)
          report(`annotation_index ${part.annotations.length}`, index)
      } else {
        const held = asList(asFields(event['part'])['annotations'])
        if (!isSameJson(part.isResumed ? held.slice(held.length - part.annotations.length) : held, part.annotations))
          report('the annotations that were added', held)
      }
    },
  },
])

/**
 * Whether the parts are equal. OpenAI sends logprobs with the text and in the item, but not in the `.done` of the part.
 */
function isSamePart(done: unknown, held: unknown): boolean {
  if (isSameJson(done, held)) return true
  const isEarly = isFields(done) && isFields(held) && asList(done['logprobs']).length === 0
  return isEarly && Array.isArray(held['logprobs']) && differingFields(done, held).join() === 'logprobs'
}

/** Whether a part may have ended before the stream was resumed: no event since then is about it. */
function isOver(part: OpenPart | undefined): boolean {
  return part?.isResumed === true && part.finalText === undefined && part.deltas.length === 0
}
