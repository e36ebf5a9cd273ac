import { type Signal, signal } from '@preact/signals'
import { followResponse } from '../api/follow-response.js'
import { save, saved } from '../api/saved.js'
import { ApiError, reasonOf, send } from '../api/send.js'
import { type Answer, applyEvent, applyResponse, emptyAnswer, type Item, isEnded } from './answer.js'

/** The body of a request, as it is sent. */
export interface RequestBody {
  readonly input: string | readonly Item[]
  readonly previous_response_id?: string
  readonly [field: string]: unknown
}

/** One request and its answer. */
export interface Turn {
  /** The request's `Idempotency-Key`, which also names the turn. */
  readonly key: string
  readonly body: RequestBody
  readonly answer: Answer
  /** Changes at most once a frame, when the answer has changed. */
  readonly version: Signal<number>
  readonly state: Signal<TurnState>
  readonly reading: AbortController
  /** Whether the user has asked to stop it. */
  readonly isStopping: Signal<boolean>
}

export type TurnState =
  | { readonly is: 'running' }
  | { readonly is: 'ended' }
  /** The answer cannot be read. `isRefused`: the server has made none. */
  | { readonly is: 'broken'; readonly why: string; readonly isRefused: boolean }

/** What this tab keeps of a turn: the answer itself is the server's. */
interface SavedTurn {
  readonly key: string
  readonly body: RequestBody
  readonly id?: string | undefined
  readonly isEnded: boolean
}

export const turns: Signal<readonly Turn[]> = signal<readonly Turn[]>([])

/** Whether a reload would lose the conversation, because it is too large to keep. */
export const isTooLarge: Signal<boolean> = signal(false)

let isRestored = false

/** Begins with the conversation that this tab had before it was loaded again. */
export async function restore(): Promise<void> {
  if (isRestored) return
  isRestored = true
  const kept = (saved('turns') as readonly SavedTurn[] | undefined) ?? []
  turns.value = kept.map(({ key, body, id }) => createTurn(key, body, id))
  for (const [index, turn] of turns.value.entries()) {
    if (kept[index]?.isEnded === true) await readWhole(turn)
    else run(turn)
  }
}

/** Asks with a body, after the last answer. */
export function ask(fields: Pick<RequestBody, 'input'> & object): void {
  const previous = turns.value.findLast(({ answer: { id, status } }) => id !== undefined && status !== 'failed')
  const body: RequestBody = {
    ...fields,
    ...(previous?.answer.id !== undefined && { previous_response_id: previous.answer.id }),
    ...{ store: true, background: true, stream: true },
  }
  begin(body)
}

/** Answers calls or requests for approval of a turn, with what that turn asked for otherwise. */
export function reply(turn: Turn, input: readonly Item[]): void {
  const { previous_response_id: _, ...rest } = turn.body
  begin({ ...rest, input, ...(turn.answer.id !== undefined && { previous_response_id: turn.answer.id }) })
}

/** Asks the same again, in place of a turn that has no answer. */
export function retry(turn: Turn): void {
  turns.value = turns.value.filter((each) => each !== turn)
  begin(turn.body)
}

/** Stops the answer of a turn, wherever it is. */
export async function stop(turn: Turn): Promise<void> {
  const { id } = turn.answer
  turn.isStopping.value = true
  // Else once its id is known.
  if (id === undefined) return
  try {
    await send(`v1/responses/${encodeURIComponent(id)}/cancel`, { method: 'POST' })
  } catch (error) {
    end(turn, { is: 'broken', why: reasonOf(error), isRefused: false })
  }
}

/** Leaves the conversation. What still runs is stopped. */
export function startConversation(): void {
  for (const turn of turns.value) if (turn.state.value.is === 'running') stop(turn)
  for (const { reading } of turns.value) reading.abort()
  turns.value = []
  keep()
}

function begin(body: RequestBody): void {
  const turn = createTurn(crypto.randomUUID(), body, undefined)
  turns.value = [...turns.value, turn]
  // Before it is sent: after a reload, the same key finds the response that this request has made.
  keep()
  run(turn)
}

function createTurn(key: string, body: RequestBody, id: string | undefined): Turn {
  const answer = emptyAnswer()
  answer.id = id
  const state = signal<TurnState>({ is: 'running' })
  return { key, body, answer, version: signal(0), state, reading: new AbortController(), isStopping: signal(false) }
}

async function run(turn: Turn): Promise<void> {
  const { answer, body, key, reading } = turn
  const redraw = onceAFrame(() => {
    turn.version.value += 1
  })
  try {
    await followResponse(
      { body, idempotencyKey: key, id: answer.id },
      (event) => {
        const isFirst = answer.id === undefined
        applyEvent(answer, event)
        if (isFirst) keep()
        if (isFirst && turn.isStopping.value) stop(turn)
        redraw()
      },
      reading.signal,
    )
    // The stream of a response that was cancelled says that it failed.
    if (answer.status === 'failed') await readWhole(turn)
    else end(turn, { is: 'ended' })
  } catch (error) {
    if (reading.signal.aborted) return
    const isGone = error instanceof ApiError && error.code === 'stream_not_resumable'
    if (isGone && answer.id !== undefined) return await readWhole(turn)
    end(turn, { is: 'broken', why: reasonOf(error), isRefused: answer.id === undefined })
  }
}

/** The wait between two looks at a response whose events cannot be read, in milliseconds. */
const LOOK_MS = 1_000

/** Reads a response without its events, until it has ended. */
async function readWhole(turn: Turn): Promise<void> {
  const { answer, reading } = turn
  try {
    for (;;) {
      const path = `v1/responses/${encodeURIComponent(answer.id ?? '')}`
      applyResponse(answer, await (await send(path, { signal: reading.signal })).json())
      turn.version.value += 1
      if (isEnded(answer)) return end(turn, { is: 'ended' })
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  } catch (error) {
    if (reading.signal.aborted) return
    const isGone = error instanceof ApiError && error.status === 404
    const why = isGone ? 'The server no longer keeps this answer.' : reasonOf(error)
    end(turn, { is: 'broken', why, isRefused: false })
  }
}

function end(turn: Turn, state: TurnState): void {
  turn.reading.abort()
  turn.state.value = state
  turn.version.value += 1
  keep()
}

function keep(): void {
  const kept = turns.value.map(
    ({ key, body, answer, state }): SavedTurn => ({ key, body, id: answer.id, isEnded: state.value.is !== 'running' }),
  )
  isTooLarge.value = !save('turns', kept.length === 0 ? undefined : kept)
}

function onceAFrame(draw: () => void): () => void {
  let isDue = false
  return () => {
    if (isDue) return
    isDue = true
    requestAnimationFrame(() => {
      isDue = false
      draw()
    })
  }
}
