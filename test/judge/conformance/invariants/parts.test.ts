import { PARTS } from '../../../../src/judge/conformance/invariants/parts.js'
import { both, describeCases } from './cases.js'
import { cut, drop, give, inside, itemsIn, move, nth, set, setItem, twice } from './streams.js'

describeCases(PARTS, {
  'part-order': {
    'a first part at 1 is reported': [
      'answer',
      'openai',
      set('content_part.added', { content_index: 1 }),
      ['3 part-order'],
    ],
    'a first summary at 1 is reported': [
      'summary',
      'openai',
      set('reasoning_summary_part.added', { summary_index: 1 }),
      ['3 part-order'],
    ],
    'a part without its index is reported': [
      'answer',
      'openai',
      set('content_part.added', { content_index: undefined }),
      ['3 event-shape', '3 part-order'],
    ],
  },
  'part-kind': {
    'reasoning that is announced as text is reported': [
      'talk',
      'openai',
      set('content_part.added', { part: { type: 'output_text', text: '', annotations: [], logprobs: [] } }),
      ['3 part-kind'],
    ],
    'a message that is announced as reasoning is reported': [
      'answer',
      'openai',
      set('content_part.added', { part: { type: 'reasoning_text', text: '' } }),
      ['3 part-kind', '4 event-of-its-item', '5 event-of-its-item', '6 event-of-its-item'],
    ],
  },
  'within-part': {
    'a delta after the end of its part is reported': [
      'answer',
      'openai',
      move(5, 7),
      ['5 text-is-deltas', '7 done-text-last', '7 within-part', '8 message-closing-order'],
    ],
    'text of a part that was never announced is reported, each time': [
      'answer',
      'openai',
      drop('content_part.added'),
      [
        '3 within-part',
        '3 part-follows-message?',
        '4 within-part',
        '5 within-part',
        '6 within-part',
        '7 item-is-its-parts',
      ],
    ],
    'a part that is done twice is reported': [
      'answer',
      'openai',
      twice('content_part.done'),
      ['8 within-part', '8 message-closing-order'],
    ],
  },
  'every-part-done': {
    'a part that is open when its item is done is reported': [
      'answer',
      'open-responses',
      drop('content_part.done'),
      ['7 every-part-done'],
    ],
    'a summary that is open when its item is done is reported': [
      'summary',
      'open-responses',
      drop('reasoning_summary_part.done'),
      ['6 every-part-done'],
    ],
  },
  'announced-part-empty': {
    'a part that is announced with its text is reported': [
      'answer',
      'open-responses',
      set('content_part.added', { part: { type: 'output_text', text: 'Hi', annotations: [], logprobs: [] } }),
      ['3 announced-part-empty'],
    ],
    'a part that is announced without annotations is reported': [
      'answer',
      'open-responses',
      set('content_part.added', { part: { type: 'output_text', text: '' } }),
      ['3 open-responses-shape', '3 announced-part-empty'],
    ],
  },
  'text-is-deltas': {
    'a missing delta is reported at the text': ['answer', 'open-responses', cut(5, 6), ['5 text-is-deltas']],
    'a summary without its delta is reported': ['summary', 'open-responses', cut(4, 5), ['4 text-is-deltas']],
    'reasoning without its deltas is reported': ['talk', 'openai', cut(4, 6), ['4 text-is-deltas']],
  },
  'text-done-event': {
    'a missing text.done is reported': ['answer', 'open-responses', drop('output_text.done'), ['6 text-done-event']],
    'another text in the part is reported': [
      'answer',
      'open-responses',
      both(
        set('content_part.done', { part: { type: 'output_text', text: 'Ho', annotations: [], logprobs: [] } }),
        setItem('message', { content: [{ type: 'output_text', text: 'Ho', annotations: [], logprobs: [] }] }, [
          'done',
          'terminal',
        ]),
      ),
      ['7 text-done-event'],
    ],
  },
  'item-is-its-parts': {
    'another text in the item is reported': [
      'answer',
      'open-responses',
      setItem('message', { content: [{ type: 'output_text', text: 'Ho', annotations: [], logprobs: [] }] }, [
        'done',
        'terminal',
      ]),
      ['8 item-is-its-parts'],
    ],
    'another summary in the item is reported': [
      'summary',
      'open-responses',
      setItem('reasoning', { summary: [] }, ['done', 'terminal']),
      ['7 item-is-its-parts'],
    ],
  },
  'message-closing-order': {
    'an annotation after the text is reported at the end of the part': [
      'search',
      'openai',
      move(12, 14),
      ['15 message-closing-order'],
    ],
  },
  'part-follows-message': {
    'anything between a message and its part is reported': [
      'talk',
      'openai',
      move(16, 10),
      ['10 part-follows-message?'],
    ],
  },
  'text-logprobs': {
    'text without a list of log-probabilities is reported': [
      'answer',
      'openai',
      set('output_text.delta', { logprobs: undefined }),
      ['4 event-shape', '4 text-logprobs?'],
    ],
  },
  'annotation-index': {
    'a gap in the indexes is reported': [
      'search',
      'open-responses',
      both(
        drop(({ type }) => type.startsWith('response.web_search_call.')),
        set('output_text.annotation.added', { annotation_index: 2 }, 1),
      ),
      ['9 annotation-index'],
    ],
    'an annotation that the part lacks is reported when the part is done': [
      'search',
      'openai',
      both((events) => {
        give(inside(nth(events, 'content_part.done'), 'part'), { annotations: [] })
        for (const { content } of itemsIn(events, 'message', ['done', 'terminal'])) {
          give((content as { [field: string]: unknown }[])[0] ?? {}, { annotations: [] })
        }
      }),
      ['15 annotation-index'],
    ],
  },
})
