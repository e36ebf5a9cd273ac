import type { HarmonyEvent, HarmonyHeader, Origin, Terminator } from './events.js'

/** The message that is being told. Plain data. */
export interface MessageState {
  header: HarmonyHeader
  /** Whether its start was told. What the host prefilled is not, until the model goes on with it. */
  announced: boolean
}

/** Tells messages: the rule that the host's part of the assistant's message is not the model's, for every parser. */
export interface MessageWriter {
  /** A header is complete. A message of the assistant that the host began is told only once the model goes on with it. */
  begin(header: HarmonyHeader, origin: Origin): void
  text(text: string, origin: Origin): void
  end(terminator: Terminator, origin: Origin): void
  /** Whether a message is open whose start was told. */
  readonly isTold: boolean
  /** Not a copy. */
  state(): MessageState
}

export function createMessageWriter(
  sink: (event: HarmonyEvent) => void,
  { header, announced }: MessageState = { header: { role: 'assistant' }, announced: false },
): MessageWriter {
  function announce(origin: Origin): void {
    announced = true
    sink({ type: 'message_start', header: { ...header }, origin })
  }

  return {
    begin(next, origin) {
      header = next
      if (origin === 'model' || header.role !== 'assistant') announce(origin)
    },

    text(text, origin) {
      if (origin === 'host' && header.role === 'assistant') return
      if (!announced) announce(origin)
      sink({ type: 'message_text', text, origin })
    },

    end(terminator, origin) {
      // A prefilled message that the model merely ended is a message; one that nobody went on with is none.
      if (!announced && origin === 'model' && terminator !== 'turn') announce(origin)
      if (announced) sink({ type: 'message_end', terminator, origin })
      announced = false
    },

    get isTold() {
      return announced
    },

    state: () => ({ header, announced }),
  }
}
