import { isEncodedTwice, isJson } from '../../json-text.js'
import { asFields, asString, lookUp } from '../../stream-event.js'
import { type MessagesInvariant, messagesRules } from '../invariant.js'
import { blockIn, deltaIn, type OpenBlock } from '../message-state.js'
import { MISPLACED, UNREAD } from './cause-groups.js'

/** The types of blocks that each delta may belong to: the Anthropic SDK drops the delta of any other block. */
const OF_BLOCKS: Readonly<Record<string, readonly string[]>> = {
  text_delta: ['text'],
  citations_delta: ['text'],
  thinking_delta: ['thinking'],
  signature_delta: ['thinking'],
  input_json_delta: ['tool_use', 'server_tool_use', 'mcp_tool_use'],
  compaction_delta: ['compaction'],
}

/** The blocks whose deltas are appended to the content of their start. */
const STREAMED: Readonly<Record<string, string>> = { text: 'text', thinking: 'thinking' }

const hasInput = ({ type }: OpenBlock): boolean => OF_BLOCKS['input_json_delta']?.includes(type) === true

/** Rules for the blocks of a message and their deltas. */
export const BLOCKS: readonly MessagesInvariant[] = messagesRules([
  {
    id: 'messages-block-index',
    sentence:
      'Blocks begin at index 0, 1, 2, ...: the Anthropic SDK appends each block, and adds a delta to the one at its index.',
    causes: { stream: ['messages-block-index', ...UNREAD] },
    event({ type, index }, { blocks }, report) {
      if (type === 'content_block_start' && index !== blocks) report(`index ${blocks}`, index)
    },
  },
  {
    id: 'messages-one-block',
    sentence: 'One block is open at a time: a block stops before the next one begins.',
    causes: { stream: UNREAD },
    event({ type }, { open }, report) {
      if (type === 'content_block_start' && open !== undefined)
        report(`content_block_stop of block ${String(open.index)} before it`, type)
    },
  },
  {
    id: 'messages-block-is-open',
    sentence: 'A delta and a stop have the index of the open block.',
    causes: { stream: MISPLACED },
    event({ type, index }, { open }, report) {
      if (type !== 'content_block_delta' && type !== 'content_block_stop') return
      if (open === undefined) report('an open block', undefined, `${type} of block ${String(index)}`)
      else if (index !== open.index) report(`index ${String(open.index)}`, index)
    },
  },
  {
    id: 'messages-block-begins-empty',
    sentence: 'A block of text, thinking or a call for the client begins empty: its deltas have all of its content.',
    event(event, _state, report) {
      if (event.type !== 'content_block_start') return
      const block = blockIn(event)
      const field = lookUp(STREAMED, asString(block['type']))
      if (field !== undefined && asString(block[field]) !== '') report(`${field} ""`, block[field])
      const { type, input } = block
      if (type === 'tool_use' && Object.keys(asFields(input)).length > 0) report('input {}', input)
    },
  },
  {
    id: 'messages-delta-of-block',
    sentence: 'The type of a delta fits its block: the Anthropic SDK drops it otherwise.',
    causes: { stream: MISPLACED },
    event(event, { open }, report) {
      if (event.type !== 'content_block_delta' || open === undefined || event['index'] !== open.index) return
      const type = asString(deltaIn(event)?.['type'])
      const blocks = lookUp(OF_BLOCKS, type)
      if (blocks !== undefined && !blocks.includes(open.type)) report(`a delta of a ${open.type} block`, type)
    },
  },
  {
    id: 'messages-input-json',
    sentence: 'The input of a call is the JSON of an object, or empty if the tool takes none.',
    fault: 'model',
    causes: { stream: ['messages-delta-of-block', ...MISPLACED] },
    event({ type }, { open }, report) {
      if (type !== 'content_block_stop' || open === undefined || !hasInput(open)) return
      const input = open.pieces.join('')
      const isObject = isJson(input) && input.trimStart().startsWith('{')
      if (input !== '' && !isObject && !isEncodedTwice(input)) report('the JSON of an object', input)
    },
  },
  {
    id: 'messages-input-encoded-once',
    sentence: 'The input of a call is encoded once: a tool gets a text instead of its fields otherwise.',
    causes: { stream: MISPLACED },
    event({ type }, { open }, report) {
      if (type !== 'content_block_stop' || open === undefined || !hasInput(open)) return
      const input = open.pieces.join('')
      if (isEncodedTwice(input)) report('JSON that is encoded once', input)
    },
  },
  {
    id: 'messages-call-named',
    sentence: 'A call has an id of its own, by which its result comes back, and a name.',
    causes: { event: ['messages-block-index'], stream: ['messages-start-first'] },
    begin() {
      const ids = new Set<string>()
      return {
        event(event, _state, report) {
          if (event.type !== 'content_block_start') return
          const { type, id, name } = blockIn(event)
          if (!OF_BLOCKS['input_json_delta']?.includes(asString(type))) return
          if (asString(id) === '') report('an id', id)
          else if (ids.has(asString(id))) report('a unique id', id)
          if (asString(name) === '') report('a name', name)
          if (ids.size < MAX_IDS) ids.add(asString(id))
        },
      }
    },
  },
  {
    id: 'messages-thinking-signed',
    sentence:
      'A thinking block has a signature before it stops: Anthropic refuses an unsigned block that a client sends back.',
    severity: 'warning',
    causes: { stream: MISPLACED },
    event({ type }, { open }, report) {
      if (type === 'content_block_stop' && open?.type === 'thinking' && !open.hasSignature)
        report('signature_delta', undefined, 'none')
    },
  },
  {
    id: 'messages-signature-not-empty',
    sentence:
      'The signature of a signature_delta is not empty: Anthropic refuses such a block when a client sends it back.',
    event(event, _state, report) {
      const { type, signature } = asFields(event['delta'])
      if (event.type === 'content_block_delta' && type === 'signature_delta' && signature === '')
        report('a signature', signature)
    },
  },
])

/** The maximum number of ids of calls that are remembered. */
const MAX_IDS = 10_000
