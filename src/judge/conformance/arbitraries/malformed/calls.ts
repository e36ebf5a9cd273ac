import { SPECIAL as m } from '../../../../core/harmony/vocabulary.js'
import fc from '../fast-check.js'
import { model, START } from '../stream-forms.js'
import { code, jsonObject, prose } from '../text.js'
import { type CallShape, call, called, either, type Shapes, shape, typeForm, withType, words } from './shape.js'

/** Calls and answers in correct grammar that a reader still does not expect. */
export const calls: Shapes<CallShape> = {
  'recipient-without-namespace': shape(
    'any',
    'vllm#42454',
    { name: either('get_weather', 'geo'), body: words.json, form: typeForm(), inRole: fc.boolean() },
    ({ name, body, form, inRole }) => ({
      variant: 'recipient without namespace',
      segments: [
        model(
          ...(inRole ? [` to=${name}`, m.channel, 'commentary'] : [m.channel, `commentary to=${name}`]),
          ...withType(form),
          m.message,
          body,
          m.call,
        ),
      ],
      ...called(name, body),
    }),
  ),
  'call-on-wrong-channel': shape(
    'any',
    'vllm#42454, vllm-mlx#562, dynamo#10366, OVMS#3863',
    {
      channel: either('analysis', 'final', 'comment'),
      name: words.name,
      body: words.json,
      type: either(' code', '', ' json'),
    },
    ({ channel, name, body, type }) => ({
      variant: 'call on another channel',
      segments: [model(m.channel, `${channel} to=functions.${name}${type}`, m.message, body, m.call)],
      ...called(name, body),
    }),
  ),
  'undeclared-tool': shape(
    'any',
    'llama.cpp#21213, llama.cpp#15789, vllm#27385, codex#11940',
    {
      recipient: either(
        'python',
        'container.exec',
        'browser.search',
        'apply_patch',
        'repo_browser.print_tree',
        'multi_tool_use.parallel',
      ),
      channel: either('analysis', 'commentary'),
      body: fc.oneof(words.json, code()),
    },
    ({ recipient, channel, body }) => ({
      variant: 'undeclared tool',
      segments: [model(m.channel, `${channel} to=${recipient} code`, m.message, body, m.call)],
      texts: [body],
      calls: [{ recipient, arguments: body }],
    }),
  ),
  'code-as-arguments': shape(
    'any',
    'odysseus#5877, ollama#12187',
    { name: either('python', 'bash'), body: code() },
    ({ name, body }) => ({
      variant: 'code for arguments',
      segments: [model(m.channel, `commentary to=functions.${name} code`, m.message, body, m.call)],
      ...called(name, body),
    }),
  ),
  'recipient-not-a-tool': shape(
    'any',
    'vllm#42454, llama.cpp#27720',
    { to: either('assistant', 'user', ''), channel: either('commentary', 'final', 'analysis'), text: words.text },
    ({ to, channel, text }) => ({
      variant: to === '' ? 'empty recipient' : 'recipient that is no tool',
      segments: [model(m.channel, `${channel} to=${to}`, m.message, text, m.end)],
      texts: [text],
    }),
  ),
  preamble: shape('any', 'vllm#29972, vllm#24170', { text: words.text }, ({ text }) => ({
    variant: 'preamble',
    segments: [model(m.channel, 'commentary', m.message, text, m.end)],
    texts: [text],
  })),
  'arguments-without-recipient': shape(
    'any',
    'trtllm#9256, cloudflare/ai#574, vllm#23167',
    { body: jsonObject() },
    ({ body }) => ({
      variant: 'arguments without recipient',
      segments: [model(m.channel, 'commentary', m.message, body, m.end)],
      texts: [body],
    }),
  ),
  'invalid-json-arguments': shape(
    'any',
    'lmstudio#942, ollama#14180, inspect_ai#4822, ollama#11704',
    { name: words.name, body: either('{"a":1', '{}""', '{"a":[1}}', '{"a": "b', '{"a":1}}', '') },
    ({ name, body }) => ({
      variant: 'arguments that are no JSON',
      segments: [model(m.channel, `commentary to=functions.${name} `, m.constrain, 'json', m.message, body, m.call)],
      ...called(name, body),
    }),
  ),
  'wrong-call-terminator': shape(
    'any',
    'mlx-openai-server#156, qvac#1812, dynamo#9593',
    { name: words.name, body: words.json, end: either('end', 'return', 'nothing') },
    ({ name, body, end }) => ({
      variant: `call ended by ${end}`,
      segments: [
        model(
          m.channel,
          `commentary to=functions.${name} `,
          m.constrain,
          'json',
          m.message,
          body,
          ...(end === 'nothing' ? [] : [end === 'end' ? m.end : m.return]),
        ),
      ],
      ...called(name, body),
      ...(end === 'nothing' ? { last: 'open' } : {}),
    }),
  ),
  'parallel-calls': shape(
    'any',
    'vllm#24637, vllm#44655, smg#1845, smg#1846',
    { names: fc.array(words.name, { minLength: 1, maxLength: 3 }), thought: prose(4), body: words.json },
    ({ names, thought, body }) => ({
      variant: names.length === 1 ? 'planned two calls, made one' : 'parallel calls',
      segments: [
        model(m.channel, 'analysis', m.message, thought, m.end),
        ...names.map((name) =>
          model(...START, m.channel, `commentary to=functions.${name} `, m.constrain, 'json', m.message, body, m.call),
        ),
      ],
      texts: [thought, ...names.map(() => body)],
      calls: names.map((name) => call(name, body)),
      functions: names,
    }),
  ),
  'reasoning-only': shape(
    'first',
    'amx#372, vllm#41902',
    { thoughts: fc.array(words.text, { minLength: 1, maxLength: 3 }), end: either(m.end, m.return) },
    ({ thoughts, end }) => ({
      variant: 'reasoning only',
      segments: thoughts.map((thought, index) =>
        model(
          ...(index === 0 ? [] : START),
          m.channel,
          'analysis',
          m.message,
          thought,
          index === thoughts.length - 1 ? end : m.end,
        ),
      ),
      texts: thoughts,
      last: 'closed',
    }),
  ),
}
