import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import type { AdminRequest } from '../../endpoint/server/admin/types.js'
import { CheckBox } from '../parts/check-box.js'
import { DialogActions } from '../parts/dialog-actions.js'
import { shownText } from '../parts/shown-text.js'
import { TableHead } from '../parts/table-head.js'
import { requests } from './figures.js'
import { hasFailed } from './known-requests.js'
import { Panel } from './panel.js'
import { durationWords, NONE, timeWords } from './words.js'

/** The most rows. */
const MAX_ROWS = 100

/** The last requests, newest first, and all that is known of one of them. */
export function RequestsTable(): JSX.Element {
  const failedOnly = useSignal(false)
  const chosen = useSignal<AdminRequest | undefined>(undefined)
  const dialog = useRef<HTMLDialogElement>(null)
  const shown = failedOnly.value ? requests.value.filter(hasFailed) : requests.value
  return (
    <>
      <Panel title="The last requests" kind="requests" beside={<CheckBox label="Failures only" chosen={failedOnly} />}>
        {shown.length === 0 ? (
          <p class="note">None yet.</p>
        ) : (
          <table>
            <TableHead names={['Time', 'Status', 'Code', 'Why', 'Route', 'Owner', 'Took', 'Request id']} />
            <tbody>
              {shown.slice(0, MAX_ROWS).map((request, row) => (
                // Rows stand still, and their words move on: each is one line high.
                <tr key={row} class={hasFailed(request) ? 'failed' : ''}>
                  <th scope="row">
                    <button
                      type="button"
                      class="quiet"
                      aria-haspopup="dialog"
                      onClick={() => {
                        chosen.value = request
                        dialog.current?.showModal()
                      }}
                    >
                      {timeWords(request.at)}
                    </button>
                  </th>
                  <td>{statusOf(request)}</td>
                  <td class="code">{shownText(request.code ?? NONE)}</td>
                  <td>{shownText(request.why ?? NONE)}</td>
                  <td class="code">{shownText(routeOf(request))}</td>
                  <td>{shownText(request.owner ?? NONE)}</td>
                  <td>{durationWords(request.seconds)}</td>
                  <td class="code">{shownText(request.request_id ?? NONE)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Panel>
      <dialog ref={dialog} aria-label="The request">
        {chosen.value !== undefined && (
          <>
            <dl class="details">
              {Object.entries(factsOf(chosen.value)).map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{shownText(value ?? NONE)}</dd>
                </div>
              ))}
            </dl>
            <DialogActions text={JSON.stringify(chosen.value, null, 2)} what="the request as JSON" dialog={dialog} />
          </>
        )}
      </dialog>
    </>
  )
}

/** The HTTP status, or how a response ended that outlived its request. */
function statusOf({ status, response_status }: AdminRequest): string {
  return [status, response_status].filter((each) => each !== null).join(' ') || NONE
}

function routeOf({ method, route }: AdminRequest): string {
  return method === null ? 'a response of its own' : `${method} ${route}`
}

function factsOf(request: AdminRequest): Readonly<Record<string, string | null>> {
  return {
    Ended: timeWords(request.at),
    Took: durationWords(request.seconds),
    Status: statusOf(request),
    Code: request.code,
    Why: request.why,
    Route: routeOf(request),
    Owner: request.owner,
    'Request id': request.request_id,
    'Response id': request.response_id,
  }
}
