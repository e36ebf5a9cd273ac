import { asFields } from '../../stream-event.js'
import { type MessagesInvariant, messagesRules } from '../invariant.js'
import { hasProgramCalls } from '../message-state.js'
import { MISPLACED, UNREAD } from './cause-groups.js'

/** Rules for the order of a stream: its beginning, its end, and the events between. */
export const ORDER: readonly MessagesInvariant[] = messagesRules([
  {
    id: 'messages-start-first',
    sentence:
      'The first event is message_start, and no later event is: the Anthropic SDK drops what comes before it, and throws ' +
      'at a second one.',
    event({ type }, { message }, report) {
      if (type === 'ping' || type === 'error') return
      if (message === undefined && type !== 'message_start') report('message_start before it', type)
      if (message !== undefined && type === 'message_start') report('no second message_start', type)
    },
  },
  {
    id: 'messages-begins-empty',
    sentence:
      'The message in message_start has no content and no stop_reason, as clients append the blocks to its content: only ' +
      'where a program of the model calls tools, it has these calls.',
    event({ type, message }, _state, report) {
      if (type !== 'message_start') return
      const { content, stop_reason: reason = null } = asFields(message)
      if (hasProgramCalls(content)) return
      if (Array.isArray(content) && content.length > 0) report('content []', content)
      if (reason !== null) report('stop_reason null', reason)
    },
  },
  {
    id: 'messages-delta-after-blocks',
    sentence: 'A message_delta comes when all blocks have stopped, and no block begins after it.',
    causes: { stream: MISPLACED },
    event({ type }, { open, hasDelta }, report) {
      if (type === 'message_delta' && open !== undefined)
        report(`content_block_stop of block ${String(open.index)} before it`, type)
      if (type === 'content_block_start' && hasDelta) report('no block after message_delta', type)
    },
  },
  {
    id: 'messages-one-delta',
    sentence:
      'There is one message_delta, which tells the stop_reason: LangChain concatenates the stop_reasons of several.',
    event({ type }, { hasDelta }, report) {
      if (type === 'message_delta' && hasDelta) report('no second message_delta', type)
    },
  },
  {
    id: 'messages-stop-last',
    sentence:
      'A message_stop ends the stream, and nothing follows it: without it, the Anthropic SDK throws ("stream ended ' +
      'without producing a Message").',
    causes: { stream: ['messages-stop-last', ...UNREAD] },
    event({ type }, { isStopped, hasFailed }, report) {
      if (isStopped) report('nothing after message_stop', type)
      else if (hasFailed) report('nothing after the error', type)
    },
    end({ isStopped, hasFailed }, report) {
      if (!isStopped && !hasFailed) report('message_stop', undefined, 'the end of the stream')
    },
  },
  {
    id: 'messages-stop-reason',
    sentence:
      'A message_delta with a stop_reason comes before message_stop: clients learn from it why the answer ended.',
    causes: { stream: UNREAD },
    event({ type }, { message, hasDelta, stopReason }, report) {
      if (type !== 'message_stop' || hasProgramCalls(message?.['content'])) return
      if (!hasDelta) report('message_delta before it', undefined, 'none')
      else if (stopReason === null || stopReason === undefined) report('a stop_reason', stopReason)
    },
  },
])
