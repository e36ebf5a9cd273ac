import { type Fields, isFields } from '../../../shared/fields.js'
import { asFields, asList, asString, type StreamEvent } from '../stream-event.js'

/** A block between its start and its stop. */
export interface OpenBlock {
  readonly index: unknown
  readonly type: string
  /** The block as its start gave it. */
  readonly begun: Fields
  /** The pieces of its input; they are joined once, when it stops. */
  readonly pieces: string[]
  hasSignature: boolean
  /** The position of the event that began it. */
  readonly since: number
}

/** The state of a stream of the Messages API before an event. */
export class MessageState {
  /** The number of the event, from 0; at the end, the number of all. */
  position = 0
  /** The message of `message_start`. */
  message: Fields | undefined
  /** How many blocks began. */
  blocks = 0
  /** The open block: there is one at a time. */
  open: OpenBlock | undefined
  /** How many calls for the client's tools began. */
  toolUses = 0
  /** A `message_delta` came, which ends the blocks. */
  hasDelta = false
  /** The stop_reason of the last `message_delta`. */
  stopReason: unknown
  outputTokens = 0
  isStopped = false
  hasFailed = false

  /** Takes an event, after the rules have checked it. */
  apply(event: StreamEvent): void {
    switch (event.type) {
      case 'message_start':
        if (this.message === undefined) {
          this.message = asFields(event['message'])
          const { output_tokens: tokens } = asFields(this.message['usage'])
          if (typeof tokens === 'number') this.outputTokens = tokens
        }
        break
      case 'content_block_start': {
        const begun = asFields(event['content_block'])
        const type = asString(begun['type'])
        this.blocks++
        if (type === 'tool_use') this.toolUses++
        this.open = {
          index: event['index'],
          type,
          begun,
          pieces: [],
          hasSignature: asString(begun['signature']) !== '',
          since: this.position,
        }
        break
      }
      case 'content_block_delta': {
        const { type, partial_json: piece } = asFields(event['delta'])
        if (this.open === undefined || event['index'] !== this.open.index) break
        if (type === 'input_json_delta' && typeof piece === 'string') this.open.pieces.push(piece)
        if (type === 'signature_delta') this.open.hasSignature = true
        break
      }
      case 'content_block_stop':
        this.open = undefined
        break
      case 'message_delta': {
        const { output_tokens: tokens } = asFields(event['usage'])
        this.hasDelta = true
        this.stopReason = asFields(event['delta'])['stop_reason']
        if (typeof tokens === 'number') this.outputTokens = tokens
        break
      }
      case 'message_stop':
        this.isStopped = true
        break
      case 'error':
        this.hasFailed = true
    }
  }
}

/** The block in an event that begins one. */
export const blockIn = (event: StreamEvent): Fields => asFields(event['content_block'])

/** The delta in an event that has one; undefined if it is no object. */
export function deltaIn(event: StreamEvent): Fields | undefined {
  const { delta } = event
  return isFields(delta) ? delta : undefined
}

/** Whether the content of message_start is calls that a program of the model made. */
export function hasProgramCalls(content: unknown): boolean {
  const blocks = asList(content).map(asFields)
  const isOfProgram = ({ type, caller }: Fields): boolean =>
    type === 'tool_use' && asString(asFields(caller)['type']).startsWith('code_execution')
  return blocks.length > 0 && blocks.every(isOfProgram)
}
