import type {
  ResponseIncludable as Includable,
  ResponseInputItem as Item,
  ResponseStreamEvent as StreamEvent,
} from 'openai/resources/responses/responses'

/* Types of an SDK that knows more than openai does: `type-gaps.test.ts` has to find each addition. */

type Message = Extract<Item, { role: unknown }>

export type ResponseStreamEvent = StreamEvent | { type: 'response.planted'; sequence_number: number }

export type ResponseInputItem =
  | Exclude<Item, Message>
  | (Message & { planted?: { deep: string } })
  | { type: 'planted_call'; id: string }

export type ResponseIncludable = Includable | 'planted.logprobs'
