import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ClientSettings } from '../../cli/serve/client-lines.js'
import { ShownText, shownText } from '../parts/shown-text.js'
import type { Answer, Item, ShownItem } from './answer.js'
import { Approvals } from './approvals.js'
import { CodeDialog } from './code-dialog.js'
import { type RequestBody, retry, type Turn } from './conversation.js'
import { ItemView } from './item-view.js'
import { Results } from './results.js'

/** A request of the user's, and its answer. */
export function TurnView({
  turn,
  client,
  isLast,
}: {
  readonly turn: Turn
  readonly client: ClientSettings
  readonly isLast: boolean
}): JSX.Element {
  // Draws again when the answer has changed.
  turn.version.value
  const { answer, body } = turn
  const state = turn.state.value
  const shown = answer.items.filter((each) => each !== undefined)
  const isWaiting = state.is === 'running' && shown.length === 0
  return (
    <article class="turn">
      <div class="question">
        {answer.id !== undefined && (
          <a class="inside" href={`#look/${answer.id}`} title="What became of each token of this answer">
            Tokens
          </a>
        )}
        <Asked body={body} />
      </div>
      <div class="answer" aria-busy={state.is === 'running'}>
        {isWaiting && <p class="note waiting">{answer.status === 'queued' ? 'Waiting for its turn …' : 'Reading …'}</p>}
        {shown.map((each, index) => (
          <StillItem key={each.item.id ?? index} shown={each} />
        ))}
        {state.is === 'broken' && (
          <div class="wrong" role="alert">
            <p>{shownText(state.why)}</p>
            <button type="button" onClick={() => retry(turn)}>
              Ask again
            </button>
          </div>
        )}
        {state.is === 'ended' && isLast && (
          <>
            <Approvals turn={turn} />
            <Results turn={turn} />
          </>
        )}
        {state.is !== 'running' && (
          <footer class="facts">
            <span>{state.is === 'ended' ? statusOf(answer) : ''}</span>
            <span>{usageOf(answer)}</span>
            <CodeDialog bodyOf={() => body} client={client} label="As code" />
          </footer>
        )}
      </div>
    </article>
  )
}

/** An item, which is drawn again only if it has changed. */
function StillItem({ shown: { item, revision } }: { readonly shown: ShownItem }): JSX.Element {
  return useMemo(() => <ItemView item={item} />, [item.id, revision])
}

const STATUSES: Readonly<Record<string, string>> = {
  completed: 'Complete',
  incomplete: 'Incomplete',
  failed: 'Failed',
  cancelled: 'Stopped',
}

function statusOf(answer: Answer): string {
  const status = STATUSES[answer.status] ?? answer.status
  const showsWhy = answer.why !== undefined && answer.status !== 'completed' && answer.status !== 'cancelled'
  return showsWhy ? `${status}: ${answer.why}` : status
}

function usageOf({ usage }: Answer): string {
  if (usage === undefined) return ''
  const cached = usage.input_tokens_details?.cached_tokens ?? 0
  const read = cached > 0 ? `${usage.input_tokens} tokens read, ${cached} cached` : `${usage.input_tokens} tokens read`
  return `${read}, ${usage.output_tokens} written`
}

/** What the user sent, in their words. */
function Asked({ body: { input } }: { readonly body: RequestBody }): JSX.Element {
  const items = typeof input === 'string' ? [{ type: 'message', content: input }] : input
  return (
    <div class="asked">
      {items.map((item, index) => (
        <AskedItem key={index} item={item} />
      ))}
    </div>
  )
}

function AskedItem({ item }: { readonly item: Item }): JSX.Element {
  if (item.type === 'mcp_approval_response') return <p>{item['approve'] === true ? 'Approved' : 'Declined'}</p>
  if (item.type !== 'message') return <ShownText text={`Result: ${item['output']}`} />
  const { content } = item
  if (typeof content === 'string') return <ShownText text={content} />
  return (
    <>
      {(content as readonly Item[]).map((part, index) =>
        part.type === 'input_image' ? (
          <img key={index} src={`${part['image_url']}`} alt="Attached by you" />
        ) : (
          <ShownText key={index} text={`${part['text']}`} />
        ),
      )}
    </>
  )
}
