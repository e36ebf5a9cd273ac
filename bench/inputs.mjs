// The measured token streams: generated from a seed, so that every run has the same, and varied, so that no cache of
// one transcript explains a result. test/bench/inputs.test.ts checks the properties of each.

import { readdirSync, readFileSync } from 'node:fs'

/** Spelled out, since these inputs need no build of the library; their test holds them against its own. */
export const MARKER = {
  return: 200002,
  constrain: 200003,
  channel: 200005,
  start: 200006,
  end: 200007,
  message: 200008,
  call: 200012,
}

/** The seed of the suite; round n of a measurement takes `SEED + n`. */
export const SEED = 0xc0ffee

/**
 * @typedef {object} TokenTable
 * @property {(id: number) => string | undefined} text
 * @property {(id: number) => Uint8Array} bytes
 * @property {number} size
 */

/**
 * One message, from its header to its terminator.
 *
 * @typedef {object} Message
 * @property {number[]} ids as many as were asked for
 * @property {string} text their text, decoded in one piece by the platform
 * @property {number} units what a figure is per: the ids
 */

/**
 * @param {TokenTable} tokenTable
 * @param {(text: string) => number[]} encode ordinary text to ids
 */
export function createInputs(tokenTable, encode) {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
  const ordinary = Array.from({ length: tokenTable.size }, (_, id) => id)
  const whole = ordinary.filter((id) => tokenTable.text(id) !== undefined)
  const latin = whole.filter((id) => /^[\0-\xff]*$/.test(tokenTable.text(id)))
  const broken = ordinary.filter((id) => tokenTable.text(id) === undefined)
  const longest = ordinary.filter((id) => tokenTable.bytes(id).length === 128)
  const ofByte = new Map(
    ordinary.filter((id) => tokenTable.bytes(id).length === 1).map((id) => [tokenTable.bytes(id)[0], id]),
  )
  const opening = [MARKER.channel, ...encode('final'), MARKER.message]
  const room = (count) => count - opening.length - 1

  /** @param {number[]} body @returns {Message} */
  function message(body) {
    const ids = [...opening, ...body, MARKER.return]
    return { ids, text: textOf(body), units: ids.length }
  }

  /** Decoded by the platform, not by the library that is measured. */
  function textOf(ids) {
    return utf8.decode(Buffer.concat(ids.map((id) => tokenTable.bytes(id))))
  }

  /** @param {(index: number) => number} idAt @returns {Message} */
  const filled = (count, idAt) => message(Array.from({ length: room(count) }, (_, index) => idAt(index)))

  return {
    /** Tokens that decode alone, all equally likely: the common case, and the hardest for caches. */
    varied(count, seed) {
      const random = createRandom(seed)
      return filled(count, () => whole[random(whole.length)])
    },

    /** Varied tokens with common ones more often than rare ones, as models write: ids are merge ranks. */
    skewed(count, seed) {
      const random = createRandom(seed)
      return filled(count, () => whole[Math.floor(whole.length ** (random(2 ** 30) / 2 ** 30)) - 1])
    },

    /** Varied tokens whose characters engines store in one byte. */
    latin(count, seed) {
      const random = createRandom(seed)
      return filled(count, () => latin[random(latin.length)])
    },

    /** Twelve tokens, again and again. */
    repeating(count, seed) {
      const random = createRandom(seed)
      const phrase = Array.from({ length: 12 }, () => whole[random(whole.length)])
      return filled(count, (index) => phrase[index % phrase.length])
    },

    /** Tokens whose bytes are not text on their own, in random order, so hardly any combine into a character. */
    invalid(count, seed) {
      const random = createRandom(seed)
      return filled(count, () => broken[random(broken.length)])
    },

    /** Emoji of four bytes, one token for each byte. The length is rounded down to whole emoji. */
    emoji(count, seed) {
      const random = createRandom(seed)
      const encoder = new TextEncoder()
      const body = Array.from({ length: Math.floor(room(count) / 4) }, () => {
        const bytes = encoder.encode(String.fromCodePoint(0x1f300 + random(0x400)))
        return Array.from(bytes, (byte) => ofByte.get(byte))
      })
      return message(body.flat())
    },

    /** The longest token there is, of 128 bytes. */
    longest(count) {
      return filled(count, (index) => longest[index % longest.length])
    },

    /** Marks that begin like a citation, grow as long as one may, and never end. */
    openMarks(count, seed) {
      const random = createRandom(seed)
      const characters = Array.from('abcdefghijklmnopqrstuvwxyz -,.0123456789', (char) =>
        ofByte.get(char.charCodeAt(0)),
      )
      const body = []
      while (body.length < room(count)) {
        const part = () => Array.from({ length: 63 }, () => characters[random(characters.length)])
        body.push(...encode('【'), ...encode(String(random(1e9))), ...encode('†'), ...part(), ...encode('†'), ...part())
      }
      return message(body.slice(0, room(count)))
    },

    /** Complete marks of unknown pages. */
    unknownMarks(count, seed) {
      const random = createRandom(seed)
      const body = []
      while (body.length < room(count)) body.push(...encode(`【${random(1e6)}†L${random(100)}-L${100 + random(100)}】`))
      return message(body.slice(0, room(count)))
    },

    /** Calls whose headers are as long as headers may be, with next to no content. As many complete calls as fit. */
    longHeaders(count, seed) {
      const random = createRandom(seed)
      const words = [' a', ' b', ' c', ' x', ' y', ' z'].map((word) => encode(word)[0])
      const ids = []
      for (;;) {
        const header = [MARKER.channel, ...encode('commentary to=functions.f')]
        while (header.length < 496) header.push(words[random(words.length)])
        const call = [...header, MARKER.message, ...encode('{}'), MARKER.call]
        if (ids.length > 0 && ids.length + call.length > count) break
        ids.push(...(ids.length === 0 ? [] : [MARKER.start, ...encode('assistant')]), ...call)
      }
      return { ids, units: ids.length }
    },

    /** Messages of one token each, as many as fit. */
    shortMessages(count, seed) {
      const random = createRandom(seed)
      const ids = [...opening, whole[random(whole.length)], MARKER.end]
      const header = [MARKER.start, ...encode('assistant'), ...opening]
      while (ids.length + header.length + 2 <= count) ids.push(...header, whole[random(whole.length)], MARKER.end)
      return { ids, units: ids.length }
    },

    /** Calls of the code interpreter, each with its result from the host after it; `turns` as of {@link turns}. */
    toolLoop(count, seed) {
      const random = createRandom(seed)
      const call = [MARKER.channel, ...encode('analysis to=python code'), MARKER.message]
      const result = [
        MARKER.start,
        ...encode('python to=assistant'),
        MARKER.channel,
        ...encode('analysis'),
        MARKER.message,
      ]
      return collect(count, () => {
        const written = [...call, ...encode(`print(${random(1e9)})`), MARKER.call]
        return [...written, { host: [...result, ...encode(String(random(1e9))), MARKER.end] }]
      })
    },

    /**
     * Calls of an MCP server `m` in one turn, each of a tool of its own, and then the host's results.
     *
     * @param {number} results how many each call gets; the call that came last is answered first
     */
    parallelCalls(count, seed, results) {
      const random = createRandom(seed)
      const next = [MARKER.start, ...encode('assistant')]
      const call = (name) => [
        MARKER.channel,
        ...encode(`commentary to=${name} `),
        MARKER.constrain,
        ...encode('json'),
        MARKER.message,
        ...encode(`{"q":${random(1e6)}}`),
        MARKER.call,
      ]
      const result = (name) => {
        const header = [MARKER.start, ...encode(`${name} to=assistant`), MARKER.channel, ...encode('commentary')]
        return { host: [...header, MARKER.message, ...encode(String(random(1e9))), MARKER.end] }
      }
      const { turns, units } = collect(count, (index) => {
        const name = `m.t${index}`
        const answers = Array.from({ length: results }, () => result(name))
        return [...(index === 0 ? [] : next), ...call(name), ...answers]
      })
      const calls = turns.map((turn) => turn.filter((chunk) => typeof chunk === 'number'))
      const answers = turns.map((turn) => turn.filter((chunk) => typeof chunk !== 'number')).reverse()
      return { turns: [[...calls, ...answers].flat()], units }
    },

    prose,

    /**
     * A Responses request with so many items of 100 characters on average: questions, calls, outputs and answers.
     *
     * @returns {{ request: { input: object[], tools: object[] }, units: number }}
     */
    conversation(count, seed) {
      const random = createRandom(seed)
      const { text } = prose(100_000, seed)
      const words = () => {
        const at = random(text.length - 200)
        return text.slice(at, at + random(201))
      }
      const input = Array.from({ length: count }, (_, index) => {
        const id = `call_${index - (index % 4)}`
        const items = [
          () => ({ role: 'user', content: [{ type: 'input_text', text: words() }] }),
          () => ({ type: 'function_call', call_id: id, name: 'search', arguments: JSON.stringify({ query: words() }) }),
          () => ({ type: 'function_call_output', call_id: id, output: words() }),
          () => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: words() }] }),
        ]
        return items[index % items.length]()
      })
      // A call that is the last item waits for its output.
      if (count % 4 === 2) input.pop()
      return { request: { input, tools: [{ type: 'function', name: 'search', parameters: {} }] }, units: input.length }
    },

    /**
     * Turns of the model, in random order; the last one is complete.
     *
     * @param {readonly (readonly any[])[]} drawn chunks of each turn; starting over when they are used up
     * @returns {{ turns: (readonly any[])[], units: number }}
     */
    turns: (count, drawn) => collect(count, (index) => drawn[index % drawn.length]),
  }
}

