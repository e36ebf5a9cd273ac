import { SPECIAL as m } from '../../../../core/harmony/vocabulary.js'
import fc from '../fast-check.js'
import { model, START } from '../stream-forms.js'
import { jsonObject, prose } from '../text.js'
import { type BorderShape, call, either, finalMessage, type Shapes, shape, words } from './shape.js'

/** Messages whose borders are missing: no header, no `<|message|>`, no `<|start|>`, no `<|end|>`. */
export const borders: Shapes<BorderShape> = {
  'missing-message-marker': shape(
    'any',
    'vllm#45213, vllm#45736, frontend-crates#237, harmony#82',
    {
      text: fc.oneof(either('{"answer":42}', '{"answer": [1, 2]}'), words.prose),
      gap: either(' ', '\n'),
      channel: either('final', 'analysis'),
    },
    ({ text, gap, channel }) => ({
      variant: `${channel} without message`,
      segments: [model(m.channel, `${channel}${gap}${text}`, channel === 'final' ? m.return : m.end)],
      texts: [text],
    }),
  ),
  'constrain-instead-of-message': shape('any', 'frontend-crates#236', { text: prose(2) }, ({ text }) => ({
    variant: 'constrain for message',
    segments: [model(m.channel, 'final', m.constrain, text, m.return)],
    texts: [text],
  })),
  'missing-header': shape('first', 'harmony#82, vllm#28303, vllm#23567', { text: prose(2) }, ({ text }) => ({
    variant: 'no header',
    segments: [model(text, m.end)],
    texts: [text],
  })),
  'no-markers': shape(
    'first',
    'llama.cpp#25321',
    { body: jsonObject(), returned: fc.boolean() },
    ({ body, returned }) => ({
      variant: 'no markup',
      segments: [model(body, ...(returned ? [m.return] : []))],
      texts: [body],
      last: returned ? 'closed' : 'open',
    }),
  ),
  'missing-header-after-reasoning': shape(
    'any',
    'sglang#31019',
    {
      thought: words.text,
      body: fc.oneof(either('{"country":"France"}'), jsonObject(), prose(4)),
      end: either(m.return, m.end),
    },
    ({ thought, body, end }) => ({
      variant: 'no header after reasoning',
      segments: [model(m.channel, 'analysis', m.message, thought, m.end), model(body, end)],
      texts: [thought, body],
    }),
  ),
  'junk-before-start': shape(
    'any',
    'vllm#43408, tenstorrent/vllm#386',
    { thought: words.text, junk: either('.\n\n', '\n', ' ', '.', '…', ' \n.'), text: words.text },
    ({ thought, junk, text }) => ({
      variant: 'junk before start',
      segments: [
        model(m.channel, 'analysis', m.message, thought, m.end),
        model(junk),
        model(...finalMessage(text), m.return),
      ],
      texts: [thought, text],
    }),
  ),
  'missing-start': shape(
    'any',
    'vllm#35906, cuga#672',
    { thought: words.text, role: fc.boolean(), channel: either('final', 'analysis', 'commentary'), text: words.text },
    ({ thought, role, channel, text }) => ({
      variant: role ? 'role without start' : 'channel without start',
      segments: [
        model(m.channel, 'analysis', m.message, thought, m.end),
        model(...(role ? ['assistant'] : []), m.channel, channel, m.message, text, m.end),
      ],
      texts: [thought, text],
    }),
  ),
  'channel-word-as-header': shape(
    'any',
    'harmony#60, harmony#68, vllm#22515, vllm#22519',
    { name: words.name, first: words.json, second: words.json, channel: fc.boolean() },
    ({ name, first, second, channel }) => {
      const to = `commentary to=functions.${name} `
      return {
        variant: channel ? 'channel word before channel' : 'channel word for a header',
        segments: [
          model(m.channel, to, m.constrain, 'json', m.message, first, m.call),
          model(...(channel ? ['commentary', m.channel] : []), to, m.constrain, 'json', m.message, second, m.call),
        ],
        texts: [first, second],
        calls: [call(name, first), call(name, second)],
        functions: [name],
      }
    },
  ),
  'empty-message-without-end': shape('any', 'harmony#68', { text: words.text }, ({ text }) => ({
    variant: 'empty message without end',
    segments: [model(m.channel, 'commentary', m.message), model(...finalMessage(text), m.return)],
    texts: [text],
  })),
  'missing-end': shape(
    'any',
    'vllm#32587',
    { thought: words.text, start: fc.boolean(), text: words.text },
    ({ thought, start, text }) => ({
      variant: start ? 'start in content' : 'channel in content',
      segments: [
        model(m.channel, 'analysis', m.message, thought),
        model(...(start ? START : []), m.channel, 'final', m.message, text, m.return),
      ],
      texts: [thought, text],
    }),
  ),
}
