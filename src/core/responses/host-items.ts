/** What only hosts add to the output: items and parts that no model writes, as far as their events need them. */

import type { ContentPartAddedEvent, ContentPartDoneEvent, ItemEventByType, ItemEventPayload } from './events.js'
import type { CodeInterpreterCallItem, MessageItem, OutputItemByType, OutputText } from './items.js'
import type { ItemStatus, OfItemOnly, OfPart } from './wire-fields.js'

interface Refusal {
  type: 'refusal'
  refusal: string
}

interface RefusalDeltaEvent extends OfPart {
  type: 'response.refusal.delta'
  delta: string
}
interface RefusalDoneEvent extends OfPart {
  type: 'response.refusal.done'
  refusal: string
}

/** `content_part.added` or `.done`, also of a refusal. */
type WithRefusal<Event extends { part: unknown }> = Omit<Event, 'part'> & { part: OutputText | Refusal }

interface ImageGenerationCallItem {
  type: 'image_generation_call'
  id: string
  status: ItemStatus | 'generating' | 'failed'
  /** The image in base64. */
  result: string | null
  error?: object
}

/** An item of a message with refusals, of code that is not shown, or of an image; else one that models write. */
export type WholeItemByType = Omit<OutputItemByType, 'message' | 'code_interpreter_call'> & {
  message: Omit<MessageItem, 'content'> & { content: (OutputText | Refusal)[] }
  code_interpreter_call: Omit<CodeInterpreterCallItem, 'code'> & { code: string | null }
  image_generation_call: ImageGenerationCallItem
}

type ContentPart = ContentPartAddedEvent | ContentPartDoneEvent

interface EventByType extends Omit<ItemEventByType, 'message'> {
  message:
    | Exclude<ItemEventByType['message'], ContentPart>
    | WithRefusal<ContentPartAddedEvent>
    | WithRefusal<ContentPartDoneEvent>
    | RefusalDeltaEvent
    | RefusalDoneEvent
  image_generation_call: OfItemOnly<`image_generation_call.${'in_progress' | 'generating' | 'completed'}`>
}

/** The events of each item between `output_item.added` and `output_item.done`, without the emitter's fields. */
export type WholeItemEvents = { [Type in keyof WholeItemByType]: ItemEventPayload<EventByType[Type]> }