/** Texts that people and tools write: paragraphs of this project's documents and sources, in random order. */
function prose(length, seed) {
  const random = createRandom(seed)
  const paragraphs = paragraphsOf('../docs/', '../src/endpoint/prompt/', '../src/core/translate/')
  let text = ''
  while (text.length < length) text += `${paragraphs[random(paragraphs.length)]}\n\n`
  return { text: text.slice(0, length), units: length }
}

/** @param {string[]} folders */
function paragraphsOf(...folders) {
  return folders.flatMap((folder) => {
    const url = new URL(folder, import.meta.url)
    const files = readdirSync(url).filter((file) => /\.(md|ts)$/.test(file))
    return files.sort().flatMap((file) => readFileSync(new URL(file, url), 'utf8').split('\n\n'))
  })
}

/** @param {(index: number) => readonly any[]} turnAt */
function collect(count, turnAt) {
  const turns = []
  let units = 0
  while (units < count) {
    const turn = turnAt(turns.length)
    turns.push(turn)
    for (const chunk of turn) units += lengthOf(chunk)
  }
  return { turns, units }
}

/** How many tokens a chunk is. */
function lengthOf(chunk) {
  if (typeof chunk === 'number') return 1
  if (Array.isArray(chunk)) return chunk.length
  return 'host' in chunk ? chunk.host.length : 1
}

/**
 * The same numbers for the same seed, on every machine: mulberry32.
 *
 * @param {number} seed
 * @returns {(below: number) => number} an integer from 0
 */
export function createRandom(seed) {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** @template T @param {readonly T[]} list @returns {T[][]} */
export function inChunks(list, size) {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  )
}
